"""The kinds of jobs, as they stand in a store."""

from __future__ import annotations

from typing import Final

EMBED: Final = "embed"
"""Makes the vectors of memories that were stored without."""
ENRICH: Final = "enrich"
"""Has a language model describe a memory."""
IDLE: Final = "idle"
"""Ends a session in which nothing more is said."""
PROVE: Final = "prove"
"""Searches the files for what an erasure took, when no reader pins it any more."""
SWEEP: Final = "sweep"
"""Lets fade, expire and settle what is due; one for a store."""
