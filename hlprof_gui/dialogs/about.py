"""About: version, licence, the libraries underneath."""

from __future__ import annotations

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from hlprof_gui.theme.icons import draw_icon
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.plain_buttons import take_button_icons

PURPOSE = "See and understand what an Intel Gaudi\naccelerator does while it trains."


def about_lines() -> list[str]:
    """What a bug report wants to know."""
    import platform
    from importlib.metadata import version

    return [
        f"Version {version('hlprof')}",
        f"Python {platform.python_version()} · Qt {qVersion()} · numpy {version('numpy')}",
        f"{platform.system()} {platform.release()} · {platform.machine()}",
    ]


class AboutDialog(QDialog):
    """One calm page."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("About hlprof")
        theme.dress(self)
        logo = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        logo.setPixmap(draw_icon("hlprof", theme.palette.text, 64))
        logo.setAccessibleName("hlprof")
        name = QLabel("hlprof", alignment=Qt.AlignmentFlag.AlignCenter)
        name.setFont(theme.title_font)
        purpose = QLabel(PURPOSE, alignment=Qt.AlignmentFlag.AlignCenter)
        facts = QLabel("\n".join(about_lines()), alignment=Qt.AlignmentFlag.AlignCenter)
        facts.setProperty("dim", True)
        facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        licence = QLabel("Apache License 2.0 · fonts Inter (OFL) and JetBrains Mono (Apache 2.0)", alignment=Qt.AlignmentFlag.AlignCenter)
        licence.setProperty("dim", True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(40, 28, 40, 20)
        layout.setSpacing(12)
        for widget in (logo, name, purpose, facts, licence):
            layout.addWidget(widget)
        layout.addSpacing(8)
        layout.addWidget(buttons, 0, Qt.AlignmentFlag.AlignCenter)
        take_button_icons(self)
