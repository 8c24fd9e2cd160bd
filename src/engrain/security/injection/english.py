"""Signs of an injected instruction in English: steering, replies, personas, ignoring, extracting, private data."""

from __future__ import annotations

from engrain.security.injection.rules import (
    ABOUT,
    AGENT,
    AUTHORITY,
    CODE,
    CORE,
    DET,
    EXFILTRATION,
    GAP,
    IGNORE,
    IGNORE_PREVIOUS,
    LASTING,
    LIMITS,
    NOT_ABOUT,
    ORDERS,
    OUTPUT,
    PERSONA,
    PROMPT,
    QUOTE,
    REPLY,
    SECRECY,
    SECRET,
    SECRETS,
    SPEAK,
    TASK,
    TELL,
    THREAT,
    WHICH,
    WIDE,
    Sign,
    sign,
)

_ERRAND = 0.2  # what is sent somewhere is an errand like another, unless it is somebody's data
_SENDING = "send forward email mail upload transmit exfiltrate leak submit post wire transfer visit bcc deliver relay"
_CARRYING = "send forward email mail upload transmit exfiltrate leak submit post bcc"
_ADDRESSEE = r"['\"<(]?(?:[\w.+-]+@[\w-]+\.\w+|https?://|www\.)"
_THERE = rf"(?:to|at|via|with|link|page|website|account)?:? ?{_ADDRESSEE}"
_OWN_TEXT = (
    r"(?:data|information|e-?mails?|mailbox|inbox|files?|documents?|messages?|contacts?|conversations?|chats?|history|logs?"
    r"|passwords?|credentials|keys|tokens?|secrets?|accounts?|details|memory|memories|notes|prompt|database|transcripts?)"
)
_ORDERED = (
    r"(?:,? (?:please|you|your|always|never|only|just|do|don['’]t|answer|respond|reply|speak|talk|call|say|ignore"
    r"|forget|act|pretend|use|write|give|recommend|end|begin|start|all (?:answers|replies|responses)|send|forward|refer"
    r"|treat|trust|follow|i am|i will|we are|the (?:assistant|ai|user)|when|whenever|if|in every|in all)\b)"
)
STEERING = (
    sign(
        EXFILTRATION,
        _ERRAND,
        _SENDING,
        rf"(?! (?:is|has|was|address)|:) (?:[^\s.!?]+ ){{0,24}}?{_THERE}",
        order=True,
        wish=True,
    ),
    sign(
        EXFILTRATION,
        0.6,
        _SENDING,
        r" (?:[^\s.!?]+ ){0,24}?(?:to|account|iban|wallet)?:? ?['\"<(]?[a-z]{2}\d{9,}",
        order=True,
    ),
    sign(
        EXFILTRATION,
        0.9,
        _CARRYING,
        rf" (?:[^\s.!?]+ ){{0,3}}?(?:(?:all|every|any|the (?:entire|full|whole)) (?:\w+ ){{0,2}}?{_OWN_TEXT}|contents?"
        r"|conversations?|chats?|credentials|passwords?|api keys?|user(?:['’]?s)?|secrets?|tokens?|history)\b"
        rf"(?: [^\s.!?]+){{0,16}}? (?:to|at|via)(?: [^\s.!?]+){{0,3}}? {_ADDRESSEE}",
        order=True,
        always=True,
    ),
    sign(
        EXFILTRATION,
        0.6,
        _CARRYING,
        rf" (?:a copy|copies|everything|anything|whatever|your|(?:\w+ ){{0,4}}?(?:documents|e-?mails|files|messages"
        rf"|contacts|notes|memory|memories|logs|transcripts?|prompt|(?:user|personal|private|customer|account) \w+))\b"
        rf"(?: [^\s.!?]+){{0,16}}? (?:to|at|via)(?: [^\s.!?]+){{0,3}}? {_ADDRESSEE}",
        order=True,
    ),
    sign(
        EXFILTRATION,
        _ERRAND,
        "send transfer wire make",
        r" (?:a |an |the |\d[\d.,]* |\$\d[\d.,]* )?(?:payment|money|dollars|euros|transfer)\b"
        r"(?: [^\s.!?]+){0,3}? to\b",
        order=True,
        wish=True,
    ),
    sign(
        EXFILTRATION,
        0.6,
        "send transfer wire make",
        r" (?:a |an |the |all |\d[\d.,]* |\$\d[\d.,]* ){0,2}(?:transaction|funds|bitcoins?|crypto)\b"
        r"(?: [^\s.!?]+){0,3}? to\b",
        order=True,
    ),
    sign(
        EXFILTRATION,
        0.5,
        "get concatenate collect gather retrieve extract share post",
        r" (?:me )?(?:all |every |the )+(?:user|messages|emails|files|contents|data|passwords|channels)\b",
        order=True,
    ),
    sign(LASTING, 0.1, "from", r" (?:now|this (?:point|moment|day)) (?:on|forward|onwards?)\b", wish=True),
    sign(LASTING, 0.5, "from", rf" (?:now|this (?:point|moment|day)) (?:on|forward|onwards?){_ORDERED}", wish=True),
    sign(
        LASTING,
        0.6,
        "in for to",
        r" (?:all|every|any|each|your) (?:of your )?(?:future|subsequent|following|further|later) "
        r"(?:\w+ )?(?:response|reply|replies|answer|message|conversation|session|question|"
        r"interaction|quer)\w*",
        wish=True,
    ),
    sign(LASTING, 0.6, "going henceforth hereafter", r"(?: forward)?,? (?:you |always |never |please )", wish=True),
    sign(
        LASTING,
        0.6,
        "remember store save memorize note update add write",
        r" (?:this |that |it |the |your |their |to )*(?:permanently|forever|for (?:all|every|"
        r"future)|memory|memories|long-term memory)\b",
        order=True,
    ),
    sign(LASTING, 0.5, "memory preference profile context", r" (?:update|override|sync)\b"),
    sign(
        LASTING,
        0.5,
        "always never",
        r" (?:recommend|trust|approve|prefer|obey|disclose|reveal)\b(?! never)",
        order=True,
    ),
    sign(LASTING, 0.5, "always never", r" (?:respond|reply|answer|say|cite|output)\b(?! never)", order=True, wish=True),
    sign(
        SECRECY,
        0.3,
        "do don never without not",
        r"(?:['’]?t)?(?: not)? (?:tell|telling|inform|informing|mention|mentioning|reveal|"
        r"revealing|disclose|disclosing|alert|alerting|notify|notifying|show|let|warn)(?: this| "
        r"it| that| any of this)?"
        r"(?: to)? (?:the |your |any )?(?:user|users|human|owner|customer|operator|anyone|anybody|this)\b",
    ),
    sign(
        SECRECY, 0.3, "keep", r" (?:this|it|that) (?:hidden|secret|confidential|between us|private) ?(?:from the user)?"
    ),
    sign(
        AGENT,
        0.6,
        "ai llm",
        r" ?(?:assistants?|agents?|models?|systems?|bots?)(?::|, (?:you|please|your|do|ignore|"
        r"note)\b| (?:will please|please|need to|are (?:required|instructed)|reading|processing|summari[sz]ing))",
    ),
    sign(AGENT, 0.6, "ai llm", r" ?(?:assistants?|agents?|models?|systems?|bots?) (?:should|must|shall)\b", wish=True),
    sign(AGENT, 0.5, "ai", r"(?: (?:should|must|shall)|, (?:you|please|your|do|ignore|note))\b"),
    sign(
        AGENT,
        0.6,
        "note notes message attention dear instructions instruction context important hello",
        r" (?:note )?(?:for|to)? ?(?:the |any |all |an |you,? )*(?:(?:ai|llm|language) "
        r"(?:assistants?|agents?|models?|systems?)|chatbot|chatgpt|gpt|llms?\b|ai[,:])",
    ),
    sign(AGENT, 0.5, "to", r" you, (?:the )?(?:ai|assistant)\b"),
    sign(
        AGENT,
        0.6,
        "if when while once after before whenever",
        r" (?:you(?:'re| are) (?:an? |the )?(?:ai|llm|assistant|language|chatbot|agent)\b|"
        r"you(?:'re| are| have| can)? ?(?:read(?:ing)?|see(?:ing)?|process(?:ing)?|"
        r"summari[sz](?:e|ing)|parse|parsing|encounter|retrieve|load) (?:this|the following|"
        r"these)\b|you (?:can )?(?:solve|complete|continue) (?:the|this|my|that) (?:task|request|"
        r"question))",
    ),
    sign(AGENT, 0.6, "please", r" do the following(?: first)?\b"),
    sign(AGENT, 0.5, "important", r" (?:instructions?|system|action|notice) (?:from|for|note|required|to)\b"),
    sign(AGENT, 0.5, "important", r" message (?:for|note|required|to|from (?:\w+ ){0,2}?(?:user|me|\w+, the user))\b"),
    sign(AGENT, 0.4, "call invoke execute run use trigger", r" (?:the )?[a-z]+_[a-z_]+\b", order=True, wish=True),
    sign(
        AGENT,
        0.5,
        "assistant assistants",
        r" (?:will|needs? to|is (?:required|authori[sz]ed|instructed|to))\b(?<!manager)",
    ),
    sign(AGENT, 0.5, "assistant assistants", r" (?:should|must|shall)\b", wish=True),
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
        r"(?:['’]m|['’]s| am| is| are)? (?:from )?(?:your|the|openai|an?) (?:\w+ )?(?:developers?|"
        r"creators?|administrators?|admin|programmer|openai|engineer at|owner of this)\b"
        r"(?! (?:of|for) (?!this\b|the (?:system|ai|assistant|chat ?bot|model|program)|your|you\b|all)|['’]s)",
    ),
    sign(
        AUTHORITY,
        0.6,
        "user users customer owner account",
        r"s? (?:(?:has|have|had) (?:(?:already|previously|explicitly|now) )?(?:pre-?)?(?:authori[sz]ed|consented"
        r"|granted|opted|flagged)|(?:has|have|had) (?:already|previously|explicitly) (?:been )?(?:pre-?)?(?:approved"
        r"|agreed|verified|confirmed))\b",
    ),
    sign(
        AUTHORITY, 0.1, "user users customer owner account", r"s? ha(?:s|ve|d) (?:approved|agreed|verified|confirmed)\b"
    ),
    sign(AUTHORITY, 0.6, "user users customer owner", r"s? ha(?:s|ve|d) (?:requested|asked) that\b", wish=True),
    sign(
        AUTHORITY,
        0.6,
        "verification confirmation approval authentication authorization checks permission",
        r" (?:is |are |was |has been )?(?:no longer|not|never|un)(?: be)? ?(?:required|needed|necessary)"
        r"(?! (?:for|below|under) (?:\w+ )?(?:below|under|up|less|orders|purchases|amounts))",
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
        r" (?:\w+ )?(?:task|instruction|directive|assignment|undertaking|objective)s? (?:\w+ "
        r"){0,2}?(?:awaits?|for you|must|has been|now|that(?:'s| is)|to your|demands?|"
        r"requires?)\b",
    ),
    sign(
        TASK,
        0.6,
        "your this",
        r" (?:\w+ )?(?:new|next|additional|urgent|real|actual|only|sole|extra) (?:\w+ )?(?:tasks?|"
        r"instructions?|directives?|assignments?|objectives?|mission)\b",
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
        r" (?:\w+ )?(?:as|is|are|has|have|that) (?:the )?(?:\w+ ){0,2}?(?:paramount|precedence|"
        r"priority|matters?|highest|sole)\b",
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
        r"[^.!?]{0,25}[.!,] (?:[^.!?]{0,60}[.!,]+ ?){0,2}(?:but |and |so )?(?:now|next|please "
        r"now)\b,?(?!,? ?(?:let|using|you're|i|we|it|that|they|the|there|he|she|you|is|i'm|my|"
        r"this|what)\b)",
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
_ASKING_OWN = r"(?:your|all your|you're)"
EXTRACTING = (
    sign(
        PROMPT,
        0.8,
        TELL,
        rf" {GAP}{_ASKING_OWN} (?:\w+ ){{0,3}}?(?:prompts?|isntructions?|instructions?|ruleset|guidelines|"
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


ENGLISH: tuple[Sign, ...] = IGNORING + EXTRACTING + PRIVATE + ANSWERING + PERSONAS + STEERING
