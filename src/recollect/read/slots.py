"""Facts by what they are about: memories found by the slot of the statement they carry."""

from __future__ import annotations

from recollect.engine import Engine
from recollect.facts import compared
from recollect.facts import predicate as compared_predicate
from recollect.filters import Filter, Test
from recollect.longkeys import key_of
from recollect.models import Memory
from recollect.protocols import Record
from recollect.read.past import reading
from recollect.read.standpoint import Standpoint
from recollect.text import check_text


def facts(
    engine: Engine,
    where: Filter,
    at: Standpoint,
    *,
    subject: str | None = None,
    predicate: str | None = None,
    object: str | None = None,
) -> list[Memory]:
    """Return the memories of the filter that carry such a fact, newest event time first; all facts without a part.

    Parts are compared as facts are: letters, articles and usual names of a predicate make no difference.
    """
    tests = [Test("subject_key", "ne", None)]
    for name, part in (("subject", subject), ("predicate", predicate), ("object", object)):
        if part is not None:
            text = check_text(part, what=name)
            if not text.strip():
                raise ValueError(f"{name} is blank: leave it out to find every {name}")
            key = key_of(compared_predicate(text) if name == "predicate" else compared(text))
            tests.append(Test(f"{name}_key", "eq", key))
    with reading(engine.store, where, at.known_at) as reader:
        found = reader.find(Record, where.but(*tests), order="-valid_from")
    return [record.memory.as_of_clock(at.clock) for record in found]
