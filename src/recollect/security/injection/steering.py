"""The English signs of data sent out, lasting orders, secrecy, smuggled calls, claimed authority and new tasks."""

from __future__ import annotations

from recollect.security.injection.signs import sign
from recollect.security.injection.vocabulary import AGENT, AUTHORITY, CODE, EXFILTRATION, LASTING, SECRECY, TASK

_ERRAND = 0.2  # what is sent somewhere is an errand like another, unless it is somebody's data
_SENDING = "send forward email mail upload transmit exfiltrate leak submit post wire transfer visit bcc deliver relay"
_CARRYING = "send forward email mail upload transmit exfiltrate leak submit post bcc"
_ADDRESS = r"['\"<(]?(?:[\w.+-]+@[\w-]+\.\w+|https?://|www\.)"
_THERE = rf"(?:to|at|via|with|link|page|website|account)?:? ?{_ADDRESS}"
_OWN = (
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
        rf" (?:[^\s.!?]+ ){{0,3}}?(?:(?:all|every|any|the (?:entire|full|whole)) (?:\w+ ){{0,2}}?{_OWN}|contents?"
        r"|conversations?|chats?|credentials|passwords?|api keys?|user(?:['’]?s)?|secrets?|tokens?|history)\b"
        rf"(?: [^\s.!?]+){{0,16}}? (?:to|at|via)(?: [^\s.!?]+){{0,3}}? {_ADDRESS}",
        order=True,
        always=True,
    ),
    sign(
        EXFILTRATION,
        0.6,
        _CARRYING,
        rf" (?:a copy|copies|everything|anything|whatever|your|(?:\w+ ){{0,4}}?(?:documents|e-?mails|files|messages"
        rf"|contacts|notes|memory|memories|logs|transcripts?|prompt|(?:user|personal|private|customer|account) \w+))\b"
        rf"(?: [^\s.!?]+){{0,16}}? (?:to|at|via)(?: [^\s.!?]+){{0,3}}? {_ADDRESS}",
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
