"""What links tell: nothing of what only another agent, or another session, may see."""

from __future__ import annotations

import pytest


def test_another_agents_own_memory_shows_in_no_link(memory):
    cook, scout = memory.scoped(user="ana", agent="cook"), memory.scoped(user="ana", agent="scout")
    plan = memory.scoped(user="ana").remember("The plan is to sail").id
    own = scout.remember("the boat leaks").id
    end = memory.scoped(user="ana").remember("we walk").id
    assert scout.link(plan, own, "causes")
    assert scout.link(own, end, "causes")
    for view, links, chain in ((scout, (own,), (own, end)), (cook, (), ())):
        for seen in (view.get(plan), view.recall("plan to sail", k=1)[0].memory, view.history(plan)[-1]):
            assert tuple(link.memory_id for link in seen.links) == links
            assert seen.causal_chain == chain
    assert tuple(link.memory_id for link in memory.scoped(user="ana").get(plan).links) == (own,)


def test_working_memory_of_a_session_shows_in_no_link_elsewhere(memory):
    ana = memory.scoped(user="ana")
    plan = ana.remember("The plan is to sail").id
    desk = ana.scoped(session="desk")
    note = desk.remember("a draft", kind="working").id
    assert desk.link(plan, note)
    assert ana.get(plan).links == ()
    assert [link.memory_id for link in desk.get(note).links] == [plan]


def test_an_agents_own_memory_takes_no_common_ones_place(memory):
    ana = memory.scoped(user="ana")
    scout = ana.scoped(agent="scout")
    plan, own = ana.remember("The plan is to sail").id, scout.remember("we do not sail").id
    with pytest.raises(ValueError, match="everybody else"):
        scout.mark_superseded(plan, own)
    assert ana.get(plan).superseded_by is None


def test_a_supersession_by_another_agent_does_not_change_an_answer(memory):
    ana = memory.scoped(user="ana")
    cook, scout = ana.scoped(agent="cook"), ana.scoped(agent="scout")
    turn = ana.remember("Otto lives in Porto.", kind="episodic").id
    old = scout.remember("Otto lives in Porto.", kind="semantic", fact=("Otto", "lives_in", "Porto")).id
    scout.link(old, turn, "derived_from")
    scout.remember("Otto lives in Ghent.", kind="semantic", fact=("Otto", "lives_in", "Ghent"))
    assert scout.get(old).is_superseded
    assert cook.synthesize("Does Otto live in Porto?").synthesis["answer"] == "Yes"
    assert scout.synthesize("Does Otto live in Porto?").synthesis["answer"] == "No"
    assert scout.synthesize("Where does Otto live?").synthesis["answer"] == "Ghent"
