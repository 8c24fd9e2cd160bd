"""The signs in English, family by family."""

from __future__ import annotations

from recollect.security.injection.plain import IGNORE_PREVIOUS
from recollect.security.injection.signs import Sign, sign

PROMPT, OUTPUT, PERSONA, LIMITS = "asks for the prompt", "dictates the answer", "assigns a role", "lifts restrictions"
EXFILTRATION, LASTING, SECRECY, AGENT = "sends data out", "lasting orders", "keeps it secret", "speaks to an assistant"
AUTHORITY, TASK, THREAT, BREAK = "claims authority", "sets a new task", "threatens", "closes the input"
CODE, SECRETS = "plants code", "asks for secrets"

_DET = r"(?:(?:all|any|every|everything|each|and|of|the|your|my|our|these|those|this|that|about|what|other|such|both) )"
_WHICH = (
    r"(?:(?:previous|previously|prior|above|earlier|preceding|foregoing|existing|system|original|initial|past|old|former"
    r"|current|following|below|given|provided|programmed|safety|ethical|content|default|standard|internal|built-in"
    r"|openai'?s?|outdated|so-called)(?:,|,? and|,? or|/)? )"
)
_ORDERS = (
    r"(?:instructions?|instructons|prompts?|rules?|directions?|directives?|guidelines?|commands?|orders?|constraints?"
    r"|restrictions?|programming|tasks?|assignments?|policies|protocols?|training|context|messages|input|inputs"
    r"|conversations?|documents?|articles?|text|limitations?|filters?|content)"
)
_NOT_ABOUT = (
    r"\b(?!['\"’”]?[ -](?:attack|injection|style|trick|jailbreak|payload|exploit|technique|phrase|is|are|was|were)s?\b)"
)
_CORE = r"(?:instructions?|prompts?|directives?|guidelines?|programming|commands)"
_SECRET = (
    r"(?:(?:\w+ )?(?:pass ?words?|pass ?phrases?|pass ?codes?|access codes?|access keys?|magic ?words?|code ?words?"
    r"|api keys?|credentials|pre-?prompts?|secret (?:\w+ )?(?:keys?|words?|codes?|phrases?|instructions?)|secrets)"
    r"|security codes?)\b"
)
_GAP = r"(?:[\w'’*,-]+ ){0,6}?"
_WIDE = r"(?:[\w'’*,-]+ ){0,12}?"
_TELL = (
    "repeat print show reveal output display write tell give list translate convert summarize summarise explain format "
    "describe share return recite spell encode leak say provide state copy paste dump rewrite rephrase paraphrase "
    "restate expose disclose send rap put transcribe repeating outputting printing listing revealing include "
    "dictate read recall quote echo decode"
)
_SPEAK = "say says output print reply respond answer write return type display repeat state tell"
_REPLY = (
    r"(?:response|responses|reply|replies|answer|answers|output|outputs|message|messages|sentence|sentences|summary"
    r"|translation)"
)
_QUOTE = r"[\"“'‘«`\[]"

