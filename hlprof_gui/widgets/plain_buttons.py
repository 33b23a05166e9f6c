"""Buttons of dialogs without the pictures that some desktops put on them."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox


def take_button_icons(dialog: QDialog) -> None:
    """All buttons of all rows of buttons in ``dialog`` show their words only."""
    for box in dialog.findChildren(QDialogButtonBox):
        for button in box.buttons():
            button.setIcon(QIcon())
