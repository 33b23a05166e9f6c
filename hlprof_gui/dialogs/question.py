"""Questions with one answer: a text, one of several that may also be typed, or what becomes of something unsaved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QInputDialog, QLineEdit, QMessageBox, QWidget
from shiboken6 import isValid

from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.plain_buttons import take_button_icons

WIDTH = 360
Answer = Literal["save", "discard", "cancel"]


def ask(parent: QWidget, theme: Theme, title: str, question: str, present: str, choices: Sequence[str] = ()) -> str | None:
    """The answer without blanks around it, at first ``present``; None when the user gave up or said nothing."""
    dialog = QInputDialog(parent)
    theme.dress(dialog)
    dialog.setWindowTitle(title)
    dialog.setLabelText(question)
    if choices:
        dialog.setComboBoxItems(list(choices))
        dialog.setComboBoxEditable(True)
    if not choices or present in choices:
        dialog.setTextValue(present)
    dialog.resize(WIDTH, dialog.sizeHint().height())
    take_button_icons(dialog)
    for part in (*dialog.findChildren(QComboBox), *dialog.findChildren(QLineEdit)):
        part.setAccessibleName(question.rstrip(":"))
    try:
        is_given = dialog.exec() == QInputDialog.DialogCode.Accepted
        return dialog.textValue().strip() or None if is_given else None
    finally:
        if isValid(dialog):  # else its window was closed meanwhile
            dialog.deleteLater()


def ask_to_save(parent: QWidget, title: str, question: str, where: str) -> Answer:
    """What becomes of something unsaved; ``where``: what is said about its file."""
    buttons = QMessageBox.StandardButton
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question)
    box.setInformativeText(where)
    box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
    box.setDefaultButton(buttons.Save)
    take_button_icons(box)
    answers: dict[int, Answer] = {buttons.Save.value: "save", buttons.Discard.value: "discard"}
    try:
        return answers.get(box.exec(), "cancel")
    finally:
        if isValid(box):  # else its window was closed meanwhile
            box.deleteLater()
