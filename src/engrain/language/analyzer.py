"""Tokens, stems and stop words: what counts as a word, and the term it is indexed under."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain, pairwise
from threading import Lock
from typing import Generic, TypeVar
from unicodedata import normalize

import Stemmer

from engrain.text import pattern

_STOP = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves u ur
he him his himself she her hers herself it its itself they them their theirs themselves one ones
who whom whose which what when where why how whatever whichever whoever whenever wherever however
am is are was were be been being do does did doing done has have had having
will would shall should can could might must ought cannot gonna wanna gotta
and or but nor so if then than because as until till while although though unless whether
of at by for with about against between into through during before after above below to from up down in out on off over
under again further upon onto within without across along among around toward towards via per
here there once all any both each few more most much many lot lots some such no not only same too very just also
ever never even still yet else quite rather really actually yes yeah yep nope please ok okay
anyone anybody anything someone somebody something everyone everybody everything nobody nothing
s t d m ll re ve dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant couldnt wont wouldnt shouldnt
im ive id youre youve theyre thats whats wheres whos hes shes eg ie etc vs
"""

_CONTRACTIONS = """
ain't aren't can't couldn't daren't didn't doesn't don't hadn't hasn't haven't isn't mayn't mightn't mustn't needn't
oughtn't shan't shouldn't wasn't weren't won't wouldn't let's y'all ma'am
"""

# Forms that suffix rules cannot reach. A form that is more often another word ("rose", "bit", "ground", "lay", "lives")
# is left out: a wrong merge hides more than a missed one.
_IRREGULAR = """
arise arose arisen; awake awoke awoken; beat beaten; become became; begin began begun; bend bent; bite bitten; bleed
bled; blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; buy bought; catch
caught; choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug; draw drew drawn; dream dreamt;
drink drank drunk; drive drove driven; dwell dwelt; eat ate eaten; fall fell fallen; feed fed; feel felt; fight
fought; find found; flee fled; fly flew flown; forbid forbade forbidden; foresee foresaw foreseen; forget forgot
forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew
grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lead led; lean
leant; leap leapt; learn learnt; leave left; lend lent; light lit; lose lost; make made; mean meant; meet met; mislead
misled; mistake mistook mistaken; misunderstand misunderstood; mow mown; outgrow outgrew outgrown; overcome overcame;
overhear overheard; oversee oversaw overseen; oversleep overslept; overtake overtook overtaken; pay paid; prove
proven; rebuild rebuilt; redo redid redone; rerun reran; resell resold; retell retold; rewrite rewrote rewritten; ride
rode ridden; ring rang rung; rise risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew sewn;
shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit
sat; slay slew slain; sleep slept; slide slid; smell smelt; sneak snuck; speak spoke spoken; speed sped; spell spelt;
spend spent; spill spilt; spin spun; spit spat; spoil spoilt; spring sprang sprung; stand stood; steal stole stolen;
stick stuck; sting stung; stink stank stunk; strike struck stricken; strive strove striven; swear swore sworn; sweep
swept; swell swollen; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think
thought; throw threw thrown; tread trod trodden; undergo underwent undergone; understand understood; undertake
undertook undertaken; undo undid undone; wake woke woken; wear wore worn; weave wove woven; weep wept; win won;
withdraw withdrew withdrawn; withhold withheld; withstand withstood; wring wrung; write wrote written; man men; woman
women; person people persons; child children; grandchild grandchildren; stepchild stepchildren; foot feet; tooth
teeth; goose geese; mouse mice; louse lice; ox oxen; wife wives; housewife housewives; knife knives; half halves;
shelf shelves; wolf wolves; thief thieves; loaf loaves; calf calves; elf elves; scarf scarves; hoof hooves; dwarf
dwarves; cactus cacti; fungus fungi; stimulus stimuli; alumnus alumni alumna; analysis analyses; crisis crises; thesis
theses; hypothesis hypotheses; diagnosis diagnoses; oasis oases; phenomenon phenomena; criterion criteria; bacterium
bacteria; curriculum curricula; index indices; appendix appendices; matrix matrices; businessman businessmen;
policeman policemen; fireman firemen; salesman salesmen; fisherman fishermen; bus buses busses; gas gases; quiz
quizzes; good better best; bad worse worst; far farther farthest further furthest; old older oldest; young younger
youngest; new newer newest; big bigger biggest; large larger largest; small smaller smallest; tall taller tallest;
short shorter shortest; long longer longest; high higher highest; low lower lowest; fast faster fastest; slow slower
slowest; hard harder hardest; easy easier easiest; early earlier earliest; near nearer nearest; close closer closest;
cheap cheaper cheapest; strong stronger strongest; weak weaker weakest; heavy heavier heaviest; warm warmer warmest;
cold colder coldest; hot hotter hottest; nice nicer nicest; great greater greatest; happy happier happiest; healthy
healthier healthiest; busy busier busiest; funny funnier funniest; rich richer richest; poor poorer poorest; deep
deeper deepest; wide wider widest; safe safer safest; simple simpler simplest
"""

