"""Entry point of ``hlprof``: answers Ctrl+C before anything else is loaded."""

from __future__ import annotations

from hlprof_core.interruption import end_at_once


def main() -> None:
    """The program from its first line to its end."""
    end_at_once("hlprof")
    from hlprof_core.cli.hlprof_command import main

    main()


if __name__ == "__main__":
    main()
