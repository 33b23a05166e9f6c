"""What a file is, by its first bytes; for files that are no traces, what they seem to be and what would help."""

from __future__ import annotations

import re
from pathlib import Path

from hlprof_core.errors import UnrecognizedFormat

GZIP, ZSTD, ZIP, TAR, TEXT = "gzip", "zstd", "zip", "tar", "text"
BOM = b"\xef\xbb\xbf"
_KINETO = "Open the profiler's trace (*.pt.trace.json) instead."
_RECORD = "Open the JSON, CSV or .hltv file that the profiler wrote."

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\x7fELF", "an ELF program or library", _RECORD),
    (b"\x89PNG", "a PNG picture", _RECORD),
    (b"\xff\xd8\xff", "a JPEG picture", _RECORD),
    (b"GIF8", "a GIF picture", _RECORD),
    (b"%PDF", "a PDF document", _RECORD),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself", "Fetch it: git lfs pull"),
    (b"SQLite format 3\x00", "an SQLite database", "An Nsight Systems export cannot be read; export it as JSON."),
    (b"\xfd7zXZ\x00", "an xz file", "Unpack it first: unxz FILE"),
    (b"BZh", "a bzip2 file", "Unpack it first: bunzip2 FILE"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "Unpack it first."),
    (b"PAR1", "a Parquet file", _RECORD),
    (b"ARROW1", "an Arrow file", _RECORD),
    (b"\x93NUMPY", "a numpy array", _RECORD),
    (b"\x80\x02", "a Python pickle", _RECORD),
    (b"tracy", "a Tracy trace", "Export it with Tracy's own tools."),
    (b"#!", "a script", _RECORD),
)
_PATTERNS: tuple[tuple[bytes, str, str], ...] = (
    (rb"\A\s*<(!doctype html|html|head|body)", "an HTML page, perhaps of a login or an error", "Download the file itself."),
    (rb"\A\s*<\?xml", "an XML file", _RECORD),
    (rb"\A\s*\{\s*\"\$schema\"\s*:\s*\"https?://www\.speedscope", "a speedscope file", "Export the profile as a Chrome trace."),
    (rb"\A\s*\{\s*\"nodes\"\s*:.*\"callFrame\"", "a V8 CPU profile (.cpuprofile)", "Record a performance trace instead of a CPU profile."),
    (rb"\A\s*\{\s*\"(schema|version)\"\s*:\s*\"?[\d.]+[^{]*\"nodes\"\s*:", "a PyTorch execution trace", _KINETO),
    (rb"\A\s*\{\s*\"(schema)\"\s*:.*\"(rf_id|inputs|ctrl_deps)\"", "a PyTorch execution trace", _KINETO),
    (rb"\A\s*\{\s*\"Plugins\"|\"HwTrace\"\s*:\s*\{", "a profiler configuration", "Open it with hl-prof-config."),
)


def is_foreign_json(head: bytes) -> bool:
    """JSON of another tool, told by its first keys."""
    if b'"traceEvents"' in head:
        return False
    text = head.removeprefix(BOM)[:8192]
    return text.lstrip()[:1] == b"{" and any(re.search(pattern, text, re.DOTALL | re.IGNORECASE) for pattern, _, _ in _PATTERNS)


def is_tar(head: bytes) -> bool:
    """POSIX and GNU tar have a mark at 257."""
    return head[257:262] == b"ustar"


def container(head: bytes) -> str:
    """One of GZIP, ZSTD, ZIP, TAR, TEXT; TEXT also for what turns out to be nothing we know."""
    if head.startswith(b"\x1f\x8b"):
        return GZIP
    if head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5):  # or a frame to be skipped first
        return ZSTD
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return ZIP
    return TAR if is_tar(head) else TEXT


def guess(head: bytes) -> tuple[str, str]:
    """What a file that is no trace seems to be, and what would help."""
    for magic, what, hint in _MAGIC:
        if head.startswith(magic):
            return what, hint
    text = head.removeprefix(BOM)
    for pattern, what, hint in _PATTERNS:
        if re.search(pattern, text[:8192], re.DOTALL | re.IGNORECASE):
            return what, hint
    if _is_perfetto(head):
        return "a Perfetto protobuf trace", "Convert it: traceconv json FILE OUT.json"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "a UTF-16 or UTF-32 text that is no trace", _RECORD
    if not head.strip(b"\x00"):
        return "a file of zero bytes, perhaps a download that failed", "Copy it again."
    if b"\x00" in head or sum(byte < 9 for byte in head[:512]) > 8:
        return "a binary file of an unknown kind", _RECORD
    if not text.strip():
        return "a blank text", "Copy it again."
    line = head.split(b"\n", 1)[0][:60].decode("utf-8", "replace").strip()
    return f"a text that starts {line!r}", _RECORD


def _is_perfetto(head: bytes) -> bool:
    """A trace is repeated field 1 (0x0A, length, packet); a packet starts with one of few fields."""
    if head[:1] != b"\x0a" or len(head) < 4:
        return False
    at, size, shift = 1, 0, 0
    while at < min(len(head), 6):
        byte = head[at]
        size |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            break
    if size < 2 or at >= len(head):
        return False
    following = at + size
    return following >= len(head) or head[following] == 0x0A


def refuse(path: Path | str | None, head: bytes, *, within: str = "") -> UnrecognizedFormat:
    """The error for a file (or a member ``within`` it) that is no trace."""
    name = f"{path}{f' ({within})' if within else ''}"
    if not head:
        return UnrecognizedFormat(f"{name}: the file is empty.", hint="Was the recording stopped before it was written?")
    what, hint = guess(head)
    return UnrecognizedFormat(f"{name}: not a trace; it seems to be {what}.", hint=hint)
