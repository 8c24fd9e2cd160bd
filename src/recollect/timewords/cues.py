"""Whether words speak of time at all: a text that tells one, a question that asks for one or for the latest."""

from __future__ import annotations

from recollect.timewords.patterns import WEEKDAY, by_first, compiled

_UNIT = "(?:(?:day|night|week|weekend|month|year|decade|morning|afternoon|evening|summer|winter|spring)s?|autumn|fall)"
_COUNTED = "(?:days|nights|weeks?|weekends|months?|years?|decades?)"
_AMOUNT = "few several couple one two three four five six seven eight nine ten eleven twelve".split()
_NEAR = "last next this past previous coming other".split()
_MONTHS = "january february april june july august september october november december".split()
_SHORT = "jan feb mar apr may jun jul aug sep sept oct nov dec march".split()
_TELLING = (  # in small letters
    *"yesterday today tonight tomorrow ago recently lately nowadays weekends? midnight noon o'clock".split(),
    *_MONTHS,
    *(f"{day}days?" for day in "mon tues wednes thurs fri satur sun".split()),
    *(rf"{day}(?=\)|,?\s+\d)" for day in "mon tue wed thu fri sat sun".split()),
    *(rf"{which}\s+(?:(?:\d+|{'|'.join(_AMOUNT)})\s+)?(?:{_UNIT}|{WEEKDAY})" for which in _NEAR),
    *(rf"{number}\s+(?:of\s+)?{_COUNTED}" for number in _AMOUNT),
    r"a\s+(?:week|month|year|decade)",
    *(
        rf"{lead}[\s-]+(?:may|march)(?!\s+(?:be|have|not))"
        for lead in "in last next since until by of during mid".split()
    ),
    *(rf"{month}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?" for month in _SHORT),
    r"the\s+\d{1,2}(?:st|nd|rd|th)",
    rf"\d+\s+{_COUNTED}",
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{'|'.join((*_SHORT, *_MONTHS))})",
    r"\d{1,2}(?::\d\d)?\s?[ap]\.?m",
    r"\d{1,2}:\d\d",
    r"\d{1,2}/\d{1,2}/\d{2,4}",
    r"(?:19|20)\d\d(?:['’]?s)?(?![.,]\d|\s*%)",
)


_TIME_WORDS = rf"\b(?:{by_first(_TELLING)})\b"
_ASKS_WHEN = (
    r"(?i)^\W*(?:(?:and|so|but|then|ok|hey|hi|sorry|please)\W+)*(?:since\s+|until\s+|by\s+|from\s+|exactly\s+)?when\b"
    r"(?!\s+(?:i|you|we|they|he|she|it|my|the)\b[^?]*,\s*(?:what|who|whom|whose|where|which|how|why|did|do|does|is|are|was)\b)"
    r"|\bwhen(?:'s|’s|\s+exactly)?\s+(?:did|do|does|was|were|is|are|am|will|would|can|could|should|shall|has|have|had)\b"
    r"|\b(?:tell|remind|ask|know|knew|remember|recall|say|said|mention(?:ed)?|wonder(?:ing)?|sure|confirm|find\s+out)\b"
    r"(?:\s+\w+){0,3}?\s+when\b"
    r"|\b(?:since|until|till)\s+when\b|\bhow\s+(?:long|soon|recently)\b"
    r"|\bhow\s+many\s+(?:\w+\s+)?(?:seconds|minutes|hours|days|nights|weeks|weekends|months|years|decades)\b"
    r"|\b(?:what|which)\s+(?:\w+\s+)?(?:date|day|weekday|week|weekend|month|season|quarter|year|decade|century|time|hour)\b"
    r"|\bwhat(?:'s|’s|\s+(?:is|was))\s+the\s+(?:exact\s+)?(?:date|day|month|year|time)\b"
)
_ASKS_LATEST = (
    r"(?i)\b(?:most\s+recent(?:ly)?|latest|newest|current(?:ly)?|presently|nowadays|previously|formerly|these\s+days"
    r"|(?:last|previous)\s+time|(?:at|for)\s+(?:the\s+moment|present)|(?:before|prior\s+to)\s+(?:that|this)(?=\W*$|\W*,)"
    r"|(?<!from )(?<!until )(?<!till )now(?!\s+that\b|\s+on\b)"
    r"|(?:did|do|does|have|has|had|was|were)\s+(?:\w+\s+){1,3}last\s+(?!(?:\w+\s+)?(?:days?|nights?|weeks?|weekend|months?|years?"
    rf"|season|spring|summer|fall|autumn|winter|morning|evening|afternoon|{WEEKDAY})\b)(?=[a-z])"
    r"|the\s+(?:very\s+)?last\s+(?!(?:\w+\s+)?(?:days?|nights?|weeks?|weekends?|months?|years?|decades?|season|hours?|minutes?"
    r"|few|couple|part|name|minute|half|quarter)\b)(?=[a-z]))\b"
)


def has_time_words(text: str) -> bool:
    """Say whether a text tells a time: a date, a weekday, a month, a year, a clock time, "yesterday", "two weeks"."""
    return compiled(_TIME_WORDS).search(text.lower()) is not None


def asks_when(query: str) -> bool:
    """Say whether a question asks for a time or a duration: when, since when, how long, which year, what time."""
    return compiled(_ASKS_WHEN).search(query) is not None


def asks_latest(query: str) -> bool:
    """Say whether a question is about the latest state or event, or the one before: "currently", "last time"."""
    return compiled(_ASKS_LATEST).search(query) is not None
