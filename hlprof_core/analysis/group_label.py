"""What a group of slices is called, so that a text which looks like "no value" is told apart from it."""

from __future__ import annotations

NO_VALUE = "(none)"
MARK = '"'


def label_of(text: str) -> str:
    """The label of a value: that of no value for "", and a value that reads like it in quotes. No two values have the same."""
    if not text:
        return NO_VALUE
    return f"{MARK}{text}{MARK}" if NO_VALUE in text and text.strip(MARK) == NO_VALUE else text


def text_of_label(label: str) -> str:
    """The value that a label stands for, "" for none."""
    if label == NO_VALUE:
        return ""
    return label[1:-1] if NO_VALUE in label and label.strip(MARK) == NO_VALUE else label
