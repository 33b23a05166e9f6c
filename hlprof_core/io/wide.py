"""Texts in UTF-16 as UTF-8. Which of the two byte orders it is, the byte order mark at its start says."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.io.source import BLOCK, ByteSource

MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UTF_32 = codecs.BOM_UTF32_LE
"""Begins like UTF-16, but is another encoding."""


def is_wide(head: bytes) -> bool:
    """The text begins with a mark of UTF-16."""
    return head.startswith(MARKS) and not head.startswith(UTF_32)


def narrow_head(head: bytes) -> bytes:
    """The first bytes as UTF-8; half a character at the end is left away."""
    return codecs.getincrementaldecoder("utf-16")("replace").decode(head).encode("utf-8", "replace")


def narrow(blocks: Iterable[bytes], log: DiagnosticLog) -> Iterator[bytes]:
    """The text in blocks of UTF-8 without a mark; broken characters become U+FFFD and are counted, half a one at the end too."""
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    broken = 0
    for block in blocks:
        text = decoder.decode(block)
        broken += text.count("\ufffd")
        yield text.encode()
    rest = decoder.decode(b"", final=True)  # half a character where the file was cut: no part of the text
    message = "Characters of the UTF-16 text that are broken became U+FFFD."
    log.add("read.bad_text", "notice", message, count=broken + rest.count("\ufffd"))


def blocks_of(source: ByteSource) -> Iterator[bytes]:
    """All bytes of a source."""
    at = 0
    while block := source.read(at, BLOCK):
        at += len(block)
        yield block
