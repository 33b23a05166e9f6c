"""What every program of ours makes of success and failure: an exit code, and one line for a person when it failed."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable

from hlprof_core.errors import Cancelled, ExportError, HlprofError
from hlprof_core.interruption import raising

BROKEN_PIPE = 141
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def outcome(program: str, body: Callable[[], int]) -> int:
    """Run ``body``, which gives its exit code; errors become theirs. An error that is a defect of the program goes through."""
    _prepare_streams()
    try:
        with raising():
            code = body()
        sys.stdout.flush()
    except HlprofError as error:
        return report_error(program, error)
    except KeyboardInterrupt:
        return report_error(program, Cancelled())
    except BrokenPipeError:
        # The reader of our output left (`hlprof events FILE | head`): nothing to say.
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None or error.errno not in _FULL:
            raise
        _drop_output()
        return report_error(program, ExportError(f"The output cannot be written ({error.strerror}).", hint="Make room there."))
    return code


def report_error(program: str, error: HlprofError) -> int:
    """Print one line for a person; returns the exit code. Where stderr takes nothing, the code alone has to tell."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{program}: {error}".replace("\n", " ") + "\n")
    return error.exit_code


def _drop_output() -> None:
    """What is still in the buffer of stdout goes nowhere, so that the end of the process does not fail on it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _prepare_streams() -> None:
    """A program started with closed streams (``>&-``) has None in their place; what it says goes nowhere.

    What the terminal's encoding cannot show, as parts of file names, is shown by its number.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
