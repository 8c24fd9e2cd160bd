"""Erasing from the command line: it counts, asks, erases, and shows receipts."""

from __future__ import annotations

from tests.cli.conftest import Run


def test_it_counts_before_it_acts(run: Run) -> None:
    run("remember", "Ana likes plums", "--user", "ana")
    run("remember", "Bo likes figs", "--user", "bo")
    assert "1 memory would go" in run("forget-all", "--user", "ana", "--hard", "--dry-run").out
    done = run("forget-all", "--user", "ana", "--hard", "--yes", "--reason", "asked").out
    assert "erased" in done
    assert "complete, nothing of it was found" in done
    assert "Bo likes figs" in run("list").out
    assert "no memory was there to go" in run("forget-all", "--user", "ana", "--hard", "--yes").out
    assert "complete" in run("receipts").out


def test_a_receipt_counts_one_in_the_singular(run: Run) -> None:
    run("remember", "Ana likes plums", "--key", "plums")
    done = run("forget", "--key", "plums", "--hard", "--yes").out
    assert "1 memory" in done
    assert "1 text, 1 salt" in done
    assert "1 memories" not in done


def test_without_a_terminal_it_needs_yes(run: Run) -> None:
    run("remember", "Ana likes plums", "--user", "ana")
    refused = run("forget-all", "--user", "ana", "--hard")
    assert (refused.code, "add --yes" in refused.err) == (2, True)
    assert "plums" in run("list").out


def test_a_forgotten_memory_is_confirmed_too(run: Run) -> None:
    memory_id = run("remember", "Ana likes plums", "--json").document["id"]
    run("forget", memory_id, "--yes")
    assert "add --yes" in run("forget", memory_id, "--hard").err
    assert "erased" in run("forget", memory_id, "--hard", "--yes").out
    assert "no memory" in run("forget", memory_id, "--hard", "--yes").err


def test_a_whole_organisation_is_erased_by_name(run: Run) -> None:
    run("remember", "the kettle is on", "--org", "acme")
    run("remember", "the kettle is off")
    assert "erased" in run("forget-all", "--org", "acme", "--hard", "--yes").out
    assert "no memories" in run("list", "--org", "acme").out
    assert "kettle is off" in run("list").out


def test_it_needs_a_scope(run: Run) -> None:
    assert "give user, agent, session, org or where" in run("forget-all", "--yes").err


def test_an_unknown_receipt_is_an_error(run: Run) -> None:
    assert "rcp_unknown" in run("receipt", "rcp_unknown").err
    assert "nothing was erased" in run("receipts").out
