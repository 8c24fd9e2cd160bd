"""Answers without a model: sentences and words of the quotes, chosen by rules. Pure; all it says a quote says."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.answers import Format
from recollect.entities import Relationship
from recollect.synthesis.offline.brief import brief
from recollect.synthesis.offline.direct import direct
from recollect.synthesis.offline.question import asked
from recollect.synthesis.offline.relations import relation_map
from recollect.synthesis.offline.timeline import timeline
from recollect.synthesis.parts import Evidence, Told

__all__ = ["told"]


def told(form: Format, evidence: Evidence, *, relationships: Sequence[Relationship] = ()) -> Told:
    """Return an answer in a format; one with nothing in it when there is no evidence.

    `relationships` are those that the graph has of the quoted memories; only the map of relations looks at them.
    """
    if not evidence.quotes:
        return Told(())
    question = asked(evidence.query)
    if form is Format.RELATIONSHIP_MAP:
        return relation_map(question, evidence, relationships)
    return {Format.DIRECT_ANSWER: direct, Format.SYNTHESIZED_BRIEF: brief, Format.TIMELINE_ANALYSIS: timeline}[form](
        question, evidence
    )
