"""Which argument slices are coloured by: one of those that the trace has, or any that is typed."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QInputDialog, QWidget

WIDTH = 340


def ask_for_argument(parent: QWidget, keys: list[str], present: str) -> str | None:
    """The chosen argument, at first ``present``; None when the user gave up."""
    dialog = QInputDialog(parent)
    dialog.setWindowTitle("Colour by Argument")
    dialog.setLabelText("Slices with the same value of this argument have one colour:")
    dialog.setComboBoxItems(keys)
    dialog.setComboBoxEditable(True)
    if present in keys:
        dialog.setTextValue(present)
    dialog.resize(WIDTH, dialog.sizeHint().height())
    for box in dialog.findChildren(QComboBox):
        for part in (box, box.lineEdit()):
            part.setAccessibleName("Argument")
    try:
        is_chosen = dialog.exec() == QInputDialog.DialogCode.Accepted
        return dialog.textValue().strip() or None if is_chosen else None
    finally:
        dialog.deleteLater()
