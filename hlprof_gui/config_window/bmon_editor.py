"""Editor of a list of bus monitors: which monitors, what they measure, windows and address filters."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QWidget

from hlprof_core.config.bracket_list import MEASUREMENTS
from hlprof_gui.config_window.list_editor import ListEditor, show_words, word_field
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.unit_lists import LEAST_MONITORS, UnitListViewModel, words_of

TIPS = {"bw": "Bytes in each window", "lat": "Time from request to answer", "out": "Requests that wait for their answer"}
NAMES = {"bw": "Bandwidth", "lat": "Latency", "out": "Outstanding"}


class BmonEditor(ListEditor):
    """Four groups, as the option has them."""

    def __init__(self, context: PageContext, entry: UnitListViewModel) -> None:
        super().__init__(context, entry, is_tall=False)
        self.monitors: list[QPushButton] = []
        self._monitor_row = QHBoxLayout()
        self._monitor_row.setSpacing(4)
        self._monitor_row.addStretch(1)
        self.measurements: dict[str, QCheckBox] = {}
        measures = QHBoxLayout()
        measures.setSpacing(12)
        for word in MEASUREMENTS:
            box = QCheckBox(NAMES[word])
            box.setToolTip(TIPS[word])
            box.clicked.connect(safe(lambda *_, word=word, box=box: self._measure(word, box.isChecked())))
            self.measurements[word] = box
            measures.addWidget(box)
        measures.addStretch(1)
        self.windows = word_field(context, "Windows in cycles", "512, 256")
        self.windows.textEdited.connect(safe(lambda text: self.say(entry.set_monitors(replace(entry.monitors, windows=words_of(text))))))
        self.filters = word_field(context, "Address filters", "none: every address")
        self.filters.textEdited.connect(safe(lambda text: self.say(entry.set_monitors(replace(entry.monitors, filters=words_of(text))))))
        rows = self.form_rows()
        rows.addRow("Monitors", self._monitor_row)
        rows.addRow("Measure", measures)
        rows.addRow("Windows", self.windows)
        rows.addRow("Addresses", self.filters)
        self.form_area.setLayout(rows)
        QWidget.setTabOrder(self.switch, self.text)
        self.refresh()

    def _measure(self, word: str, on: bool) -> None:
        form = self.entry.monitors
        chosen = (*form.measurements, word) if on else tuple(m for m in form.measurements if m != word)
        self.say(self.entry.set_monitors(replace(form, measurements=chosen)))

    def _choose(self, number: int, on: bool) -> None:
        form = self.entry.monitors
        chosen = (*form.monitors, number) if on else tuple(m for m in form.monitors if m != number)
        self.say(self.entry.set_monitors(replace(form, monitors=chosen)))

    def show_form(self) -> None:
        form = self.entry.monitors
        self._offer(max(LEAST_MONITORS, 1 + max(form.monitors, default=0)))
        for number, button in enumerate(self.monitors):
            button.setChecked(number in form.monitors)
        for word, box in self.measurements.items():
            box.setChecked(word in form.measurements)
        show_words(self.windows, form.windows)
        show_words(self.filters, form.filters)

    def _offer(self, count: int) -> None:
        for number in range(len(self.monitors), min(count, 16)):
            button = QPushButton(str(number))
            button.setCheckable(True)
            button.setProperty("compact", True)
            button.setAccessibleName(f"Monitor {number}")
            button.setToolTip(f"Monitor {number} of each unit")
            button.clicked.connect(safe(lambda *_, number=number, button=button: self._choose(number, button.isChecked())))
            self.monitors.append(button)
            self._monitor_row.insertWidget(number, button)
