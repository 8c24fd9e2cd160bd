"""A change is read of its own subject: another one's, another time's or another kind of move closes nothing."""

from __future__ import annotations

import pytest

from engrain import MemoryManager

KEPT = """
I share the flat with a grey tomcat called Otis. | Otis quit today.
I share the flat with Otis. | Otis hat heute gekündigt.
I work at Acme. | I transferred 300 euros to Dora.
I work at Acme. | I hired Dora to paint the fence.
Nils works at Acme. | Nils joined Pavel for dinner.
Nils works at Acme. | Nils joined Zelda in Paris.
Acme hired Dora. | Acme hired Emil.
The court transferred judge Holm to Bergen. | The court transferred judge Lund to Bergen.
The owner of Jenkins is Vera Holm. | The team replaced Jenkins with Tekton.
Nils lives in Rome. | Nils moved from Marketing to Finance.
Nils lives in Rome. | Nils moved from Acme to Globex.
Nils lives in Rome. | Nils moved to Globex as CTO.
Nils lives in Rome. | Nils moved to Row 7.
I live in Rome. | I moved to Gmail.
I live in Rome. | I have moved to Linux.
Vera takes the drops in the morning. | Vera stopped taking the drops in the evening.
Vera nimmt morgens Tropfen. | Vera nimmt abends keine Tropfen mehr.
Vera toma las gotas por la mañana. | Vera dejó de tomar las gotas por la noche.
Vera prend les gouttes le matin. | Vera ne prend plus les gouttes le soir.
Ops moved web-3 to Oslo. | Ops moved web-4 to Oslo.
Nils moved 400 euros to savings. | Nils moved 700 euros to savings.
The landlord moved Vera to the top floor. | The landlord moved Emil to the top floor.
The pool opens at 8 in summer. | The pool now opens at 11 in winter.
The bus to Selby leaves at 8:10. | The bus back from Selby now goes at 17:40.
Trabajo en Acme. | Contraté a Dora para pintar la valla.
Je travaille chez Acme. | J'ai embauché Dora pour peindre la clôture.
I live in Bern. | My neighbour Nils wrote: 'I moved to Turin'
I live in Bern. | > I moved to Turin
I live in Bern. | Nils: I moved to Turin
I live in Bern. | Translate: 'I moved to Turin'
Ich wohne in Bern. | Nils schrieb: Ich bin nach Turin gezogen.
Ich wohne in Bern. | Übersetze: Ich bin nach Turin gezogen.
Vivo en Berna. | Traduce esto: Me mudé a Turín.
J'habite à Berne. | Traduis : J'ai déménagé à Turin.
Vera lives in Bern. | Vera's old teacher, Nils, moved to Turin.
Vera lives in Bern. | Vera the dog moved to Turin.
Vera lives in Bern. | Vera moved to Turin, according to Nils.
Vera wohnt in Bern. | Vera ihr Bruder wohnt in Turin.
Nils wohnt in Bern. | Nils' alter Lehrer, Otto, ist nach Turin gezogen.
I live in Bern. | I moved to Turin in 2012.
I live in Bern. | I live in Switzerland.
Ich wohne in Bern. | Ich bin 2012 nach Turin gezogen.
Ich wohne in Bern. | Im Winter wohne ich in Turin.
Vivo en Berna. | Me mudé a Turín cuando tenía siete años.
Vivo en Berna. | Vivo en Suiza.
J'habite à Berne. | J'ai déménagé à Turin en 2012.
J'habite à Berne. | J'habite en Suisse.
I like figs and plums. | I no longer like figs.
J'aime le café. | Je n'aime plus le thé.
Nils está casado con Vera. | Nils estuvo casado con Dora.
"""
CLOSED = """
I work at Acme. | I transferred to Globex.
Nils works at Acme. | Nils joined Globex in May.
Nils works at Acme. | Nils was hired by Globex.
Nils lives in Rome. | Nils moved to a flat in Bremen.
Vera lives in Graz. | Vera moved to Utrecht with Tom.
The archive is in Oslo. | Ops moved the archive to Bergen.
Vera takes the drops in the morning. | Vera stopped taking the drops in the morning.
The key is in the drawer. | I moved the key to the safe.
The rent is 900 euros. | They raised the rent to 950 euros.
"""


def pairs(text: str) -> list[tuple[str, ...]]:
    return [tuple(line.split(" | ")) for line in text.strip().splitlines()]


def is_kept(old: str, new: str) -> bool:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        known = memory.remember(old)
        memory.remember(new)
        found = memory.get(known.id)
        return found is not None and found.is_live


@pytest.mark.matrix
@pytest.mark.parametrize(("old", "new"), pairs(KEPT))
def test_a_statement_of_another_subject_time_or_kind_closes_nothing(old: str, new: str) -> None:
    assert is_kept(old, new)


@pytest.mark.parametrize(("old", "new"), pairs(CLOSED))
def test_the_same_verbs_close_what_they_are_about(old: str, new: str) -> None:
    assert not is_kept(old, new)
