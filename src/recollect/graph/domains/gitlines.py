"""Whether a hash in a text is the name of a commit or another object of version control, and no indicator. Pure."""

from __future__ import annotations

import re

from recollect.patterns import pattern

_BEFORE = pattern(
    r"(?:\b(?:commit|commits|tree|parent|index|merge|merged|merges|revision|rev|sha|head|branch|tag"
    r"|object|blob|pick|squash|fixup"
    r"|reword|revert|reverts|reverted|fixes|cherry[- ]picked(?: from)?|checkout|bisect|based on"
    r"|changeset|submodule|base)"
    r"(?:\s+(?:hash|id|sha|is now at|commit|from|at|to|:))*\s*[:#=(`'\"]*\s*"
    r"|\.\.\.?|\bgit\b[^\n]{0,60}|@sha256:|/(?:commit|commits|tree|blob|compare)/|^[-+^ ]?Subproject commit )$",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER = pattern(
    r"\.\.\.?[0-9a-f]|[^\S\n]+(?:refs/|HEAD\b|\(HEAD|\(origin|Merge (?:branch|pull)|(?:commit|tree|blob|tag)\s)",
    re.IGNORECASE,
)
_LINE = pattern(
    r"^\s*(?:Merge:|index [0-9a-f]|diff --git|(?:commit|tree|parent|object) [0-9a-f])|\bgit (?:log"
    r"|show|diff|rebase|reset|checkout|revert|merge)\b"
)


def is_git(text: str, start: int, end: int) -> bool:
    """Say whether the hash `text[start:end]` stands where version control writes its own."""
    line = text.rfind("\n", max(0, start - 200), start) + 1 or max(0, start - 200)
    if _BEFORE.search(text[max(line, start - 80) : start]) or _AFTER.match(text, end):
        return True
    return bool(_LINE.search(text[line:start]))
