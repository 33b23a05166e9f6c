"""What the tests of the timeline's look share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from hlprof_gui.state.view_state import ViewState
from hlprof_gui.timeline.view import TimelineView


@pytest.fixture
def view(qtbot: QtBot, theme: Any) -> TimelineView:
    """A timeline on the screen, without a trace, in the ``theme`` of its module."""
    view = TimelineView(ViewState(), theme, backend="image")
    theme.dress(view)
    qtbot.addWidget(view)
    view.resize(1000, 600)
    view.show()
    qtbot.waitExposed(view)
    return view


def pixels(image: QImage) -> np.ndarray:
    """Height x width, 0xffRRGGBB."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()
