"""Page: which generation is profiled, with the chip's picture lit by what records."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QGridLayout, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from hlprof_core.config.unit_tree import GENERATIONS, unit_tree
from hlprof_gui.config_window.chip_picture import ChipPicture
from hlprof_gui.config_window.choice_card import ChoiceCard
from hlprof_gui.config_window.live_page import LivePage, dim_label, while_alive
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.theme.stylesheet import mix
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.target import COLOURS, LegendEntry, TargetViewModel, cards
from hlprof_gui.viewmodels.unit_switches import Share

CARD_WIDTH = 136
"""Least room for the facts of a card."""
LEGEND_WIDTH = 108
"""Least room of an entry of the legend."""


class TargetPage(LivePage):
    """Cards above, picture and legend below."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self.view_model = TargetViewModel(context.model)
        self.cards: dict[str, ChoiceCard] = {}
        self._choice = QButtonGroup(self)
        self._grid = QGridLayout()
        self._grid.setSpacing(10)
        self._columns = 0
        for card in cards():
            button = ChoiceCard(context.theme, card.title, card.lines)
            button.setToolTip(card.help)
            button.clicked.connect(lambda _=False, value=card.value: self._choose(value))
            self._choice.addButton(button)
            self.cards[card.value] = button
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.caption = dim_label()
        self.looks: dict[str, QPushButton] = {}
        head = QHBoxLayout()
        head.addWidget(self.caption, 1)
        self._look = QButtonGroup(self)
        for name in GENERATIONS:
            look = QPushButton(unit_tree(name).title)
            look.setCheckable(True)
            look.setProperty("segment", True)
            look.setToolTip(f"Show {unit_tree(name).title}")
            look.clicked.connect(safe(lambda _=False, name=name: self.view_model.look_at(name)))
            self._look.addButton(look)
            self.looks[name] = look
            head.addWidget(look)
        self.picture = ChipPicture(self.view_model, context.theme)
        self.picture.group_clicked.connect(safe(self.view_model.toggle))
        self.legend = Legend(self.view_model, context.theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(self._grid)
        layout.addSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self.picture, 1)
        layout.addWidget(self.legend)
        self.reflow(self.width())
        while_alive(self, self.view_model.changed, self._follow)

    def reflow(self, width: int) -> None:
        self.legend.fit(width)
        columns = len(self.cards) if width >= len(self.cards) * CARD_WIDTH else 2
        if columns != self._columns:
            self._columns = columns
            for number, card in enumerate(self.cards.values()):
                self._grid.removeWidget(card)
                self._grid.addWidget(card, *divmod(number, columns))

    def reveal(self, setting_id: str) -> bool:
        """Show the control of a setting."""
        if setting_id == "hw.arch":
            self.cards[self.view_model.target].setFocus(Qt.FocusReason.OtherFocusReason)
        return setting_id == "hw.arch"

    @safe
    def _choose(self, value: str) -> None:
        self.view_model.choose(value)

    @safe
    def refresh(self) -> None:
        target, shown = self.view_model.target, self.view_model.shown
        self.cards[target].setChecked(True)
        for name, look in self.looks.items():
            look.setVisible(not target)
            look.setChecked(name == shown)
        self.caption.setText(self.view_model.caption)
        self.picture.setAccessibleDescription(self.view_model.caption)
        self.picture.update()
        self.legend.refresh()


class Legend(QWidget):
    """The groups with their counts: the keyboard's way to what a click in the picture does."""

    def __init__(self, chip: TargetViewModel, theme: Theme) -> None:
        super().__init__()
        self._chip, self._theme = chip, theme
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(6)
        self.buttons: dict[str, LegendButton] = {}
        self._shown = ""
        self._columns = 0

    def refresh(self) -> None:
        """Show the groups of the generation as they are now."""
        entries = self._chip.legend()
        if self._shown != self._chip.shown:
            self._shown = self._chip.shown
            self._rebuild(entries)
        for entry in entries:
            self.buttons[entry.group].show_entry(entry, is_tracing=self._chip.is_tracing)

    def _rebuild(self, entries: tuple[LegendEntry, ...]) -> None:
        for button in self.buttons.values():
            self._grid.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = {}
        for entry in entries:
            button = LegendButton(self._theme, entry)
            button.clicked.connect(safe(lambda _=False, group=entry.group: self._chip.toggle(group)))
            self.buttons[entry.group] = button
        self._columns = 0
        self.fit(self.width())

    def fit(self, width: int) -> None:
        """As many in a row as find room, the rows equally full."""
        count = len(self.buttons)
        rows = -(-count // max(1, width // LEGEND_WIDTH))
        columns = -(-count // max(1, rows))
        if columns != self._columns:
            self._columns = columns
            for number, button in enumerate(self.buttons.values()):
                self._grid.removeWidget(button)
                self._grid.addWidget(button, *divmod(number, columns))


class LegendButton(QAbstractButton):
    """Colour, name and count of a group."""

    HEIGHT = 26

    def __init__(self, theme: Theme, entry: LegendEntry) -> None:
        super().__init__()
        self._theme, self._entry = theme, entry
        self._is_tracing = True
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_entry(self, entry: LegendEntry, *, is_tracing: bool) -> None:
        self._entry, self._is_tracing = entry, is_tracing
        self.setText(f"{entry.name} {entry.count.on}/{entry.count.total}")
        self.setToolTip(entry.tip)
        self.setAccessibleName(f"{entry.title}, {entry.count.text}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 42, self.HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.HEIGHT)

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        p = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = mix(p.panel, p.text, 0.08) if self.underMouse() else p.panel
        painter.setPen(QPen(QColor(p.accent if self.hasFocus() else p.border), 1))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        colour = p.slices[COLOURS[self._entry.group]]
        share = self._entry.count.share if self._is_tracing else Share.NONE
        swatch = QRectF(8, self.height() / 2 - 6, 12, 12)
        painter.setPen(QPen(QColor(colour), 1.2))
        painter.setBrush(QColor(colour) if share is Share.ALL else QColor(mix(p.panel, colour, 0.15)))
        painter.drawRoundedRect(swatch, 2, 2)
        if share is Share.SOME:
            painter.fillRect(QRectF(swatch.x(), swatch.y(), 6, 12), QColor(colour))
        painter.setFont(self._theme.ui_font)
        painter.setPen(QColor(p.text if share is not Share.NONE else p.text_dim))
        left, right = QRectF(27, 0, self.width() - 34, self.height()), QRectF(0, 0, self.width() - 8, self.height())
        painter.drawText(left, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self._entry.name)
        painter.setPen(QColor(p.text_dim))
        count = f"{self._entry.count.on}/{self._entry.count.total}"
        painter.drawText(right, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), count)
        painter.end()
