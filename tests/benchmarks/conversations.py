"""Small conversations in the shapes of the data sets, with questions whose evidence is marked."""

from __future__ import annotations

import json

SESSIONS = {
    1: (
        "1:56 pm on 8 May, 2023",
        [
            ("Ana", "I adopted a greyhound called Pixel last week."),
            ("Bo", "Lovely! I have just started learning the cello."),
            ("Ana", "Pixel sleeps on the sofa all day."),
        ],
    ),
    2: (
        "10:00 am on 2 June, 2023",
        [
            ("Bo", "My cello teacher moved to Lisbon."),
            ("Ana", "I am training for a marathon in October."),
            ("Bo", "Which shoes do you wear for running?"),
        ],
    ),
}

QUESTIONS = [
    {"question": "What is Ana's greyhound called?", "category": 4, "evidence": ["D1:1"]},
    {
        "question": "Where did Bo's cello teacher move?",
        "category": 2,
        "evidence": ["D9:9"],
        "corrected_evidence": ["D2:01"],
    },
    {"question": "What does Bo play and who teaches it?", "category": 1, "evidence": ["D1:2; D:2:1", "D7:7"]},
    {"question": "What is Bo's marathon in October called?", "category": 5, "evidence": ["D2:2"], "answer": None},
]


def locomo(name: str = "conv-1") -> dict[str, object]:
    """Return a LoCoMo conversation of two sessions, six turns and four questions."""
    sessions = [
        {
            "session_id": f"session_{number}",
            "date_time": time,
            "turns": [
                {"dia_id": f"D{number}:{turn}", "speaker": speaker, "text": text}
                for turn, (speaker, text) in enumerate(said, start=1)
            ],
        }
        for number, (time, said) in SESSIONS.items()
    ]
    return {"sample_id": name, "speaker_a": "Ana", "speaker_b": "Bo", "sessions": sessions, "qa": QUESTIONS}


def longmemeval(name: str = "q1", **changes: object) -> dict[str, object]:
    """Return a LongMemEval question in its own layout, with a haystack of two sessions."""
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": "What is my greyhound called?",
        "question_date": "2023/06/02 (Fri) 09:00",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/08 (Mon) 13:56", "2023/06/02 (Fri) 10:00"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I adopted a greyhound called Pixel.", "has_answer": True},
                {"role": "assistant", "content": "Congratulations!"},
            ],
            [
                {"role": "user", "content": "Recommend a cello teacher."},
                {"role": "assistant", "content": "Ask around."},
            ],
        ],
        **changes,
    }


def lines(*records: dict[str, object]) -> str:
    """Return the records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)
