"""Qt palette and style sheet made from our palette; the one place where the window's spacing and corners are written."""

from __future__ import annotations

from string import Template

from PySide6.QtGui import QColor, QPalette

from hlprof_core import resource
from hlprof_gui.theme.palette import Palette

WINDOW_SHEET = """
QMainWindow::separator { background: palette(mid); width: 1px; height: 1px; }
QMainWindow::separator:hover { background: palette(highlight); }
"""
"""A window's own lines, for every theme. They are not in the sheet of its parts: giving a window another one costs for all in it."""


def qt_palette(p: Palette) -> QPalette:
    """The colours for what Fusion paints itself."""
    roles = QPalette.ColorRole
    colors = {
        roles.Window: p.window, roles.WindowText: p.text, roles.Base: p.panel, roles.AlternateBase: p.row_odd,
        roles.Text: p.text, roles.Button: p.group, roles.ButtonText: p.text, roles.BrightText: p.error,
        roles.Highlight: p.accent, roles.HighlightedText: p.accent_text, roles.ToolTipBase: p.group, roles.ToolTipText: p.text,
        roles.Link: p.accent, roles.LinkVisited: p.accent, roles.PlaceholderText: p.text_dim, roles.Accent: p.accent,
        roles.Light: p.border, roles.Midlight: p.border, roles.Mid: p.border, roles.Dark: p.border, roles.Shadow: p.canvas,
    }  # fmt: skip
    palette = QPalette()
    for role, color in colors.items():
        palette.setColor(role, QColor(color))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(disabled_text(p)))
    return palette


def disabled_text(p: Palette) -> str:
    """The colour of what cannot be used now: fainter than dim text, yet legible."""
    return mix(p.text_dim, p.panel, 0.2)


def disabled_icon(p: Palette) -> str:
    """The colour of an icon whose command is not available."""
    return mix(p.text_dim, p.window, 0.4)


def mix(color: str, other: str, share: float) -> str:
    """``color`` with that share of ``other`` in it, as ``#rrggbb``."""
    a, b = (int(color[i : i + 2], 16) for i in (1, 3, 5)), (int(other[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in zip(a, b, strict=True))


def stylesheet(p: Palette) -> str:
    """The style sheet of a part of a window."""
    template = Template(resource.path("themes", "window.qss").read_text(encoding="utf-8"))
    colors = {name: getattr(p, name) for name in Palette.__struct_fields__ if isinstance(getattr(p, name), str)}
    return template.substitute(
        colors,
        folder=resource.path("themes").as_posix(),
        hover=mix(p.panel, p.text, 0.08),
        pressed=mix(p.panel, p.text, 0.16),
        faint=mix(p.text_dim, p.canvas, 0.4),
        chosen=mix(p.panel, p.accent, 0.24),
        error_back=mix(p.panel, p.error, 0.16),
        warning_back=mix(p.panel, p.warning, 0.16),
        info_back=mix(p.panel, p.accent, 0.16),
    )
