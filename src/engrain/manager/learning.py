"""Consolidation at the front door: what was told settles into what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engrain.lazy import Later
from engrain.manager.view import View
from engrain.model.results import Consolidation
from engrain.write.ingest import Progress

if TYPE_CHECKING:
    from engrain.lifecycle import consolidation as consolidating
else:
    consolidating = Later("engrain.lifecycle.consolidation")


class Learning(View):
    """The methods about what is learnt of what was told."""

    def consolidate(self, *, batch_size: int = 10, progress: Progress | None = None) -> Consolidation:
        """Learn facts from the next episodes that the view sees; no episode is changed, hidden or deleted by it.

        Episodes that will leave within three days, or have waited for a week, come first, then the newest. With a model
        (`llm=`) or an extractor of your own that finds the facts, else only plain, lasting statements are lifted. Each
        fact is a semantic memory `derived_from` its episodes. An episode that could not be read is tried again later.
        Over `settings.llm_budget` nothing is asked, and `paused` says so. `progress(done, total, label)` is called with
        episodes where they are gone through one by one: with a model or an extractor of your own.
        """
        result = consolidating.consolidate(self._engine, self._scope, batch_size=batch_size, progress=progress)
        self._queued()
        return result
