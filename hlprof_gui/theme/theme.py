"""The look of the window at run time: which palette is in use, the fonts, the icons, and the style given to Qt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from PySide6.QtCore import QChildEvent, QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from hlprof_gui.settings import ThemeChoice
from hlprof_gui.state.signal import Signal
from hlprof_gui.theme import fonts
from hlprof_gui.theme.icons import asked_icons, draw_icon, tinted_icon
from hlprof_gui.theme.palette import Palette, load_palette
from hlprof_gui.theme.slices import Slices, rest
from hlprof_gui.theme.stylesheet import WINDOW_SHEET, disabled_icon, qt_palette, stylesheet

TALL = 100
"""Pixels; a part of a window that is as high takes its time to paint."""


def translucent(color: QColor, alpha: float) -> QColor:
    """The colour with another opacity, 0 to 1."""
    result = QColor(color)
    result.setAlphaF(alpha)
    return result


class Theme:
    """Palette and fonts in use; ``changed`` tells when the palette was replaced, so painters ask ``palette`` anew.

    The style sheet is given to each part of a window on its own: Qt takes longer than anybody waits to give another one to all widgets.
    A change goes through the parts in slices; windows keep their former look until each large part can be replaced by one repaint.
    """

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
        self._colors: dict[tuple[str, str], QColor] = {}
        self._app: QApplication | None = None
        self._sheet = stylesheet(self.palette)
        self._parts: dict[int, QWidget] = {}
        """What has the style sheet, by identity; a widget that Qt has deleted is no longer here."""
        self._windows: dict[int, QMainWindow] = {}
        self._held: set[int] = set()
        """Parts that do not paint at the moment."""
        self._slices = Slices()

    def _wanted(self) -> str:
        if self.choice != "system":
            return self.choice
        scheme = QGuiApplication.styleHints().colorScheme()
        return "light" if scheme == Qt.ColorScheme.Light else "dark"

    def use(self, choice: ThemeChoice) -> None:
        """Switch to that theme, in the next turns of the event loop; ``system`` follows the desktop."""
        self.choice = choice
        wanted = self._wanted()
        if wanted != self.palette.name:
            self.palette = load_palette(wanted)
            self._sheet = stylesheet(self.palette)
            self._slices.start(self._pieces())

    @property
    def is_settled(self) -> bool:
        """Whether everything looks as chosen."""
        return self._slices.is_done

    def finish(self) -> None:
        """Have everything look as chosen now: for those who cannot wait, such as who takes a picture."""
        self._slices.finish()

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
        app.setPalette(qt_palette(self.palette))

    # -- style sheets -----------------------------------------------------------------------------------------------

    def dress(self, part: QWidget) -> None:
        """Give a part of a window, or a dialog, the style sheet for itself and all in it, now and after each change.

        Before there is much in it: what its contents asked of the former style they would not ask again.
        """
        if id(part) not in self._parts:
            self._keep(self._parts, part)
            part.setStyleSheet(self._sheet)
            # In a window with lines of its own Qt keeps that from a widget that is not shown yet; tool bars ask for their margins before.
            part.ensurePolished()
            QCoreApplication.sendEvent(part, QEvent(QEvent.Type.StyleChange))

    def dress_window(self, window: QMainWindow) -> None:
        """A window's own lines; its parts are dressed one by one, before they are shown for the first time."""
        self._keep(self._windows, window)
        window.setStyleSheet(WINDOW_SHEET)

    def dress_child(self, event: QChildEvent) -> None:
        """For a window's ``childEvent``: dialogs, menus and rows of tabs come late, and from Qt too. What the window began with it dresses
        itself."""
        if event.type() == QEvent.Type.ChildPolished:
            child = event.child()
            window = child.parent()
            if isinstance(child, QWidget) and isinstance(window, QWidget) and window.isVisible():
                self.dress(child)

    @staticmethod
    def _keep(known: dict[int, QWidget] | dict[int, QMainWindow], widget: QWidget) -> None:
        key = id(widget)
        known[key] = widget  # type: ignore[assignment]
        widget.destroyed.connect(lambda *_: known.pop(key, None))

    def _pieces(self) -> list[Callable[[], object]]:
        """What a change consists of; what cannot be seen comes last."""
        if self._app is None:
            return list(self.changed.listeners)
        seen = [key for key, part in self._parts.items() if part.isVisible()]
        hidden = [key for key in self._parts if key not in seen]
        frozen = [key for key, window in self._windows.items() if window.isVisible()]
        tall = [key for key in seen if self._parts[key].height() >= TALL]
        return [
            *(partial(self._hold, key, True) for key in tall),
            *(partial(self._freeze, key, True) for key in frozen),
            partial(self._app.setPalette, qt_palette(self.palette)),
            *(partial(self._dress_again, key) for key in seen),
            *(partial(draw_icon, name, self.palette.text, pixels) for name, pixels in asked_icons()),
            *(partial(self._tell, listener) for listener in self.changed.listeners),
            *(partial(self._freeze, key, False) for key in frozen),
            *(piece for key in dict.fromkeys((*tall, *self._held)) for piece in (rest, partial(self._hold, key, False))),
            rest,
            *(partial(self._dress_again, key) for key in hidden),
        ]

    def _hold(self, key: int, is_held: bool) -> None:
        """Whether a part keeps its look. All of a window painted at once takes longer than anybody should wait."""
        (self._held.add if is_held else self._held.discard)(key)
        part = self._parts.get(key)
        if part is not None:
            part.setUpdatesEnabled(not is_held)

    def _freeze(self, key: int, is_frozen: bool) -> None:
        window = self._windows.get(key)
        if window is not None:
            window.setUpdatesEnabled(not is_frozen)
            if not is_frozen:
                window.style().polish(window)  # its own lines are in colours of the palette

    def _dress_again(self, key: int) -> None:
        part = self._parts.get(key)
        if part is not None:
            part.setStyleSheet(self._sheet)

    def _tell(self, listener: Callable[[], object]) -> None:
        if listener in self.changed.listeners:  # not when its widget has gone meanwhile
            listener()

    def color(self, name: str) -> QColor:
        """A palette entry as a Qt colour; made once and not to be changed."""
        key = (self.palette.name, name)
        color = self._colors.get(key)
        if color is None:
            color = self._colors[key] = QColor(cast(str, getattr(self.palette, name)))
        return color

    def icon(self, name: str) -> QIcon:
        """A shipped icon in the colours of the palette."""
        key = (self.palette.name, name)
        if key not in self._icons:
            p = self.palette
            self._icons[key] = tinted_icon(name, p.text, disabled_icon(p), p.accent)
        return self._icons[key]
