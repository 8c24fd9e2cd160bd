"""Answers do not cut titles, host names, addresses, file names, versions, ordinals and abbreviations."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("My dentist is Dr. Sousa", "Who is my dentist?", "Dr. Sousa"),
        ("My dentist is called Dr. Ines Sousa.", "What is my dentist's name?", "Dr. Ines Sousa"),
        ("Our landlord is Mr. J. R. Dorn.", "Who is our landlord?", "Mr. J. R. Dorn"),
        ("My professor is Prof. Dr. Weber.", "Who is my professor?", "Prof. Dr. Weber"),
        ("The repository lives at git.nordwind.example.", "Where does the repository live?", "git.nordwind.example"),
        ("Ana's e-mail address is ana@nordwind.example.", "What is Ana's e-mail address?", "ana@nordwind.example"),
        ("The server runs version v2.3.1 of Kestrel.", "Which version does the server run?", "v2.3.1"),
        ("The report is in report.final.pdf.", "Where is the report?", "report.final.pdf"),
        ("Ana moved to St. Gallen in 2020.", "Where did Ana move to?", "St. Gallen"),
        ("Ana moved to Washington D.C. in 2020.", "Where did Ana move?", "Washington D.C."),
        ("Meine Zahnärztin ist Dr. Sousa.", "Wer ist meine Zahnärztin?", "Dr. Sousa"),
        ("Das Repository liegt auf git.nordwind.example.", "Wo liegt das Repository?", "git.nordwind.example"),
        ("Omar wohnt im 3. Stock.", "Wo wohnt Omar?", "3. Stock"),
        ("Mi dentista es la Dra. Sousa.", "¿Quién es mi dentista?", "Dra. Sousa"),
        ("El repositorio está en git.nordwind.example.", "¿Dónde está el repositorio?", "git.nordwind.example"),
        ("Omar vive en la Avda. Central núm. 5.", "¿Dónde vive Omar?", "Avda. Central núm. 5"),
        ("Mon dentiste est le Dr Sousa.", "Qui est mon dentiste ?", "Dr Sousa"),
        ("Mon dentiste est Mme. Sousa.", "Qui est mon dentiste ?", "Mme. Sousa"),
        ("Le dépôt est sur git.nordwind.example.", "Où est le dépôt ?", "git.nordwind.example"),
    ],
)
def test_an_answer_has_the_whole_name(text: str, question: str, answer: str) -> None:
    with MemoryManager(":memory:", settings=Settings(worker="none", abstain_below=0.0)) as memory:
        memory.remember(text)
        found = memory.synthesize(question)
        assert answer in found["synthesis"]["answer"]
        assert memory.validate_synthesis(found) == (True, [])
