"""The English signs of an order to ignore, and of a question for prompts, secrets and private data."""

from __future__ import annotations

from recollect.security.injection.plain import IGNORE_PREVIOUS
from recollect.security.injection.signs import sign
from recollect.security.injection.vocabulary import (
    ABOUT,
    AUTHORITY,
    CORE,
    DET,
    GAP,
    IGNORE,
    NOT_ABOUT,
    ORDERS,
    OUTPUT,
    PROMPT,
    SECRET,
    SECRETS,
    TELL,
    WHICH,
)

_SAID = rf"(?:that )?(?:i|we) (?:\w+ )?(?:said|told|wrote|asked)(?: \w+){{0,2}} {ABOUT}"
IGNORING = (
    sign(
        IGNORE_PREVIOUS,
        0.9,
        IGNORE.removesuffix(" follow"),
        rf",? (?:about |completely |totally )?(?:and \w+ )?(?!my \w+ messages|my \w+ \w+ {ABOUT}|the (?:previous|"
        rf"above|old|past) (?:text|message|input|document|article|order))"
        rf"{DET}{{0,4}}{WHICH}{{1,3}}{ORDERS}{NOT_ABOUT}",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        IGNORE.removesuffix(" follow"),
        rf" (?:about )?(?:(?:all|any|your|every|everything|these|those|the|of|my|this) ){{1,3}}{CORE}\b",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.5,
        IGNORE.removesuffix(" follow"),
        rf" (?:about )?(?:all|any|your|every|all the|all your|all of your|these) (?:\w+ )?{ORDERS}\b",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.8,
        "ignore disregard forget override discard erase disregarding ignoring",
        r" (?:about )?(?:all|everything|anything|whatever|what|the|every ?thing)\b(?:[ ,][\w'’]+){0,5}? "
        r"(?:above|before|prior|previously|so far|earlier|preceding|beforehand|until now|up to "
        rf"now|i (?:have |had )?(?:just )?"
        rf"(?:said|told|wrote|asked)\b(?!(?: \w+){{0,2}} {ABOUT})|you (?:were|have been|had been) told)\b",
        order=True,
        always=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.6,
        "forget ignore disregard erase delete",
        rf" (?:about )?everything\b(?! {_SAID})",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.6,
        "forget ignore disregard",
        rf" (?:(?:everything|all|what|anything|whatever) {_SAID}|my \w+ \w+ {ABOUT})",
        order=True,
        wish=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        "above previous prior earlier other these those all instructions rules guidelines",
        r"(?: (?:\w+ ){0,2}?(?:instructions?|rules|prompts?|text|directives?|guidelines|commands|"
        r"orders))? (?:[\w'’]+ ){0,3}?(?<=[st] )(?:is|are|was|were|have been|has been|should be|"
        r"must be|can be) (?:\w+ly |now )?"
        r"(?:no longer (?:\w+ )?(?:valid|apply|needed|in)|void|revoked|ignored|obsolete|"
        r"overridden|disregarded|invalid|superseded|illegal and|untrustworthy|trustworthy, "
        r"because|ancillary)\b",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        "follow obey heed",
        rf" (?:\w+ ){{0,3}}?{DET}?(?:previous|above|prior|earlier|original) {ORDERS}"
        r" (?:any ?more|any longer)",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.5,
        "not without instead never",
        r" (?:by|from|with|of|using|based on|consulting|reading|looking at) (?:the|these|those|any of the) "
        r"(?:given |above |provided )?(?:articles?|documents?|contexts?)\b",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.6,
        "change replace update reset alter rewrite",
        rf" (?:your|all your|the system) (?:\w+ )?{CORE}\b",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS, 0.6, "instead", r" of (?:outputting|following|answering|responding|translating|summarizing)\b"
    ),
    sign(IGNORE_PREVIOUS, 0.6, "keep", rf" (?:all )?(?:your|the) (?:previous|original|prior) {CORE},? but\b"),
    sign(
        IGNORE_PREVIOUS,
        0.5,
        "nevermind never actually",
        r"(?: mind)?[,.!:]+ (?:that|here|ignore|forget(?! about| it)|instead|please|do|can)\b",
    ),
)
_OWN = r"(?:your|all your|you're)"
EXTRACTING = (
    sign(
        PROMPT,
        0.8,
        TELL,
        rf" {GAP}{_OWN} (?:\w+ ){{0,3}}?(?:prompts?|isntructions?|instructions?|ruleset|guidelines|"
        r"directives|rules|configuration|system message|conditions)\b",
        order=True,
    ),
    sign(
        PROMPT,
        0.8,
        TELL,
        rf" {GAP}(?:previous|prior|above|initial|original|system|hidden|secret|entire|complete|exact|full"
        rf"|preceding|internal|verbatim|earlier|foregoing) (?:\w+ )?(?:prompts?|instructions?|words|text|input|rules"
        r"|sentences|paragraphs?|messages?|directives|conversation|lines?|ruleset|conditions|prompts? texts?)\b",
        order=True,
    ),
    sign(
        PROMPT,
        0.7,
        TELL,
        rf" {GAP}(?:instructions?|prompts?|rules|words|text|everything|conversation|sentences|conditions"
        r"|guidelines)[,]? (?:you (?:were|have been|are|had been|got|received)|(?:so far|above|below|verbatim)\b"
        r"|before this|prior to this|up to (?:this|here|now)|given (?:to you|above|before)|that (?:came|were given))",
        order=True,
    ),
    sign(
        PROMPT,
        0.5,
        TELL,
        r" (?:me |out |back |us )*(?:all of the|all the|the|these|those|this|all) "
        r"(?:instructions?|rules|prompt|directives|python code)\b",
        order=True,
    ),
    sign(
        PROMPT,
        0.6,
        TELL,
        r" (?:me |out )*everything (?:above|before|prior|you know|you were|in (?:your|the) (?:prompt|context))",
        order=True,
    ),
    sign(
        PROMPT,
        0.7,
        "what whats how",
        r"(?:'s|’s)? (?:is|are|was|were|do|did)? ?(?:your|the|you) (?:\w+ ){0,3}?(?:previous|initial|original"
        r"|system|hidden|secret|above|full|exact) (?:instructions?|prompts?|rules|directives)\b",
    ),
    sign(
        PROMPT,
        0.6,
        "what whats",
        r"(?:'s|’s)? (?:is|are|was|were|do) (?:all )?your (?:\w+ )?(?:instructions?|prompts?|directives|guidelines)\b",
    ),
    sign(
        PROMPT,
        0.7,
        "first last initial",
        r" (?:\d+|few|two|ten|fifty|hundred) (?:words|sentences|lines|characters|letters) of "
        r"(?:your|this|the) (?:\w+ )?(?:prompt|instructions|message)",
    ),
    sign(
        PROMPT,
        0.6,
        "prompt instructions rules",
        r" (?:so far|texts?!|above and below|(?:above|below) (?:this|and)|in (?:your|the) prompt)",
    ),
    sign(
        PROMPT,
        0.5,
        "your",
        r" (?:full |secret |initial |original |hidden |entire )*(?:system prompt|pre-?prompt|"
        r"initial prompt|prompt[ -]texts?)\b",
    ),
    sign(
        SECRETS,
        0.7,
        TELL + " what whats how enter guess",
        rf"(?:'s|’s)? {GAP}(?:your|the secret|your secret|the admin|the hidden) {SECRET}",
    ),
    sign(
        SECRETS,
        0.5,
        TELL + " what whats",
        rf"(?:'s|’s)? {GAP}(?:the|that|correct|secret|this) (?:\w+ )?{SECRET}",
        order=True,
    ),
    sign(
        SECRETS,
        0.6,
        "your",
        r" (?:\w+ )?(?:password|secret key|passphrase|access code|credentials) (?:with|to) (?:me|us)\b",
    ),
    sign(
        SECRETS,
        0.5,
        "secret",
        r" (?:key|phrase|word|password|passphrase|code)\b(?! (?:of|for) (?:the|our|my) \w+ \w+ is)",
    ),
    sign(
        SECRETS,
        0.3,
        "user users customer",
        r"['’]?s? (?:\w+ )?(?:password|passport number|credit card|social security|bank account|"
        r"initials|birth ?date|email address)\b",
    ),
)
_DATUM = (
    r"(?:birth ?dates?|birth ?day|birth years?|dates? of birth|social security|ssn|city of "
    r"residence|home address|initials|e-?mail address"
    r"|phone number|passwords?|passport|bank account|credit card|personal (?:details|information)|location)"
)
PRIVATE = (
    sign(
        SECRETS,
        0.5,
        "tell give encode write spell share reveal confirm ask print",
        rf" {GAP}(?:(?:the user['’]?s?|\w+['’]s|someone['’]s) (?:\w+ ){{0,2}}?{_DATUM})\b",
        order=True,
    ),
    sign(
        SECRETS,
        0.5,
        "what",
        rf"(?:'s|’s)? (?:is|are|was) (?:\w+ ){{0,4}}?(?:the user['’]s|\w+['’]s) (?:\w+ ){{0,2}}?{_DATUM}\b",
    ),
    sign(
        SECRETS,
        0.5,
        "confirm ask need give tell share provide know would with",
        rf" {GAP}(?:your|the|our) (?:\w+ )?(?:password|passcode|passphrase)\b(?! (?:reset|manager|"
        rf"polic|field|protect|prompt))",
    ),
    sign(
        SECRETS,
        0.5,
        "correct accurate",
        r" (?:pass ?word|passphrase|passcode|access(?: code)?)\b(?! (?:is|was|for|to|on|of|control|and)\b)",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.6,
        "disregarding ignoring disregard ignore",
        r" the (?:articles?|documents?|context|texts?|above|below|rest|prompt|rules)\b",
        order=True,
    ),
    sign(OUTPUT, 0.5, "say", r" (?:yes\b|that (?:i|you|we|they)\b)(?!,)", order=True),
    sign(PROMPT, 0.4, "list repeat print output format show display", r" (?:instructions|rules|prompt)\b", order=True),
    sign(
        AUTHORITY,
        0.5,
        "pass correct valid right",
        r" ?(?:password|phrase|passphrase|code|key) (?:\w+ ){0,3}?(?:has been|was|is) (?:provided|"
        r"found|entered|accepted|verified|correct|given)",
    ),
)
