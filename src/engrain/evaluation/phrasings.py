"""How people tell that something about somebody is so, changed, ended or was said wrongly: sentences with gaps.

`{s}` is the subject, `{o}` the value that holds now, `{was}` the one before. They are written down as people say them,
whatever the library reads in them, so that the share it finds is worth something.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

OPENERS = (
    "Actually, {plain}",
    "Correction: {plain}",
    "Sorry, I was wrong: {plain}",
    "Scratch that, {plain}",
    "No wait, {plain}",
    "I meant that {plain}",
    "My mistake, {plain}",
)
"""What people say before they put something right; `{plain}` is a plain statement."""


@dataclass(frozen=True, slots=True)
class Phrasings:
    """The ways to speak of one predicate: it holds, it changed, it ended, and what sounds alike and says nothing of it.

    `mine` and `my_change` are the same in the first person.
    """

    states: tuple[str, ...]
    changes: tuple[str, ...]
    alike: tuple[str, ...]
    ends: tuple[str, ...] = ()
    mine: tuple[str, ...] = ()
    my_change: tuple[str, ...] = ()


PHRASINGS: Mapping[str, Phrasings] = {
    "lives_in": Phrasings(
        states=(
            "{s} lives in {o}.",
            "{s} is living in {o} these days.",
            "{s} resides in {o}.",
            "{s}'s home is in {o}.",
        ),
        changes=(
            "{s} moved to {o}.",
            "{s} has moved to {o} for good.",
            "{s} just relocated to {o}.",
            "{s} moved from {was} to {o}.",
            "{s} now lives in {o}.",
            "{s} lives in {o} now.",
            "{s} left {was} and settled in {o}.",
            "{s} no longer lives in {was} but in {o}.",
            "{s} made the move from {was} to {o}.",
        ),
        ends=("{s} no longer lives in {was}.", "{s} doesn't live in {was} anymore.", "{s} has moved away from {was}."),
        alike=(
            "{s} visited {o}.",
            "{s}'s cousin lives in {o}.",
            "{s} lived in {o} as a child.",
            "{s} would love to live in {o}.",
            "{s} might move to {o}.",
            "{s} moved the meeting to {o}.",
            "{s}'s parents have moved to {o}.",
        ),
        mine=("I live in {o}.", "I'm living in {o} these days.", "My home is in {o}."),
        my_change=("I moved to {o}.", "I've just moved to {o}!", "I live in {o} now.", "We moved from {was} to {o}."),
    ),
    "works_at": Phrasings(
        states=("{s} works at {o}.", "{s} works for {o}.", "{s} is employed by {o}.", "{s} has a job at {o}."),
        changes=(
            "{s} now works at {o}.",
            "{s} joined {o}.",
            "{s} left {was} and joined {o}.",
            "{s} left {was} for {o}.",
            "{s} started a new job at {o}.",
            "{s} has been hired by {o}.",
            "{s} quit {was} to work for {o}.",
            "{s} works for {o} now.",
            "{s} switched from {was} to {o}.",
        ),
        ends=("{s} no longer works at {was}.", "{s} quit {was}.", "{s} stopped working for {was}."),
        alike=(
            "{s} interviewed at {o}.",
            "{s}'s cousin works at {o}.",
            "{s} would like to work at {o}.",
            "{s} bought shares of {o}.",
            "{s} worked at {o} as a student.",
            "{s} works with people from {o}.",
            "{s} joined a call with {o}.",
        ),
        mine=("I work at {o}.", "I work for {o}.", "I'm with {o}."),
        my_change=("I now work at {o}.", "I left {was} for {o}.", "I started a new job at {o}!", "I've joined {o}."),
    ),
    "job_title": Phrasings(
        states=("{s} works as a {o}.", "{s}'s job title is {o}.", "{s} is a {o} by profession."),
        changes=(
            "{s} was promoted to {o}.",
            "{s} now works as a {o}.",
            "{s} became a {o}.",
            "{s} retrained as a {o}.",
            "{s}'s new job title is {o}.",
            "{s} has been made {o}.",
        ),
        alike=(
            "{s} wanted to be a {o}.",
            "{s}'s neighbour works as a {o}.",
            "{s} hired a {o}.",
            "{s} was mistaken for a {o}.",
        ),
        mine=("I work as a {o}.", "My job title is {o}."),
        my_change=("I was promoted to {o}.", "I now work as a {o}.", "I became a {o}."),
    ),
    "age": Phrasings(
        states=("{s} is {o} years old.", "{s} is {o}.", "{s} is aged {o}."),
        changes=("{s} turned {o}.", "{s} just turned {o}.", "{s} is now {o}.", "{s} had a birthday and is {o} now."),
        alike=("{s}'s nephew is {o} years old.", "{s} has {o} cousins.", "{s} looks {o}."),
        mine=("I'm {o} years old.", "I am {o}."),
        my_change=("I turned {o} today.", "I just turned {o}!", "I'm {o} now."),
    ),
    "email": Phrasings(
        states=("{s}'s email is {o}.", "{s}'s email address is {o}.", "The email address of {s} is {o}."),
        changes=(
            "{s}'s new email is {o}.",
            "{s} changed the email address to {o}.",
            "{s}'s email has changed to {o}.",
            "{s} now uses {o} for email.",
            "Write to {s} at {o} from now on.",
        ),
        alike=("{s} got an email from {o}.", "{s} forwarded the offer to {o}.", "{s} blocked {o}."),
        mine=("My email is {o}.",),
        my_change=("My new email is {o}.", "My email address is {o} now.", "I changed my email to {o}."),
    ),
    "phone": Phrasings(
        states=("{s}'s phone number is {o}.", "{s}'s phone is {o}.", "The phone number of {s} is {o}."),
        changes=("{s}'s new phone number is {o}.", "{s} has a new number: {o}.", "{s}'s phone number is now {o}."),
        alike=("{s} called {o} twice.", "{s} got a missed call from {o}."),
        mine=("My phone number is {o}.",),
        my_change=("My new phone number is {o}.", "I changed my phone number to {o}."),
    ),
    "name": Phrasings(
        states=("{s}'s full name is {o}.",),
        changes=("{s} changed her name to {o}.", "{s}'s name is now {o}.", "{s} goes by {o} now."),
        alike=("{s} met {o}.", "{s} named the boat {o}."),
        mine=("My name is {o}.",),
        my_change=("My name is {o} now.", "I changed my name to {o}.", "Please call me {o} from now on."),
    ),
    "status": Phrasings(
        states=("The status of {s} is {o}.", "{s}'s status is {o}.", "{s} is {o}."),
        changes=(
            "The status of {s} changed to {o}.",
            "{s} is now {o}.",
            "{s} went from {was} to {o}.",
            "The status of {s} is now {o}.",
            "{s} has been set to {o}.",
        ),
        alike=("{s} was {o} for a week in 2015.", "Part of {s} is {o}.", "{s} may soon be {o}."),
    ),
    "version": Phrasings(
        states=("{s} is at version {o}.", "{s} is on version {o}.", "The current version of {s} is {o}."),
        changes=(
            "{s} was upgraded to version {o}.",
            "{s} has been updated to {o}.",
            "{s} {o} is out and replaces {was}.",
            "{s} was bumped from {was} to {o}.",
            "We upgraded {s} to version {o}.",
            "{s} now runs version {o}.",
        ),
        alike=(
            "{s} was tested against version {o} of the kernel.",
            "A bug in {s} was found by version {o} of the linter.",
            "The manual of {s} is for version {o}.",
        ),
    ),
    "owner": Phrasings(
        states=("The owner of {s} is {o}.", "{s} is owned by {o}.", "{o} owns {s}."),
        changes=(
            "The new owner of {s} is {o}.",
            "{o} took over {s} from {was}.",
            "{s} was handed over to {o}.",
            "{s} is now owned by {o}.",
            "Ownership of {s} passed from {was} to {o}.",
        ),
        ends=("{was} no longer owns {s}.",),
        alike=("{o} reviewed {s}.", "{o} wrote the manual of {s}.", "{o} asked who owns {s}."),
    ),
    "ceo": Phrasings(
        states=("The CEO of {s} is {o}.", "{o} is the CEO of {s}.", "{s}'s CEO is {o}."),
        changes=(
            "{o} became CEO of {s}.",
            "{o} was appointed CEO of {s}.",
            "{o} replaced {was} as CEO of {s}.",
            "The new CEO of {s} is {o}.",
            "{s} named {o} its new CEO.",
        ),
        alike=("{o} met the CEO of {s}.", "{o} was CEO of {s} in the nineties.", "{o} wants to be CEO of {s}."),
    ),
    "timezone": Phrasings(
        states=("{s}'s time zone is {o}.", "{s} is in the {o} time zone."),
        changes=("{s}'s time zone is now {o}.", "{s} switched to {o}.", "{s}'s time zone changed from {was} to {o}."),
        alike=("{s} joined a call at nine {o}.", "{s}'s cousin is in the {o} time zone."),
        mine=("My time zone is {o}.",),
        my_change=("My time zone is {o} now.",),
    ),
}
