"""The profiler's archive: a gzip-packed tar (or, on request, a ZIP) with the parsed trace and whatever else a recording has."""

from __future__ import annotations

import io
import tarfile
import tempfile
import zipfile
from pathlib import PurePosixPath
from typing import BinaryIO

from hlprof_core.errors import ExportError, UsageError
from hlprof_core.io.writers.chrome_json import chrome_json_parts
from hlprof_core.io.writers.gzip import pack_gzip
from hlprof_core.io.writers.writer import Export

TRACE_MEMBER = "prof-data/hlprof/trace.json"
"""The parsed trace. The name of the vendor's own member for it is not public."""
CONTAINERS = ("tar", "zip")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_COPY = 1 << 20


class HltvWriter:
    """Both kinds of container; readers tell them apart by their first bytes."""

    name, title, suffixes = "hltv", "Gaudi profiler archive", (".hltv",)

    def write(self, export: Export, out: BinaryIO) -> None:
        for member in export.extras:
            _check_member(member)
        match export.container:
            case "tar":
                self._write_tar(export, out)
            case "zip":
                self._write_zip(export, out)
            case other:
                raise UsageError(f"No container {other!r}.", hint=f"Known: {', '.join(CONTAINERS)}.")

    def _write_tar(self, export: Export, out: BinaryIO) -> None:
        with (
            pack_gzip(out) as packed,
            tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
            tempfile.TemporaryFile(dir=export.folder) as text,
        ):
            for name, data in export.extras.items():
                archive.addfile(_member(name, len(data)), io.BytesIO(data))
            for part in chrome_json_parts(export):
                text.write(part)
            size = text.tell()
            text.seek(0)
            archive.addfile(_member(TRACE_MEMBER, size), text)

    def _write_zip(self, export: Export, out: BinaryIO) -> None:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
            for name, data in export.extras.items():
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
            entry = zipfile.ZipInfo(TRACE_MEMBER, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as member:
                for part in chrome_json_parts(export):
                    member.write(part)


def _member(name: str, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o644
    return entry


def _check_member(name: str) -> None:
    """Members stay inside the archive's own tree, and the trace has its place."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or name in ("", TRACE_MEMBER):
        hint = "Use a relative name such as prof-data/config/prof_config.json."
        raise ExportError(f"{name!r} cannot be a member of an archive.", hint=hint)
