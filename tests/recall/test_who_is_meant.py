"""The subject of a question: the asker, the agent asked, or a person it names."""

from datetime import UTC, datetime

import pytest

from engrain.read.retrieval import understand

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "by_user", "by_assistant"),
    [
        ("What did I say about the boat?", True, False),
        ("Where is my passport?", True, False),
        ("What did you recommend for dinner?", False, True),
        ("What did you tell me about the ferry?", False, True),
        ("Can you suggest a restaurant for my birthday?", True, False),
        ("Could you please remind me where my keys are?", True, False),
        ("Do you remember the name of my dentist?", True, False),
        ("Can you repeat what you said about the visa?", False, True),
        ("Where does Ana live?", False, False),
    ],
)
def test_a_request_is_not_a_question_about_the_assistant(text: str, by_user: bool, by_assistant: bool) -> None:
    question = understand(text, NOW, [])
    assert (question.by_user, question.by_assistant) == (by_user, by_assistant)