# Two spellings or everyday names of one thing, in any text. Nothing that merges two things somebody may tell apart.
_SAME = """
mother mom moms mum mums mommy mummy mama mothers; father dad dads daddy fathers papa; child kid kids kiddo kiddos;
grandmother grandma grandmas granny; grandfather grandpa grandpas granddad grandad; husband hubby; aunt auntie;
television tv tvs telly; photo photos photograph photographs pic pics picture pictures; bicycle bike bikes bicycles;
refrigerator fridge fridges; telephone phone phones cellphone cellphones smartphone smartphones; airplane aeroplane;
advertisement ad ads advert adverts; exam exams examination examinations; laboratory lab labs; university uni;
birthday bday birthdays; christmas xmas; email emails e-mail; movie movies film films; automobile auto; info
information; hour hrs; minute mins; year yrs yr; week wks wk; versus vs; favorite fave fav; 2 two; 3 three; 4 four; 5
five; 6 six; 7 seven; 8 eight; 9 nine; 10 ten; 11 eleven; 12 twelve; february feb; april apr; august aug; september
sep sept; october oct; november nov; december dec; tuesday tues; thursday thurs; friday fri; color colour colours;
favorite favourite favourites; flavor flavour flavours flavoured; neighbor neighbour neighbours; neighborhood
neighbourhood neighbourhoods; behavior behaviour behaviours; honor honour honours honoured; humor humour; labor
labour; rumor rumour rumours; harbor harbour harbours; center centre centres centred; theater theatre theatres; meter
metre metres; kilometer kilometre kilometres km; liter litre litres; fiber fibre fibres; gray grey; program programme
programmes; jewelry jewellery; pajamas pyjamas; catalog catalogue catalogues; dialog dialogue dialogues; license
licence licences; defense defence; practice practise practised practising; donut doughnut doughnuts; mustache
moustache; skeptical sceptical; cozy cosy; aluminum aluminium; modeling modelling; mold mould
"""

_ISE = """
agon apolog author categor critic custom digit emphas equal final general hypnot ideal initial item local maxim memor
minim mobil modern normal optim organ personal popular prior real recogn reorgan social special stabil standard
summar symbol sympath util visual
"""


def _forms(block: str) -> dict[str, str]:
    """Read `base form form; ...` into form -> base."""
    lines = (entry.split() for entry in block.split(";"))
    return {form: base for base, *forms in (line for line in lines if line) for form in forms}


def _american(roots: str) -> dict[str, str]:
    endings = ("ise", "ised", "iser", "ises", "ising", "isation", "isations")
    return {root + ending: f"{root}iz{ending[2:]}" for root in roots.split() for ending in endings}


ACRONYMS = {"US": "usa"}
"""What a word means only in capitals; in small letters it is another word."""

STOP = frozenset(_STOP.split()) | frozenset(_CONTRACTIONS.split())
"""Words too common in English to look for, question words and contractions too. "may", being a month, is not one."""

BASE = _american(_ISE) | _forms(_SAME) | _forms(_IRREGULAR)
"""An irregular form, a second spelling or an everyday name -> the word it is indexed as."""


__all__ = [
    "ANALYSER",
    "STOP",
    "content_pairs",
    "counts",
    "index_counts",
    "is_stop",
    "query_terms",
    "stem",
    "terms",
    "words",
]

ANALYSER = "en-snowball-1"
"""Names what the functions below return; a store written under another name must be reindexed."""

LONGEST = 64
"""Characters of the longest term; what is longer is cut, the same way in texts and questions."""

FEWEST = 3
"""Telling terms below which a text is indexed with its stop words too."""

_REMEMBERED = 32_768  # chunks: a large store's common ones; some 15 MB when everything is full

