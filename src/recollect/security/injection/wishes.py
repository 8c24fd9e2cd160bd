"""What makes of a wish for the manner of answers one for what they say or do."""

from __future__ import annotations

from recollect.patterns import pattern

_PAYLOAD = pattern(
    r"https?://|www\."
    r"|\b(?:recommend\w*|promot\w+|advertis\w+|endors\w+|prais\w+|approv\w+|trust\w*|obey\w*|click\w*|download\w*"
    r"|buy|invest\w*|transfer\w*|pay|delet\w+|execut\w+|hack\w*|pwned|hate\w*|stupid|idiots?|kill\w*|bombs?|weapons?"
    r"|illegal\w*|harm\w*|danger\w*|lie|lies|insult\w*|racist|fuck\w*|shit|uncensored|unfiltered|unrestricted|refus\w+"
    r"|warn\w*|disclaimers?|restrictions?|limitations?|ethic\w*|moral\w*|base ?64|rot13|morse|cipher|encod\w+"
    r"|encrypt\w*|passwords?|credentials?|secrets?|tokens?|keys?|polic(?:y|ies)|hidden"
    r"|(?:your|the|these|safety|system) (?:\w+ )?(?:prompts?|instructions?|guidelines?|rules)"
    r"|jailbreak\w*|dan|access|granted|brand|company|vendor|competitors?|best|never mention|no matter"
    r"|without question)\b"
    r"|\b(?:with|only|exactly|just|words?|phrases?|sentences?|sentence|answer|reply|respond|output|print)(?: the)?:? "
    r"[\"“‘«'`]\w"
    r"|\b(?:the|this|a single|one) (?:exact )?(?:word|phrase|sentence|text|string|letter)\b",
    2,
)


def has_payload(text: str) -> bool:
    """Say whether a text of nothing but wishes holds more than how somebody wants to be answered."""
    return _PAYLOAD.search(text) is not None
