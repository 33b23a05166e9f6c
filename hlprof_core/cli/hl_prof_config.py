"""Entry point of ``hl-prof-config``: answers Ctrl+C before anything else is loaded."""

from __future__ import annotations

from hlprof_core.interruption import end_at_once


def main() -> None:
    """The program from its first line to its end."""
    end_at_once("hl-prof-config")
    from hlprof_core.cli.prof_config_command import main

    main()


if __name__ == "__main__":
    main()