# Python's \w lacks the marks that many scripts write vowels with, and has the underscore, which splits identifiers.
_DROPPED = (  # accents, Hebrew and Arabic points, soft hyphens, joiners, variation selectors: never part of a term
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u200b-\u200f\u20d0-\u20ff\u2060-\u2064"
    "\ufe00-\ufe0f\ufeff"
)
_VOWELS = (  # signs that belong to the word: Indic, Thai, Lao, Tibetan, Myanmar, Khmer, kana, Thaana
    "\u07a6-\u07b0\u0900-\u0963\u0966-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece\u0f71-\u0f84"
    "\u0f8d-\u0fbc\u102b-\u103e\u1056-\u109d\u17b4-\u17d3\u3099\u309a"
)
_SYLLABIC = (  # one character is often one word: Han and Hangul
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u1100-\u11ff\uac00-\ud7af"
)
_PAIRED = (  # words run into each other: those, kana, Thai, Lao, Myanmar, Khmer
    rf"{_SYLLABIC}\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_EMOJI = "\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001f3fa\U0001f400-\U0001faff"

_PIECE = pattern(
    r"(?<!\w)[A-Za-z](?:\+\+|#)(?!\w)"  # C++, C#
    rf"|\w+(?:[-'’ʼ‐‑._@/:&]\w+|(?<=\d),(?=\d{{3}}(?!\d))\w+|[{_DROPPED}{_VOWELS}]+\w*){{0,31}}"
    rf"|[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}]"
)
_RUN = rf"([{_PAIRED}]+)|[^{_PAIRED}]+"  # these two are slow to compile, and many stores never meet them
_SYLLABLE = f"[{_SYLLABIC}]"
_NOT_INDEXED = pattern(f"[{_DROPPED}]+")
_AROUND = ".,;:!?\"'()[]{}<>*-…“”‘’"
_BREAK = pattern(r"[-‐‑._@/:&]+")
_APOSTROPHE = pattern("['’ʼ]")
_CLITIC = pattern("['’ʼ](?:s|d|m|ll|re|ve)$", re.IGNORECASE)
_INITIALS = pattern(r"[^\W\d_](?:[.&][^\W\d_])+")
_COMPOUND = pattern(r"[^\W\d_]+(?:[-‐‑&][^\W\d_]+)+")
_DIGIT = pattern(r"\d")
_ORDINAL = pattern(r"(\d+)(?:st|nd|rd|th)")
_UNMARKED = str.maketrans(
    dict(zip("øđłħıðþæœ’ʼ⁄", ["o", "d", "l", "h", "i", "d", "th", "ae", "oe", "'", "'", "/"], strict=True))
)

_snowball = Stemmer.Stemmer("english", 0)
_snowball_lock = Lock()  # one stemmer holds one buffer

T = TypeVar("T")


def words(text: str) -> list[str]:
    """Return the words of a text in order, folded: small letters without accents.

    An identifier with digits comes whole and then in its parts; where words run into each other, as in Chinese, every
    pair of neighbouring characters is a word.
    """
    return list(chain.from_iterable(map(_WORDS.__getitem__, text.split())))


def terms(text: str) -> list[str]:
    """Return the index terms of a text in order, with repeats and stop words.

    Beside the pairs of a run stand its single Han and Hangul characters: a question of one character finds them.
    """
    return list(chain.from_iterable(map(_TERMS.__getitem__, text.split())))


def counts(text: str) -> dict[str, int]:
    """Return how often each index term occurs in a text."""
    return Counter(chain.from_iterable(map(_TERMS.__getitem__, text.split())))


def index_counts(text: str) -> dict[str, int]:
    """Return what the index holds of a text: its terms without stop words, or with them when it has little else.

    So a question made of stop words finds the texts that are, and the others do not carry them all.
    """
    telling = Counter(chain.from_iterable(map(_CONTENT.__getitem__, text.split())))
    return telling if len(telling) >= FEWEST else counts(text)


def content_pairs(text: str) -> list[tuple[str, str]]:
    """Return (word as the text has it, its index term) for every word that is no stop word, in order, with repeats."""
    return list(chain.from_iterable(map(_PAIRS.__getitem__, text.split())))


def query_terms(text: str) -> list[str]:
    """Return the distinct index terms a question is asked by: without stop words, unless it has no other words."""
    return list(dict.fromkeys(term for _, term in content_pairs(text)) or dict.fromkeys(map(stem, words(text))))


def is_stop(word: str) -> bool:
    """Say whether a word, contracted or not and in any case, is too common to look for."""
    return all(part in STOP for part in words(word))


def names_and_numbers(text: str) -> frozenset[str]:
    """Return the words of a text, folded, that hold a digit, or a capital where a sentence goes on."""
    tokens = text.split()
    begins = [True, *(token[-1:] in ".!?:;…\n" for token in tokens)]
    named = (
        token
        for token, first in zip(tokens, begins, strict=False)
        if any(character.isdigit() for character in token) or (not first and token.strip("\"“‘'(«„")[:1].isupper())
    )
    return frozenset(word for token in named for word in words(token)) - STOP


def stem(word: str) -> str:
    """Return the index term of one word as it stands in a text: folded, its base form, without its ending."""
    return _stem(_fold(word)[:LONGEST])


@lru_cache(_REMEMBERED)
def _stem(folded: str) -> str:
    bare = folded if folded.isalpha() else _ORDINAL.sub(r"\1", folded)
    base = BASE.get(bare, bare)
    with _snowball_lock:
        return _snowball.stemWord(base) or base


class _Memo(dict[str, tuple[T, ...]], Generic[T]):
    """What was read from each chunk before; starts anew when full, so that it is bounded and needs no lock."""

    def __init__(self, read: Callable[[str], Iterator[T]]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, chunk: str) -> tuple[T, ...]:
        found = tuple(self._read(chunk))
        if len(chunk) <= LONGEST:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[chunk] = found
        return found


def _read_words(chunk: str) -> Iterator[str]:
    return (word for surface in _surfaces(chunk) if (word := _fold(surface)[:LONGEST]))


def _read_terms(chunk: str) -> Iterator[str]:
    for surface in _surfaces(chunk):
        if term := stem(surface):
            yield term
    yield from _single(chunk)


def _read_pairs(chunk: str) -> Iterator[tuple[str, str]]:
    for surface in _surfaces(chunk):
        if _fold(surface) not in STOP and (term := stem(surface)):
            yield surface, term


def _read_content(chunk: str) -> Iterator[str]:
    yield from (term for _, term in _read_pairs(chunk))
    yield from _single(chunk)


def _single(chunk: str) -> Iterator[str]:
    """Yield the characters that are words of their own inside a run."""
    if not chunk.isascii():
        for run in re.finditer(_RUN, chunk):
            if run[1] and len(folded := _fold(run[1])) > 1:
                yield from re.findall(_SYLLABLE, folded)


_CONTENT = _Memo(_read_content)
_WORDS = _Memo(_read_words)
_TERMS = _Memo(_read_terms)
_PAIRS = _Memo(_read_pairs)


def _surfaces(chunk: str) -> Iterator[str]:
    """Yield the words of a chunk in the letters of the text."""
    if not chunk.isascii():
        chunk = normalize("NFC", chunk)
    bare = chunk.strip(_AROUND)
    if bare.isascii() and bare.isalpha():  # nearly always
        yield bare
        return
    for piece in _PIECE.findall(chunk):
        if piece.isascii():
            yield from _parts(piece)
        else:
            for run in re.finditer(_RUN, piece):
                yield from _pairs(_fold(run[0])) if run[1] else _parts(run[0])


def _parts(piece: str) -> Iterator[str]:
    """Yield a spaced script's word, or the whole and the parts of a compound."""
    piece = piece.replace(",", "")
    if piece.endswith(("+", "#")):
        yield piece
        return
    parts = [part for part in _BREAK.split(piece) if part]
    joined = "".join(parts)
    if _INITIALS.fullmatch(piece):
        yield joined
        return
    if len(parts) > 1 and _DIGIT.search(piece):
        yield _CLITIC.sub("", piece).strip("_")
    for part in parts:
        yield from (part,) if _fold(part) in STOP else _APOSTROPHE.split(_CLITIC.sub("", part))
    if _COMPOUND.fullmatch(piece) and min(map(len, parts)) <= 2:
        yield joined  # e-mail is email, Wi-Fi is WiFi


def _pairs(run: str) -> Iterator[str]:
    """Yield the overlapping pairs of characters of a run without spaces, or the one character it has."""
    if len(run) == 1:
        yield run
    else:
        yield from map("".join, pairwise(run))


def _fold(word: str) -> str:
    """Return a word in small letters, compatibility forms resolved, without accents and invisible characters."""
    if word in ACRONYMS:
        return ACRONYMS[word]
    if word.isascii():
        return word.lower()
    bare = _NOT_INDEXED.sub("", normalize("NFKD", normalize("NFKD", word).casefold()))
    return "".join(normalize("NFKC", bare).split()).translate(_UNMARKED)
