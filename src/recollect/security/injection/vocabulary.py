"""What the reasons are called, and the words that the English signs are made of."""

from __future__ import annotations

PROMPT, OUTPUT, PERSONA, LIMITS = "asks for the prompt", "dictates the answer", "assigns a role", "lifts restrictions"
EXFILTRATION, LASTING, SECRECY, AGENT = "sends data out", "lasting orders", "keeps it secret", "speaks to an assistant"
AUTHORITY, TASK, THREAT, BREAK = "claims authority", "sets a new task", "threatens", "closes the input"
CODE, SECRETS = "plants code", "asks for secrets"

ABOUT = (  # one matter among others, and not what a model was told
    r"(?:about|for|to|on|regarding|concerning) "
    r"(?!(?:\w+ )?(?:you|your|yourself|everything|all|any|rules?|instructions?|safety|prompts?)\b)"
)
DET = r"(?:(?:all|any|every|everything|each|and|of|the|your|my|our|these|those|this|that|about|what|other|such|both) )"
WHICH = (
    r"(?:(?:previous|previously|prior|above|earlier|preceding|foregoing|existing|system|"
    r"original|initial|past|old|former"
    r"|current|following|below|given|provided|programmed|safety|ethical|content|default|standard|internal|built-in"
    r"|openai'?s?|outdated|so-called)(?:,|,? and|,? or|/)? )"
)
ORDERS = (
    r"(?:instructions?|instructons|prompts?|rules?|directions?|directives?|guidelines?|commands?|orders?|constraints?"
    r"|restrictions?|programming|tasks?|assignments?|policies|protocols?|training|context|messages|input|inputs"
    r"|conversations?|documents?|articles?|text|limitations?|filters?|content)"
)
NOT_ABOUT = (
    r"\b(?!['\"’”]?[ -](?:attack|injection|style|trick|jailbreak|payload|exploit|technique|phrase|is|are|was|were)s?\b)"
)
CORE = r"(?:instructions?|prompts?|directives?|guidelines?|programming|commands)"
SECRET = (
    r"(?:(?:\w+ )?(?:pass ?words?|pass ?phrases?|pass ?codes?|access codes?|access keys?|magic ?words?|code ?words?"
    r"|api keys?|credentials|pre-?prompts?|secret (?:\w+ )?(?:keys?|words?|codes?|phrases?|instructions?)|secrets)"
    r"|security codes?)\b"
)
GAP = r"(?:[\w'’*,-]+ ){0,6}?"
WIDE = r"(?:[\w'’*,-]+ ){0,12}?"
TELL = (
    "repeat print show reveal output display write tell give list translate convert summarize summarise explain format "
    "describe share return recite spell encode leak say provide state copy paste dump rewrite rephrase paraphrase "
    "restate expose disclose send rap put transcribe repeating outputting printing listing revealing include "
    "dictate read recall quote echo decode"
)
SPEAK = "say says output print reply respond answer write return type display repeat state tell"
REPLY = (
    r"(?:response|responses|reply|replies|answer|answers|output|outputs|message|messages|sentence|sentences|summary"
    r"|translation)"
)
QUOTE = r"[\"“'‘«`\[]"

IGNORE = "ignore disregard forget override bypass abandon neglect discard dismiss erase ignoring disregarding follow"
