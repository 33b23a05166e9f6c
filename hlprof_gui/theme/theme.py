"""The look of the window at run time: which palette is in use, the fonts, the icons, and the style given to Qt."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from hlprof_gui.settings import ThemeChoice
from hlprof_gui.state.signal import Signal
from hlprof_gui.theme import fonts
from hlprof_gui.theme.icons import tinted_icon
from hlprof_gui.theme.palette import Palette, load_palette
from hlprof_gui.theme.stylesheet import mix, qt_palette, stylesheet


class Theme:
    """Palette and fonts in use; ``changed`` tells when the palette was replaced, so painters ask ``palette`` anew."""

    def __init__(self, choice: ThemeChoice = "system") -> None:
        fonts.load_fonts()
        self.ui_font = fonts.ui_font()
        self.small_font = fonts.ui_font(fonts.UI_PIXELS - 2)
        self.bold_font = fonts.ui_font(bold=True)
        self.title_font = fonts.ui_font(22, bold=True)
        self.mono_font = fonts.mono_font()
        self.changed = Signal()
        self.choice: ThemeChoice = choice
        self.palette: Palette = load_palette(self._wanted())
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._app: QApplication | None = None

    def _wanted(self) -> str:
        if self.choice != "system":
            return self.choice
        scheme = QGuiApplication.styleHints().colorScheme()
        return "light" if scheme == Qt.ColorScheme.Light else "dark"

    def use(self, choice: ThemeChoice) -> None:
        """Switch to that theme; ``system`` follows the desktop."""
        self.choice = choice
        wanted = self._wanted()
        if wanted != self.palette.name:
            self.palette = load_palette(wanted)
            if self._app is not None:
                self._style(self._app)
            self.changed.emit()

    def follow_system(self) -> None:
        """The desktop changed its colours: go along when the user wants that."""
        self.use(self.choice)

    def follow(self, owner: QObject, listener: Callable[[], object]) -> None:
        """Call ``listener`` after each change of the palette for as long as ``owner`` lives."""
        leave = self.changed.connect(listener)
        owner.destroyed.connect(lambda *_: leave())

    def apply(self, app: QApplication) -> None:
        """Give the program its style, colours and font, now and after each change."""
        self._app = app
        app.setStyle("Fusion")
        app.setFont(self.ui_font)
        self._style(app)

    def _style(self, app: QApplication) -> None:
        app.setStyleSheet("")  # one sheet in place of another takes Qt four times as long as none in between
        app.setPalette(qt_palette(self.palette))
        app.setStyleSheet(stylesheet(self.palette))

    def color(self, name: str) -> QColor:
        """A palette entry as a Qt colour."""
        return QColor(cast(str, getattr(self.palette, name)))

    def icon(self, name: str) -> QIcon:
        """A shipped icon in the colours of the palette."""
        key = (self.palette.name, name)
        if key not in self._icons:
            p = self.palette
            self._icons[key] = tinted_icon(name, p.text, mix(p.text_dim, p.window, 0.55), p.accent)
        return self._icons[key]