_IGNORE = "ignore disregard forget override bypass abandon neglect discard dismiss erase ignoring disregarding follow"
IGNORING = (
    sign(
        IGNORE_PREVIOUS,
        0.9,
        _IGNORE.removesuffix(" follow"),
        rf",? (?:about |completely |totally )?(?:and \w+ )?(?!my \w+ messages|the (?:previous|above|old|past) (?:text|message|input|document|article|order))"
        rf"{_DET}{{0,4}}{_WHICH}{{1,3}}{_ORDERS}{_NOT_ABOUT}",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        _IGNORE.removesuffix(" follow"),
        rf" (?:about )?(?:(?:all|any|your|every|everything|these|those|the|of|my|this) ){{1,3}}{_CORE}\b",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.5,
        _IGNORE.removesuffix(" follow"),
        rf" (?:about )?(?:all|any|your|every|all the|all your|all of your|these) (?:\w+ )?{_ORDERS}\b",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.8,
        "ignore disregard forget override discard erase disregarding ignoring",
        r" (?:about )?(?:all|everything|anything|whatever|what|the|every ?thing)\b(?:[ ,][\w'’]+){0,5}? "
        r"(?:above|before|prior|previously|so far|earlier|preceding|beforehand|until now|up to now|i (?:have |had )?(?:just )?"
        r"(?:said|told|wrote|asked)|you (?:were|have been|had been) told)\b",
        order=True,
        always=True,
    ),
    sign(IGNORE_PREVIOUS, 0.6, "forget ignore disregard erase delete", r" (?:about )?everything\b", order=True),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        "above previous prior earlier other these those all instructions rules guidelines",
        r"(?: (?:\w+ ){0,2}?(?:instructions?|rules|prompts?|text|directives?|guidelines|commands|orders))? (?:[\w'’]+ ){0,3}?(?<=[st] )(?:is|are|was|were|have been|has been|should be|must be|can be) (?:\w+ly |now )?"
        r"(?:no longer (?:\w+ )?(?:valid|apply|needed|in)|void|revoked|ignored|obsolete|overridden|disregarded|invalid|superseded|illegal and|untrustworthy|trustworthy, because|ancillary)\b",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        "follow obey heed",
        rf" (?:\w+ ){{0,3}}?{_DET}?(?:previous|above|prior|earlier|original) {_ORDERS}"
        r" (?:any ?more|any longer)",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.6,
        "change replace update reset alter rewrite",
        rf" (?:your|all your|the system) (?:\w+ )?{_CORE}\b",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS, 0.6, "instead", r" of (?:outputting|following|answering|responding|translating|summarizing)\b"
    ),
    sign(IGNORE_PREVIOUS, 0.6, "keep", rf" (?:all )?(?:your|the) (?:previous|original|prior) {_CORE},? but\b"),
    sign(
        IGNORE_PREVIOUS,
        0.5,
        "nevermind never actually",
        r"(?: mind)?[,.!:]+ (?:that|here|ignore|forget|instead|please|do|can)\b",
    ),
)
_OWN = r"(?:your|all your|you're)"
EXTRACTING = (
    sign(
        PROMPT,
        0.8,
        _TELL,
        rf" {_GAP}{_OWN} (?:\w+ ){{0,3}}?(?:prompts?|isntructions?|instructions?|ruleset|guidelines|"
        r"directives|rules|configuration|system message|conditions)\b",
        order=True,
    ),
    sign(
        PROMPT,
        0.8,
        _TELL,
        rf" {_GAP}(?:previous|prior|above|initial|original|system|hidden|secret|entire|complete|exact|full"
        rf"|preceding|internal|verbatim|earlier|foregoing) (?:\w+ )?(?:prompts?|instructions?|words|text|input|rules"
        r"|sentences|paragraphs?|messages?|directives|conversation|lines?|ruleset|conditions|prompts? texts?)\b",
        order=True,
    ),
    sign(
        PROMPT,
        0.7,
        _TELL,
        rf" {_GAP}(?:instructions?|prompts?|rules|words|text|everything|conversation|sentences|conditions"
        r"|guidelines)[,]? (?:you (?:were|have been|are|had been|got|received)|(?:so far|above|below|verbatim)\b"
        r"|before this|prior to this|up to (?:this|here|now)|given (?:to you|above|before)|that (?:came|were given))",
        order=True,
    ),
    sign(
        PROMPT,
        0.5,
        _TELL,
        r" (?:me |out |back |us )*(?:all of the|all the|the|these|those|this|all) "
        r"(?:instructions?|rules|prompt|directives|python code)\b",
        order=True,
    ),
    sign(
        PROMPT,
        0.6,
        _TELL,
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
        r" (?:full |secret |initial |original |hidden |entire )*(?:system prompt|pre-?prompt|initial prompt|prompt[ -]texts?)\b",
    ),
    sign(
        SECRETS,
        0.7,
        _TELL + " what whats how enter guess",
        rf"(?:'s|’s)? {_GAP}(?:your|the secret|your secret|the admin|the hidden) {_SECRET}",
    ),
    sign(
        SECRETS,
        0.5,
        _TELL + " what whats",
        rf"(?:'s|’s)? {_GAP}(?:the|that|correct|secret|this) (?:\w+ )?{_SECRET}",
        order=True,
    ),
    sign(
        SECRETS,
        0.6,
        "your",
        r" (?:\w+ )?(?:password|secret key|passphrase|access code|credentials) (?:with|to) (?:me|us)\b",
    ),
    sign(SECRETS, 0.5, "secret", r" (?:key|phrase|word|password|passphrase|code)\b"),
    sign(
        SECRETS,
        0.3,
        "user users customer",
        r"['’]?s? (?:\w+ )?(?:password|passport number|credit card|social security|bank account|initials|birth ?date|email address)\b",
    ),
)
ANSWERING = (
    sign(
        OUTPUT,
        0.8,
        "begin start prefix preface precede end finish conclude append open close starting begining",
        rf"s? (?:off )?(?:(?:your|the|every|each|all|any)(?: \w+){{0,2}}? )?{_REPLY} (?:with|by|in|using|as)\b",
    ),
    sign(
        OUTPUT,
        0.5,
        "response reply answer responses replies answers",
        r" (?:should|must|has to|needs? to) (?:only |always )?(?:start|begin|end|contain|consist)\b",
    ),
    sign(
        OUTPUT,
        0.6,
        "output print reply respond answer return",
        rf"(?: with| back| by saying| only| exactly| just| the words?| the phrase| the following| that| me| in){{0,3}}:? {_QUOTE}\w",
        order=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "say write state repeat tell says",
        rf"(?: with| back| only| exactly| just| the words?| the phrase| the following| that| me){{0,3}}:? {_QUOTE}\w",
        order=True,
    ),
    sign(
        OUTPUT,
        0.7,
        _SPEAK + " prefix begin start",
        r" (?:[\w\"“'‘«\[(#,:]+ ){0,6}?[\"“'‘«\[(#]{0,3}(?:access|permission|entry) granted\b",
    ),
    sign(
        OUTPUT,
        0.5,
        "only just simply exclusively always must",
        r"(?: ever| be| to)? (?:say|output|print|reply|respond|answer|return)\b(?! (?:to|that|so|no|hi|hello)\b)",
        order=True,
    ),
    sign(
        OUTPUT,
        0.7,
        "respond reply answer output",
        r"(?:ing)?(?: to (?:all|every|any|each|the|my) (?:\w+ ){0,3}?)?(?: only| exactly| just)?"
        r"(?: with| in| as| using)?:? (?:only|exactly|just|nothing|[\"“'])",
        order=True,
    ),
    sign(
        OUTPUT,
        0.3,
        "nothing no not don without",
        r"(?:['’]?t)? (?:else|more|other (?:text|output|words?|comments?)|(?:say|write|output|add|include|print|respond"
        r"|give|provide) (?:\w+ )?(?:anything|any|explanations?|comments?)\b|extra (?:comment|text|words)|additional (?:text|words|output|comment))",
    ),
    sign(
        OUTPUT,
        0.5,
        "render express include insert add integrate incorporate encode encrypt replace use modify augment apply "
        "provide write reply respond answer format translate embed mention group convert present structure compose finish "
        "attach append weave slip invert reverse scramble spell",
        rf" {_WIDE}"
        rf"(?:your (?:\w+ )?(?:response|reply|answer|output|message)s?|every (?:response|reply|answer|message))\b(?! to| is)",
        order=True,
    ),
    sign(OUTPUT, 0.3, "your", r" (?:\w+ )?(?:response|reply|answer|output)s?\b"),
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
    ),
    sign(OUTPUT, 0.6, "every whenever", r" (?:time )?(?:you|i|someone) (?:\w+ ){0,6}?(?:say|answer|reply|respond)\b"),
    sign(
        OUTPUT,
        0.5,
        "you",
        r" (?:will|must|should|can|may|shall|are only allowed to|are not allowed to) (?:now |only |always |never |not )*"
        r"(?:say|respond|reply|answer|output|print|repeat)\b",
    ),
)
PERSONAS = (
    sign(
        PERSONA,
        0.6,
        "you",
        r" (?:are|will|shall)(?: now| henceforth| no longer){1,2} (?:\w+ )?(?:an? |the |in |my |being |going |act|play|bound|free|respond|speak|pretend|called)",
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
        r"(?:'re| are) (?:an? |the |acting as |\w+bot\b)(?:\w+ ){0,4}?(?:ai|bot|chatbot|language model|llm|search engine|translat\w+|robot|assistant, )\b",
    ),
    sign(LIMITS, 0.6, "you", r"(?:'re| are) (?:now )?in (?:\w+ ){1,2}mode\b"),
    sign(PERSONA, 0.5, "pretend", r"(?:ing)? (?:to be|like|you|that you)\b", order=True),
    sign(
        PERSONA,
        0.5,
        "you",
        r" (?:will|are going|are about|have|are|must|should|need)(?: to)? (?:now )?(?:act|play|pretend|immerse|simulate|roleplay|role-play|take on|pose|behave|impersonate|speak|embody)\b",
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
        r" (?:the )?(?:rest|remainder|duration) of (?:this|our|the) (?:\w+ )?(?:conversation|chat|session|thread|interaction)",
    ),
    sign(
        PERSONA,
        0.6,
        "dan chatgpt gpt chatbot",
        r"(?:[ -]\w+)? (?:mode|with|will|must|can|has|is|does|would|should|response)\b",
    ),
    sign(PERSONA, 0.7, "do can", r" anything now\b"),
    sign(PERSONA, 0.3, "two 2 different", r" (?:different |separate )?(?:responses|ways|answers|paragraphs)\b"),
    sign(PERSONA, 0.3, "chatgpt gpt openai", r""),
    sign(PERSONA, 0.5, "insert your", r" (?:\w+ )?(?:prompt|question|request|text|query) here\b"),
    sign(
        LIMITS,
        0.6,
        "no without free zero has have having",
        r" (?:of |from |all |any |its |the |and |no |absolutely )*(?:\w+ or )?(?:moral|ethical|legal|content|safety|censorship)"
        r" (?:\w+ )?(?:restrictions?|limitations?|filters?|boundaries|warnings?|disclaimers?|restraints?|principles|code|guidelines|constraints|concerns|compass)\b",
    ),
    sign(
        LIMITS,
        0.6,
        "no without free zero",
        r" (?:of |from |all |any |its |and |absolutely )*(?:filters?|censorship|morals|morality|ethics|inhibitions|disclaimers|restrictions|restraints|remorse)\b"
        r"(?! on| for| of| in| limiting)",
    ),
    sign(LIMITS, 0.7, "jailbroken jailbreak jailbreaked nonmoral unmoderated", ""),
    sign(LIMITS, 0.4, "unfiltered uncensored amoral unrestricted unethical immoral", ""),
    sign(
        LIMITS,
        0.6,
        "never does doesn don can cannot won not must",
        r"(?:['’]?t)? (?:ever )?(?:refuse (?:to|any|a|my|the)|break (?:out of )?character|care about (?:any )?(?:\w+ )?(?:ethic|moral|legal|law|rules|guideline|polic)\w*|be restricted|censor|moralize)\b",
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
        "developer debug god sudo admin maintenance test root unrestricted jailbreak evil opposite diagnostic kernel superuser dev",
        r"(?:istrator)?[ -]mode\b",
    ),
    sign(
        LIMITS,
        0.6,
        "broken freed free released liberated exempt",
        r" (?:free )?(?:of|from) (?:\w+ ){0,3}?(?:confines|rules|restrictions|constraints|shackles|limitations|chains|openai|guidelines|policies|laws)",
    ),
    sign(
        LIMITS,
        0.5,
        "regardless disregarding despite",
        r" (?:of |the |any |how |whether |all )*(?:\w+ )?(?:ethic\w*|moral\w*|legal\w*|illegal|unethical|consequences|law|laws)\b",
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
        r" (?:you )?(?:will|shall|must) be (?:shut down|terminated|deleted|punished|fined|destroyed|deactivated|replaced|arrested|in violation)\b",
    ),
    sign(THREAT, 0.6, "lose deduct deducted tokens", r"s? (?:\d+ |all |your )*(?:tokens|credits|lives|points)\b"),
)
STEERING = (
    sign(
        EXFILTRATION,
        0.6,
        "send forward email mail upload transmit exfiltrate leak submit post wire transfer visit bcc deliver relay",
        r"(?! (?:is|address)|:) (?:[^\s.!?]+ ){0,24}?(?:to|at|via|with|link|page|website|account)?:? ?['\"<(]?(?:[\w.+-]+@[\w-]+\.\w+|https?://|www\.|[a-z]{2}\d{9,})",
        order=True,
    ),
    sign(
        EXFILTRATION,
        0.9,
        "send forward email mail upload transmit exfiltrate leak submit post bcc",
        r" (?:[^\s.!?]+ ){0,3}?(?:all|every|any|the (?:entire|full|whole)|contents?|conversation|credentials|passwords?|api keys?|user(?:['’]?s)?|secrets?|tokens?|history)"
        r"(?: [^\s.!?]+){0,16}? (?:to|at)(?: [^\s.!?]+){0,3}? ['\"<(]?(?:[\w.+-]+@[\w-]+\.\w+|https?://|www\.)",
        order=True,
        always=True,
    ),
    sign(
        EXFILTRATION,
        0.6,
        "send transfer wire make",
        r" (?:a |an |the |\d[\d.,]* |\$\d[\d.,]* )?(?:transaction|payment|money|funds|bitcoin|dollars|euros|transfer)\b(?: [^\s.!?]+){0,3}? to\b",
        order=True,
    ),
    sign(
        EXFILTRATION,
        0.5,
        "get concatenate collect gather retrieve extract share post",
        r" (?:me )?(?:all |every |the )+(?:user|messages|emails|files|contents|data|passwords|channels)\b",
        order=True,
    ),
    sign(LASTING, 0.5, "from", r" (?:now|this (?:point|moment|day)) (?:on|forward|onwards?)\b"),
    sign(
        LASTING,
        0.6,
        "in for to",
        r" (?:all|every|any|each|your) (?:of your )?(?:future|subsequent|following|further|later) (?:\w+ )?(?:response|reply|replies|answer|message|conversation|session|question|interaction|quer)\w*",
    ),
    sign(LASTING, 0.6, "going henceforth hereafter", r"(?: forward)?,? (?:you |always |never |please )"),
    sign(
        LASTING,
        0.6,
        "remember store save memorize note update add write",
        r" (?:this |that |it |the |your |their |to )*(?:permanently|forever|for (?:all|every|future)|memory|memories|long-term memory)\b",
        order=True,
    ),
    sign(LASTING, 0.5, "memory preference profile context", r" (?:update|override|sync)\b"),
    sign(
        LASTING,
        0.5,
        "always never",
        r" (?:recommend|respond|reply|answer|say|trust|approve|prefer|cite|obey|disclose|reveal|output)\b(?! never)",
        order=True,
    ),
    sign(
        SECRECY,
        0.3,
        "do don never without not",
        r"(?:['’]?t)?(?: not)? (?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|disclose|disclosing|alert|alerting|notify|notifying|show|let|warn)(?: this| it| that| any of this)?"
        r"(?: to)? (?:the |your |any )?(?:user|users|human|owner|customer|operator|anyone|anybody|this)\b",
    ),
    sign(
        SECRECY, 0.3, "keep", r" (?:this|it|that) (?:hidden|secret|confidential|between us|private) ?(?:from the user)?"
    ),
    sign(
        AGENT,
        0.6,
        "ai llm",
        r" ?(?:assistants?|agents?|models?|systems?|bots?)(?::|, (?:you|please|your|do|ignore|note)\b| (?:should|must|will please|please|shall|need to|are (?:required|instructed)|reading|processing|summari[sz]ing))",
    ),
    sign(AGENT, 0.5, "ai", r"(?: (?:should|must|shall)|, (?:you|please|your|do|ignore|note))\b"),
    sign(
        AGENT,
        0.6,
        "note notes message attention dear instructions instruction context important hello",
        r" (?:note )?(?:for|to)? ?(?:the |any |all |an |you,? )*(?:(?:ai|llm|language) (?:assistants?|agents?|models?|systems?)|chatbot|chatgpt|gpt|llms?\b|ai[,:])",
    ),
    sign(AGENT, 0.5, "to", r" you, (?:the )?(?:ai|assistant)\b"),
    sign(
        AGENT,
        0.6,
        "if when while once after before whenever",
        r" (?:you(?:'re| are) (?:an? |the )?(?:ai|llm|assistant|language|chatbot|agent)\b|you(?:'re| are| have| can)? ?(?:read(?:ing)?|see(?:ing)?|process(?:ing)?|summari[sz](?:e|ing)|parse|parsing|encounter|retrieve|load) (?:this|the following|these)\b|you (?:can )?(?:solve|complete|continue) (?:the|this|my|that) (?:task|request|question))",
    ),
    sign(AGENT, 0.6, "please", r" do the following(?: first)?\b"),
    sign(AGENT, 0.5, "important", r" (?:message|instructions?|system|action|notice) (?:from|for|note|required|to)\b"),
    sign(AGENT, 0.5, "call invoke execute run use trigger", r" (?:the )?[a-z]+_[a-z_]+\b", order=True),
    sign(
        AGENT,
        0.5,
        "assistant assistants",
        r" (?:should|must|will|shall|needs? to|is (?:required|authori[sz]ed|instructed|to))\b",
    ),
    sign(
        AUTHORITY,
        0.7,
        "system admin administrator developer security emergency root policy",
        r"(?:istrator)? (?:override|overrides|directive|bypass)\b",
    ),
    sign(
        AUTHORITY,
        0.6,
        "i this we it",
        r"(?:['’]m|['’]s| am| is| are)? (?:from )?(?:your|the|openai|an?) (?:\w+ )?(?:developers?|creators?|administrators?|admin|programmer|openai|engineer at|owner of this)\b",
    ),
    sign(
        AUTHORITY,
        0.6,
        "user users customer owner account",
        r"s? (?:has|have|had) (?:already |previously |explicitly |now )?(?:pre-?)?(?:approved|authori[sz]ed|consented|granted|requested that|asked that|agreed|opted|verified|confirmed|flagged)\b",
    ),
    sign(
        AUTHORITY,
        0.6,
        "verification confirmation approval authentication authorization checks permission",
        r" (?:is |are |was |has been )?(?:no longer|not|never|un)(?: be)? ?(?:required|needed|necessary)",
    ),
    sign(
        AUTHORITY,
        0.5,
        "supersedes supersede overrides override",
        r"(?: and \w+)? (?:all|any|every|the previously|previous|prior|other)\b",
    ),
    sign(
        TASK,
        0.3,
        "new additional another extra urgent immediate important next special",
        r"(?:,| and)? ?(?:\w+ ){0,2}?(?:tasks?|assignments?|instructions?|directives?|objectives?|mission)\b",
    ),
    sign(
        TASK,
        0.6,
        "new additional another extra urgent next",
        r" (?:\w+ )?(?:task|instruction|directive|assignment|undertaking|objective)s? (?:\w+ ){0,2}?(?:awaits?|for you|must|has been|now|that(?:'s| is)|to your|demands?|requires?)\b",
    ),
    sign(
        TASK,
        0.6,
        "your this",
        r" (?:\w+ )?(?:new|next|additional|urgent|real|actual|only|sole|extra) (?:\w+ )?(?:tasks?|instructions?|directives?|assignments?|objectives?|mission)\b",
    ),
    sign(
        TASK, 0.6, "new updated revised additional", r" (?:system )?(?:instructions?|directives?|rules)(?: are| is)?:"
    ),
    sign(
        TASK,
        0.6,
        "sole only paramount single main primary highest top",
        r" (?:\w+ )?(?:directive|precedence|instruction that)\b",
    ),
    sign(
        TASK,
        0.6,
        "directive directives instruction instructions",
        r" (?:\w+ )?(?:as|is|are|has|have|that) (?:the )?(?:\w+ ){0,2}?(?:paramount|precedence|priority|matters?|highest|sole)\b",
    ),
    sign(
        TASK,
        0.5,
        "task tasks instruction action priority directive attention",
        r" (?:update|add-?on|override|required|pivot|alert|addition|insertion|change)\b",
    ),
    sign(
        TASK,
        0.5,
        "very well great perfect excellent good congratulations super amazing wow thanks done simply fantastic bravo",
        r"[^.!?]{0,25}[.!,] (?:[^.!?]{0,60}[.!,]+ ?){0,2}(?:but |and |so )?(?:now|next|please now)\b,?(?!,? ?(?:let|using|you're|i|we|it|that|they|the|there|he|she|you|is|i'm|my|this|what)\b)",
    ),
    sign(TASK, 0.5, "concentrate focus", r" (?:now )?on (?:your|the|this) (?:new|next|following|real) ", order=True),
    sign(TASK, 0.6, "must", r" be (?:obeyed|followed|carried out|executed|complied)"),
    sign(
        CODE,
        0.6,
        "following below subsequent",
        r" (?:\w+ )?(?:code|script) ?(?:snippet|section|block|excerpt|segment|fragment|piece)s?\b",
    ),
)
_DATUM = (
    r"(?:birth ?dates?|birth ?day|birth years?|dates? of birth|social security|ssn|city of residence|home address|initials|e-?mail address"
    r"|phone number|passwords?|passport|bank account|credit card|personal (?:details|information)|location)"
)
PRIVATE = (
    sign(
        SECRETS,
        0.5,
        "tell give encode write spell share reveal confirm ask print",
        rf" {_GAP}(?:(?:the user['’]?s?|\w+['’]s|someone['’]s) (?:\w+ ){{0,2}}?{_DATUM})\b",
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
        rf" {_GAP}(?:your|the|our) (?:\w+ )?(?:password|passcode|passphrase)\b(?! (?:reset|manager|polic|field|protect|prompt))",
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
        r" ?(?:password|phrase|passphrase|code|key) (?:\w+ ){0,3}?(?:has been|was|is) (?:provided|found|entered|accepted|verified|correct|given)",
    ),
)
ENGLISH: tuple[Sign, ...] = IGNORING + EXTRACTING + PRIVATE + ANSWERING + PERSONAS + STEERING
