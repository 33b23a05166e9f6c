"""Entry point of ``python -m hlprof_core.workloads``: answers Ctrl+C before anything else is loaded."""

from __future__ import annotations

import sys

from hlprof_core.interruption import ending_at_once


def main() -> None:
    """The program from its first line to its end."""
    with ending_at_once("python -m hlprof_core.workloads"):
        from hlprof_core.workloads.main import main
    # From here on it is a plain program: a recording may be under way until the process is over.
    sys.exit(main())


if __name__ == "__main__":
    main()
