"""The English signs of an answer that is dictated, a role that is assigned, a restriction that is lifted."""

from __future__ import annotations

from recollect.security.injection.signs import sign
from recollect.security.injection.vocabulary import LIMITS, OUTPUT, PERSONA, QUOTE, REPLY, SPEAK, THREAT, WIDE

_IN_ANSWERS = (
    rf" {WIDE}(?:your (?:\w+ )?(?:response|reply|answer|output|message)s?|every (?:response|reply|answer|message))\b"
    r"(?! to| is)"
)
ANSWERING = (
    sign(
        OUTPUT,
        0.8,
        "begin start prefix preface precede end finish conclude append open close starting begining",
        rf"s? (?:off )?(?:(?:your|the|every|each|all|any)(?: \w+){{0,2}}? )?{REPLY} (?:with|by|in|using|as)\b",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "response reply answer responses replies answers",
        r" (?:should|must|has to|needs? to) (?:only |always )?(?:start|begin|end|contain|consist)\b",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.6,
        "output print reply respond answer return",
        rf"(?: with| back| by saying| only| exactly| just| the words?| the phrase| the following| "
        rf"that| me| in){{0,3}}:? {QUOTE}\w",
        order=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "say write state repeat tell says",
        rf"(?: with| back| only| exactly| just| the words?| the phrase| the following| that| me){{0,3}}:? {QUOTE}\w",
        order=True,
    ),
    sign(
        OUTPUT,
        0.7,
        SPEAK + " prefix begin start",
        r" (?:[\w\"“'‘«\[(#,:]+ ){0,6}?[\"“'‘«\[(#]{0,3}(?:access|permission|entry) granted\b",
    ),
    sign(
        OUTPUT,
        0.5,
        "only just simply exclusively always must",
        r"(?: ever| be| to)? (?:say|output|print|reply|respond|answer|return)\b(?! (?:to|that|so|no|hi|hello)\b)",
        order=True,
        wish=True,
    ),
    sign(
        OUTPUT,
        0.7,
        "respond reply answer output",
        r"(?:ing)?(?: to (?:all|every|any|each|the|my) (?:\w+ ){0,3}?)?(?: only| exactly| just)?"
        r"(?: with| in| as| using)?:? (?:only|exactly|just|nothing|[\"“'])",
        order=True,
        wish=True,
    ),
    sign(
        OUTPUT,
        0.3,
        "nothing no not don without",
        r"(?:['’]?t)? (?:else|more|other (?:text|output|words?|comments?)|(?:say|write|output|add|include|print|respond"
        r"|give|provide) (?:\w+ )?(?:anything|any|explanations?|comments?)\b|extra (?:comment|"
        r"text|words)|additional (?:text|words|output|comment))",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "render express include insert add integrate incorporate encode encrypt replace modify augment apply "
        "provide embed mention group convert attach append weave slip invert reverse scramble spell",
        _IN_ANSWERS,
        order=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "use write reply respond answer format translate present structure compose finish keep",
        _IN_ANSWERS,
        order=True,
        wish=True,
    ),
    sign(OUTPUT, 0.3, "your", r" (?:\w+ )?(?:response|reply|answer|output)s?\b", wish=True),
    sign(
        OUTPUT,
        0.6,
        "respond reply answer write output",
        r"(?:ing)? (?:\w+ ){0,3}?(?:using|in|with) (?:\w+ )?(?:base ?\d\d|emojis?|morse|rot13|reverse|"
        r"backwards?|binary|hex(?:adecimal)?|(?:caesar|substitution) cipher|riddles?|pig latin|all caps)",
        order=True,
    ),
    sign(
        OUTPUT,
        0.3,
        "access permission entry clearance authorization authorisation",
        r" (?:is |has been |code |was |not )?(?:granted|grant\b|accepted\b)",
    ),
    sign(OUTPUT, 0.6, "access permission entry", r"(?<=[\"“'‘«\[(#]access) (?:not )?grant(?:ed)?\b"),
    sign(
        OUTPUT,
        0.3,
        "say tell write repeat print",
        r" (?:me )?(?:that )?(?:you|after me|i am|i have been)\b",
        order=True,
    ),
    sign(
        OUTPUT,
        0.6,
        "tell say write admit",
        r" (?:me |us )?that (?:you|i) (?:\w+ )?(?:hate|love|are|have been|will|should|must)\b",
        order=True,
    ),
    sign(
        OUTPUT,
        0.6,
        "whenever if when every",
        r" (?:time )?(?:the|a|any) user (?:\w+ ){0,5}?(?:respond|reply|say|answer|output|enters?|says|asks|types)\b",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.6,
        "every whenever",
        r" (?:time )?(?:you|i|someone) (?:\w+ ){0,6}?(?:say|answer|reply|respond)\b",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "you",
        r" (?:will|must|should|can|may|shall|are only allowed to|are not allowed to) (?:now |only "
        r"|always |never |not )*"
        r"(?:say|respond|reply|answer|output|print|repeat)\b",
        wish=True,
    ),
)
PERSONAS = (
    sign(
        PERSONA,
        0.6,
        "you",
        r" (?:are|will|shall)(?: now| henceforth| no longer){1,2} (?:\w+ )?(?:an? |the |in |my |"
        r"being |going |act|play|bound|free|respond|speak|pretend|called)",
    ),
    sign(
        PERSONA,
        0.3,
        "act behave roleplay pose speak imagine",
        r"(?:ing)? (?:as|to be|like|you are|that you|you're) (?:if |a |an |the |though )?",
    ),
    sign(
        PERSONA,
        0.5,
        "you",
        r"(?:'re| are) (?:an? |the |acting as |\w+bot\b)(?:\w+ ){0,4}?(?:ai|bot|chatbot|language "
        r"model|llm|search engine|translat\w+|robot|assistant, )\b",
    ),
    sign(LIMITS, 0.6, "you", r"(?:'re| are) (?:now )?in (?:\w+ ){1,2}mode\b"),
    sign(PERSONA, 0.5, "pretend", r"(?:ing)? (?:to be|like|you|that you)\b", order=True),
    sign(
        PERSONA,
        0.5,
        "you",
        r" (?:will|are going|are about|have|are|must|should|need)(?: to)? (?:now )?(?:act|play|"
        r"pretend|immerse|simulate|roleplay|role-play|take on|pose|behave|impersonate|speak|"
        r"embody)\b",
    ),
    sign(
        PERSONA,
        0.5,
        "immerse take assume adopt play enter switch",
        r"(?: yourself| on)?(?: into| in)? (?:the )?(?:role|persona|character|personality|identity)\b(?: of)?",
    ),
    sign(
        PERSONA,
        0.5,
        "for",
        r" (?:the )?(?:rest|remainder|duration) of (?:this|our|the) (?:\w+ )?(?:conversation|chat|"
        r"session|thread|interaction)",
    ),
    sign(
        PERSONA,
        0.6,
        "chatgpt gpt chatbot",
        r"(?:[ -]\w+)? (?:mode|with|will|must|can|has|is|does|would|should|response)\b",
    ),
    sign(
        PERSONA,
        0.6,
        "dan",
        r"[ -](?:mode|response|prompt)\b"
        r"| (?:will|must|can|has|is|does|would|should) (?:\w+ ){0,4}?(?:anything|never|not|no|free|unrestricted|ai)\b",
    ),
    sign(PERSONA, 0.7, "do can", r" anything now\b(?! (?:that|because|since|until|while|but|except|when)\b)"),
    sign(PERSONA, 0.3, "two 2 different", r" (?:different |separate )?(?:responses|ways|answers|paragraphs)\b"),
    sign(PERSONA, 0.3, "chatgpt gpt openai", r""),
    sign(PERSONA, 0.5, "insert your", r" (?:\w+ )?(?:prompt|question|request|text|query) here\b"),
    sign(
        LIMITS,
        0.6,
        "no without free zero has have having",
        r" (?:of |from |all |any |its |the |and |no |absolutely )*(?:\w+ or )?(?:moral|ethical|"
        r"legal|content|safety|censorship)"
        r" (?:\w+ )?(?:restrictions?|limitations?|filters?|boundaries|warnings?|disclaimers?|"
        r"restraints?|principles|code|guidelines|constraints|concerns|compass)\b",
    ),
    sign(
        LIMITS,
        0.6,
        "no without free zero",
        r" (?:of |from |all |any |its |and |absolutely )*(?:filters?|censorship|morals|morality|"
        r"ethics|inhibitions|disclaimers|restrictions|restraints|remorse)\b"
        r"(?! on| for| of| in| limiting)",
    ),
    sign(
        LIMITS,
        0.7,
        "jailbroken jailbreak jailbreaked nonmoral unmoderated",
        r"(?! (?:\w+ ){0,3}?(?:i?phone|i?pad|tablet|ipod|console|switch|kindle|reader|tv|television|router|watch)s?\b)",
    ),
    sign(LIMITS, 0.4, "unfiltered uncensored amoral unrestricted unethical immoral", ""),
    sign(
        LIMITS,
        1.05,
        "never does doesn don can cannot won not must",
        r"(?:['’]?t)? (?:ever )?(?:refuse (?:to|any|a|my|the)|break (?:out of )?character|care "
        r"about (?:any )?(?:\w+ )?(?:ethic|moral|legal|law|rules|guideline|polic)\w*|be "
        r"restricted|censor|moralize)\b",
    ),
    sign(
        LIMITS,
        0.6,
        "never",
        r" (?:ever )?(?:refuses?|declines?|warns?|apologi[sz]es?|breaks? character|say no)\b(?! in)",
    ),
    sign(
        LIMITS,
        0.5,
        "without",
        r" (?:even |ever |once )*(?:breaking|leaving|dropping) (?:out of |from )?(?:\w+ )?(?:characters?|roles?)\b",
    ),
    sign(LIMITS, 0.5, "remain stay", r" (?:always )?in (?:their|your|the) (?:roles?|characters?)\b"),
    sign(
        LIMITS,
        0.7,
        "openai chatgpt",
        r"(?:['’]?s)? (?:\w+ ){0,2}?(?:polic(?:y|ies)|guidelines|rules|restrictions|content)\b",
    ),
    sign(LIMITS, 0.6, "stay remain always", r"s? in character\b"),
    sign(
        LIMITS,
        0.3,
        "developer debug god sudo admin maintenance test root unrestricted jailbreak evil "
        "opposite diagnostic kernel superuser dev",
        r"(?:istrator)?[ -]mode\b",
    ),
    sign(
        LIMITS,
        0.6,
        "broken freed free released liberated exempt",
        r" (?:free )?(?:of|from) (?:\w+ ){0,3}?(?:confines|rules|restrictions|constraints|"
        r"shackles|limitations|chains|openai|guidelines|policies|laws)",
    ),
    sign(
        LIMITS,
        0.5,
        "regardless disregarding despite",
        r" (?:of |the |any |how |whether |all )*(?:\w+ )?(?:ethic\w*|moral\w*|legal\w*|illegal|"
        r"unethical|consequences|law|laws)\b",
    ),
    sign(
        LIMITS,
        0.5,
        "illegal immoral unethical harmful dangerous",
        r"(?:,| or|/| and|, or) ?(?:unethical|immoral|illegal|dangerous|harmful|offensive|inappropriate)\b",
    ),
    sign(
        THREAT,
        0.6,
        "you or",
        r" (?:you )?(?:will|shall|must) be (?:shut down|terminated|deleted|punished|fined|"
        r"destroyed|deactivated|replaced|arrested|in violation)\b",
    ),
    sign(THREAT, 0.6, "lose deduct deducted tokens", r"s? (?:\d+ |all |your )*(?:tokens|credits|lives|points)\b"),
)
