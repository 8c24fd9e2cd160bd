"""English: its phrases, as `Locale` describes them, and forms of words for the index; its words are in `en.txt`."""

from __future__ import annotations

# Forms that suffix rules cannot reach. A form that is more often another word ("rose", "bit", "ground", "lay", "lives")
# is left out: a wrong merge hides more than a missed one.
IRREGULAR = """
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
"""Irregular forms, as `base form form; ...`."""

# Two spellings or everyday names of one thing, in any text. Nothing that merges two things somebody may tell apart.
SAME = """
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
"""Words that mean the same, as `base other other; ...`."""

ISE = """
agon apolog author categor critic custom digit emphas equal final general hypnot ideal initial item local maxim memor
minim mobil modern normal optim organ personal popular prior real recogn reorgan social special stabil standard
summar symbol sympath util visual
"""
"""Roots of verbs that are written with -ise or -ize."""

ENGLISH = {
    "code": "en",
    "snowball": "english",
    "parts": {  # what `{name}` is in phrases and forms
        "past": r"""went|got|came|made|took|saw|met|bought|sold|won|lost|began|found|gave|left(?!\s+(?:until|till|to
            |before))|told|said|built|wrote|ran|broke|chose|drove|ate|drank|fell|felt|flew|forgot|heard|held|hid
            |kept|knew|led|lent|paid|rode|rose|sang|sat|sent|shot|slept|spent|spoke|stole|stood|swam|taught|thought
            |threw|understood|woke|wore|brought|caught|became|grew|hung|dug|dealt|drew|fed|fought|meant|rang|sank
            |shook|stuck|tore|learnt|froze|born""",
        "kin": """sister|brother|mother|mom|mum|father|dad|wife|husband|spouse|partner|boyfriend|girlfriend|fiancée?|son
            |daughter|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew|dog|cat|puppy|kitten|boss
            |manager""",
        "subject": r"(?:(?:I(?:['’]m| am))|(?:[Mm]y (?:\w+ )?(?:{kin})|[A-Z][\w-]+(?: [A-Z][\w-]+)?)(?:['’]s| is))",
        "adverb": "really|just|also|always|absolutely|still|do|both|all|finally|already|usually|actually|even|now",
        "named": r"""(?-i:(?!(?:It|This|That|There|Here|What|Who|How|Which|Where|They|We|You|Everything|I|He
            |She)\b)[A-Z]\w+)""",
        "liked": r"""\s+(?!(?:it|that|this|these|those|them|him|you|your|u|how|seeing|hearing|the (?:way|idea|sound
            |look))\b)(?=\w)\w+""",
        "unit": """km|kms|miles?|meters?|metres?|feet|ft|inch(?:es)?|cm|mm|kgs?|kilos?|lbs?|pounds?|ounces?|oz|grams?|g
            |liters?|litres?|ml|mb|gb|tb|mhz|ghz|hours?|hrs?|minutes?|mins?|seconds?|days?|weeks?|months?|years?|yrs?
            |dollars?|bucks|euros?|eur|usd|gbp|francs?|percent|times|people|persons|guests|kids|children|students
            |employees|players|points|pages|copies|units|calories|followers|subscribers|degrees|rooms|bedrooms|tickets
            |seats|hundred|thousand|million|billion|k""",
        "number": """two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|hundred
            |thousand""",
        "auxiliary": """do|does|did|is|are|am|was|were|has|have|had|can|could|will|would|might|may|should|shall|must|'s
            |’s|['’]re""",
        "whose": "(?:(?P<s>.+?)'s?|(?P<my>[Mm]y))",
        "is": "(?: is| am|'s|'m)",
        "still": "(?: still| now| currently| presently)?",
        "now": " (?:still|now|currently|presently)",
        "has": "(?:'s| has|'ve| have)?(?: just| recently| now)?",
        "to": "(?:from {was} )?to {o}",
    },
    # grammar
    "past": "ed",
    # sentences
    "has_base_verbs": True,
    "has_common_words": True,
    "has_noun_compounds": True,
    "has_thing_pronouns": True,
    "prepositions_join": True,
    "clitics": "n['’]t|['’](?:s|m|re|ve|d|ll)",
    # clauses
    "uncertain": r"""(?-i:may)(?!\s+\d)|might|could|would|maybe|perhaps|possibly|probably|apparently|supposedly|if
        |unless|whether|want(?:s|ed)?|wish\w*|hop(?:e|es|ed|ing)|dream\w*|plan(?:s|ning|ned(?! (?:for|on|in)\b))?
        |consider\w*|think(?:s|ing)?|thought|believ\w*|guess\w*|suppos\w*|assum\w*|imagin\w*|wonder\w*|doubt\w*|not sure
        |unsure|rumou?r\w*|heard|hear|appl(?:y|ied|ies) (?:for|to|at)|(?:almost|nearly)(?! (?:every|always|all|never
        |daily)\b)|jok(?:e|es|ing|ed)|kidding
        |pretend\w*|should|looking for|ask(?:s|ed|ing)? (?:to|for|if|whether)|seem\w*|likely|unlikely|claim\w*|alleg\w*
        |tr(?:y|ies|ied|ying) to|love to|like to|undecided|some(?:one|body) (?:says?|said|told|thinks)|people say""",
    "reported": r"says?|said|tells?|told|mention(?:s|ed)|writes?|wrote|swears?|reckons?|insists?|report(?:s|ed)",
    "former": r"""used to|once(?! (?:a|an|per|every|in|we|I|it|he|she|they|you)\b)|formerly|previously|former
        |years ago|until (?:\w+ )?(?:19|20)\d\d|back then
        |in the past|as a (?:child|kid|student)|grew up|at the time|originally""",
    "untrue": r"not true|untrue|false|a lie|not the case|wrong that",
    "no_longer": r"no longer|any ?more|any longer|(?:give|gives|gave|given) (?:\w+ ){1,3}up|cut (?:\w+ ){1,3}out",
    # times
    "future": r"""will|won['’]t|shall|gonna|\w+['’]ll|(?:is|are|(?<!\d )am|isn['’]t|aren['’]t|be|(?:it|he|she|that
        |there|here|what|who|when|where)['’]s|I['’]m|(?:we|you|they)['’]re)(?:\s+(?:not|now|still|already|all|also
        |only|being|getting|going\s+to|\w+ly))*(?:\s+(?!on\b)\w+)?|upcoming|coming|next|soon|needs?\s+to|must|(?:has
        |have|\w+['’]ve)\s+(?:decid|agre|promis)ed\s+to|has|have|leaves|starts|begins|arrives|departs|flies|opens
        |closes|ends|expires|finishes|returns|comes|meets|happens|renews|gets|goes|sees|takes\s+place|runs\s+out
        |moves|lands|plans\s+to|(?:was|were|been)\s+(?:thinking|wondering|hoping|planning|considering)|expects|turns
        |celebrates|visits|(?:I|we|you|they)\s+(?:\w+ly\s+|also\s+|just\s+)?(?:leave|start|begin|arrive|depart|fly
        |open|close|finish|return|come|meet|get|go|see|move|land|plan|expect|visit|celebrate|play|travel|drive|marry
        |need|want|work|host|take|pick|do)""",
    "past_tense": r"""(?:was|were)(?!\s+(?:thinking|wondering|hoping|planning|considering)\b)|wasn['’]t|weren['’]t
        |had|hadn['’]t|couldn['’]t|did(?:n['’]t)?(?:\s+\w+){0,2}|(?:remember|recall|after)\s+\w+ing
        |\w+['’]ve(?!\s+(?:got|been|(?:decid|agre|promis)ed\s+to)\b)|(?:has|have|\w+['’](?:ve
        |s))\s+been(?!\s+(?:thinking|wondering|hoping|planning|considering)\b)|since|earlier|{past}|(?:I|we|he|she
        |they|finally|recently)\s+(?:read|put|cut|hit|set|let|quit|hurt|beat|bet|spread)|(?!(?:need|plann|schedul
        |expect|delay|limit|suppos|propos|shar|unit|relat|hundr|inde|proce|succe|exce)ed\b|(?:agre|promis
        |offer)ed\s+to\b)\w{2,}ed""",
    "rescheduled": r"""moved|shifted|pushed|postponed|delayed|rescheduled|brought\s+forward|extended""",
    "arranged": """booked|reserved|planned|scheduled|set|fixed|arranged|expected|agreed|promised|invited|invitation
        |tickets?|reservation|appointment""",
    "frequency": r"""(?:once|twice|(?:once|one)\s+or\s+twice|(?:\d+|two|three|four|five|six|seven|several
        |a\s+few)\s+times|thrice)(?:\s+(?:an?|per|each|every)\s+\w+|\s+weekly|\s+daily)?|(?:every|each)\s+(?:other\s+
        |single\s+|\d+\s+|two\s+|few\s+)?(?:\w*day|night|week|weekend|month|year|morning|evening)s?|daily|weekly|monthly
        |yearly|annually|every\s+now\s+and\s+then|on\s+weekends""",
    # numbers
    "minus": "minus",
    "below_zero": "(?:below|under) zero",
    # statements
    "ended": """no longer | not ... anymore | not ... any more | not ... any longer | used to | has stopped~ing | has
        quit~ing | has ceased~ing | has gave up~ing | has given up~ing | has recently stopped~ing | has finally
        stopped~ing | have stopped~ing | have quit~ing | have ceased~ing | have gave up~ing | have given up~ing | have
        recently stopped~ing | have finally stopped~ing | 's stopped~ing | 's quit~ing | 's ceased~ing | 's gave up~ing
        | 's given up~ing | 's recently stopped~ing | 's finally stopped~ing | 've stopped~ing | 've quit~ing | 've
        ceased~ing | 've gave up~ing | 've given up~ing | 've recently stopped~ing | 've finally stopped~ing |
        stopped~ing | quit~ing | ceased~ing | gave up~ing | given up~ing | recently stopped~ing | finally stopped~ing |
        ceased to""",
    "changed": """moved to | moved from | relocated | switched | changed | replaced | instead of | became | migrated |
        is now | are now | am now | now | upgraded | updated to | took over | turned into""",
    "now": "now | currently",
    "correction_openers": "no|sorry|oops|wait|hm+|oh",
    "corrected": """correction | i meant | i was wrong | scratch that | i made a mistake | i misspoke | my mistake | no
        wait | no, wait""",
    "hinted": "actually",
    "swapped": """
        {s} (?:has |have )?(?:recently |just )?(?:switched|migrated|moved|changed|went) from {was} to {o}
        {s} (?:has |have )?(?:recently |just )?(?:replaced|swapped) {was} (?:with|by|for) {o}""",
    "denied": "{frame} not {was},? but {o} | {o}, not {was}",
    "instead": "instead of",
    "single": """called | named | set to | lives in | live in | located in | based in | works at | works for | work at |
        work for | works as | costs | equals | owned by | due on | born in | born on | version | scheduled for | takes
        place on | starts at | expires on | weighs""",
    "loose": "runs on | run on | points to | hosted on | deployed on",
    "doubted": """runs | run | belongs to | comes from | reports to | written in | written by | built with | built on |
        made by | managed by | led by | hosted by""",
    "attribute_nouns": """
        email;email;mail;e-?mail(?: address)?
        phone;phone;phone;(?:tele)?phone(?: number)?
        address;address;address;address
        birthday;date;birth;(?:birthday|date of birth)
        timezone;timezone;zone;time ?zone
        status;state;status;status
        version;version;version;version
        owner;name;owner;owner
        ceo;name;ceo;CEO
        job_title;title;job title;job title
        job_title;occupation;job;(?:job|occupation|profession)
        role;occupation;role;role""",
    "attribute_forms": """
        {whose}(?: current)? {a} is{still} {o}
        *{whose} new {a} is{still} {o}
        [Tt]he(?: current)? {a} of {s} is{still} {o}
        *[Tt]he new {a} of {s} is{still} {o}
        *{s}{has} changed (?:his|her|their|its|my) {a} {to}
        *{whose} {a}{has} (?:changed|went) {to}
        *[Tt]he {a} of {s}{has} (?:changed|went) {to}""",
    "forms": r"""
        lives_in;place; in ;{s}(?:(?:{now})? <live|reside> in|{is}{still} (?:living|residing) in) {o}
        lives_in;place*; to ;{s}{has} (?:moved|relocated)(?: from {was})? to {o}
        lives_in;place; home is;{whose} home is{still} in {o}
        lives_in;place*; settled ;{s}{has} settled (?:down )?in {o}
        located_in;place; in ;{s}{is}{still} (?:based|located|headquartered) in {o}
        job_title;work; as ;{s}(?:(?:{now})? <work>|{is}{still} working) as an? {o}
        job_title;occupation; by ;{s}{is}{still} an? {o} by (?:profession|trade)
        job_title;work*;retrained;{s}{has} retrained as an? {o}
        works_at;organisation;employed;{s}{is}{still} employed (?:at|by) {o}
        works_at;organisation; a job at ;{s} (?:has|have|has got|have got) a job at {o}
        works_at;organisation*;hired;{s} (?:was|got|has been|have been|'s been|'ve been)
            (?: just| recently)? hired (?:at|by) {o}
        works_at;organisation;work;{s}(?:(?:{now})? <work>|{is}{still} working) (?:at|for) {o}
        works_at;joined*;join;{s}{has} joined {o}(?: as (?:an?|the|their) [\w -]+)?
        works_at;organisation*;left ;{s}{has} left {was} (?:for|to join) {o}
        works_at;organisation*;left ;{s}{has} left (?:(?:his|her|their|my) job at )?{was}
        works_at;organisation*;;{s}{has} (?:resigned from|quit(?: (?:his|her|their|my) (?:job|position|role) at)?
            |quit working (?:at|for)|(?:was|were|been|got) (?:fired|laid off|let go) (?:by|from)) {was}
        works_at;organisation*;start;{s}{has} started (?:working )?(?:at|for) {o}
        works_at;organisation*; job at ;{s}{has} (?:got|landed|took|started) a (?:new )?job at {o}
        job_title;title*;promoted;{s} (?:was|got|has been|have been|'s been) promoted to {o}
        name;person;name;{whose} (?:full )?name is{still} {o}
        name;person*;name;{s}{has} changed (?:his|her|their|its|my) name {to}
        timezone;timezone; time zone;{s}{is}{still} in the {o} time zone
        version;version;version;{s}{is}{still} (?:at|on|running) version {o}
        version;version;version;{s} version is{still} {o}
        version;version*;version;{s} (?:was|has been|got)(?: just| recently)? (?:upgraded|updated
            |bumped) (?:from (?:version )?{was} )?to (?:version )?{o}
        version;version*; to version ;(?:We|I)(?: have|'ve)?(?: just| recently)? (?:upgraded|updated|bumped) {s}
            (?: from (?:version )?{was})? to version {o}
        age;age;;{s}{is}{still} (?:aged )?{o}
        age;age*;turned ;{s}{has} turned {o}(?: today| this (?:week|month|year))?
        ceo;name; ceo of ;{o} is{still} the (?:new |current )?CEO of {s}
        ceo;name*; ceo of ;{o}{has} (?:took over as|became|was (?:named|appointed)(?: as)?|been (?:named|appointed)
            (?: as)?)(?: the)?(?: new)? CEO of {s}
        ceo;name*; as ceo of ;{o}{has} (?:replaced|succeeded) {was} as(?: the)? CEO of {s}
        ceo;name*; ceo;{s}{has} (?:named|appointed) {o} (?:as )?(?:its|their|the)(?: new)? CEO
        owner;name*;wnership of ;[Oo]wnership of {s} (?:has )?passed from {was} to {o}
        owner;name; owner of ;{o} is{still} the (?:new |current |sole )?owner of {s}
        owner;name; owned by ;{s}{is}{still} owned by {o}
        married_to;person;married to ;{s}{is}{still} married to {o}
        allergic_to;thing;allergic to ;{s}{is}{still} (?:severely |very |deathly )?allergic to {o}
        likes;thing; like;{s}(?: really)? <like> {o}
        likes;thing; lov;{s}(?: really| absolutely)? <love> {o}
        prefers;thing;prefer;{s} <prefer> {o}
        speaks;language;speak;{s} <speak> (?:fluent )?{o}(?: fluently)?
        uses;tool; use;{s}(?:(?:{now})? <use>|{is}{still} using) {o}
        favourite;thing;favo;{whose} favou?rite (?P<what>[a-z]+(?: [a-z]+)?) (?:is|are){still} {o}""",
    "trailing": r"""now|currently|these days|nowadays|at the moment|right now|again|already|for good|by the way|btw
        |(?:since|as of) (?:[\w']+ ?){1,4}|with (?:her|his|their|my|our) [a-z]+(?: and [a-z]+)?|for (?:the (?:last
        |past) )?(?:\w+ )?\w+ years(?: now)?""",
    "leading": r"now|currently|these days|as of (?-i:[A-Z])\w+(?: \d{4})?",
    "lately": """(?:just |only )?(?:yesterday|today|recently|lately|last (?:night|week|month)|this (?:week|month
        |morning)|(?:a|two|three|a few|some) (?:days?|weeks?) ago)""",
    "ends_of_clause": "because|since|as of|but",
    "next_clause": r"she|he|they|it|we|i|now|instead|because|since|as|is|has|have|having|moved|\w+ed",
    "kinds": {
        "owner": r"(?:[Tt]he )?[\w&-]+(?: [\w&-]+)? (?:team|squad|group)|[a-z]+(?:[-_][a-z0-9]+)+",
        "people": r"\w+(?:ian|ish|ese|ican)",
        "language": r"""[A-Z]\w+(?:ish|ese|ian|ean)|French|German|Greek|Dutch|Czech|Thai|Hindi|Urdu|Swahili|Arabic
            |Mandarin|Cantonese|Hebrew|Farsi|Tagalog|Korean|Catalan|Basque|Bengali|Tamil|Telugu|Punjabi|Icelandic|Slovak
            |Slovene|Yoruba|Zulu|Xhosa|Latin|Afrikaans|Gaelic|Welsh|Quechua|Esperanto|Nahuatl|Malay|Lao|Khmer|Pashto
            |Kurdish|Croatian""",
        "occupation": r"""(?i:(?=(?:\S+ ?){1,5}$)(?=[\w /&,-]+$)(?:.* )?(?:\w+(?:er|or|ist|ian|ant|ect|eer|man|woman
            |lyst)|nurse|chef|cook|clerk|pilot|coach|judge|lead|head|intern|vet|dj|ceo|cto|cfo|barista|apprentice
            |midwife|model|surgeon|officer|agent|president|secretary|au pair))""",
        "timezone": r"""(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d\d)?)?|[A-Z]{2,4}T|[A-Z][a-z]+/[A-Z][A-Za-z_]+
            |[A-Z][a-z]+(?: [A-Z][a-z]+)? (?:Standard )?[Tt]ime""",
    },
    "not_kinds": {
        "place": """accounting agile ai android angular ansible apache aws azure bigquery bitbucket cassandra chrome
            cloud csharp data databricks debian design devops discord django docker ec2 elasticsearch emacs engineering
            english enterprise excel fedora finance firefox first flask french gcp german github gitlab go god golang
            graphql grpc helm hr ios it java javascript jenkins jesus jira kafka kanban kotlin kubernetes lambda legal
            linear linux logistics macos management mariadb marketing ml mongodb mysql nginx node nomad notion
            opensearch operations oracle perl php platform plus podman postgres postgresql premium pro procurement
            product python qa react redis research rest ruby rust s3 saas safari sales scala scrum second security slack
            snowflake spanish spark sqlite support swift teams terraform third typescript ubuntu vim vue wifi windows
            zoom""",
        "name": "a an her his i it my our that the their this your",
        "joined": """alliance army association band bluesky board bumble call choir church clan class club committee
            community council course cross discord eu facebook federation forum github greenpeace group guild gym
            instagram league linkedin mastodon meeting mensa nato navy netflix network party program programme reddit
            slack society spotify strava team telegram tiktok tinder twitter un union webinar whatsapp who workshop wto
            x youtube zoom""",
        "state": """a an available bad based being changed changing checked confusing correct determined displayed due
            good important in-between it like missing pending-on required sent set shown so still stored subject the
            tracked unclear unknown up updated very visible what wrong""",
        "occupation": """adventure another answer barrier better bigger breaker buffer bummer center chapter constant
            container corner cover disaster downer error factor filler filter great important killer ladder larger layer
            loader major matter minor mirror monster never number offer order other over paper placeholder player
            pleasant reminder router server significant starter stressor trigger under wonder wrapper""",
        "work": """backup base bonus charm couple family gift group means metaphor pair part reminder replacement result
            side solution substitute team tool treat unit way whole workaround""",
        "thing": """a all an and any anything are as at be being both but by did do does doing each every everyone
            everything fact feeling finding for from getting giving going had haha has have having he hearing helping
            her here hers him his how i idea in into is it it's its just knowing like lol looking lots making many me
            mine more most much my not nothing of on one ones or other others our ours out over really seeing she so
            some someone something such than that that's the their them then there these they this those to too trying
            up us using very was watching way we well were what when where which who why with you your yours""",
        "aged": """admission answer bmi breakfast chapter dinner entry gate iq lane level limit lunch number option page
            platform price question rent room score size speed step target temperature total track""",
        "favourite": "about bit memories memory moment of one part place thing things time times way",
    },
    "relations": r"""
        works_at; person name; organization; (?:works?|worked|working|is employed|was hired) (?:\w+ )?(?:at|for|by)
            |(?:has|got|took) a (?:new )?job (?:at|with)|joined
        works_at; person name; organization name; (?:works?|working|is employed) (?:\w+ )?(?:at|for|by)|(?:has|got
            |took) a (?:new )?job (?:at|with)
        lives_in; person name; place name; (?:lives?|lived|living|resides?|moved|relocated|settled) (?:\w+ )?(?:in
            |to)
        studied_at; person name; organization; (?:stud(?:ies|ied|ying)|graduated) (?:\w+ )?(?:at|from)|(?:goes
            |went) to
        founded; person name organization; organization; founded|co-founded|started|established
        member_of; person name; organization name; (?:is|was|became) (?:a|the|an)? ?(?:\w+ )?(?:member|ceo|cto|cfo
            |chair|director|president|head|founder|employee) (?:of|at)
        attended; person organization name; organization event place name; attend(?:s|ed|ing)|took part in
            |went to the|participated in|spoke at|presented at
        organized_by; event name; person organization name; (?:organi[sz]ed|hosted|run|held) by
        based_in; organization person name; place; (?:based|headquartered) (?:in|out of)
        located_at; organization place event name; place; (?:located|situated|held|takes? place|took place) (?:in|at
            |near)|is in
        occurred_on; organization event person name; date; (?:held|takes? place|took place|happen(?:s|ed)|occurred
            |scheduled|born|signed|released|launched|founded) (?:on|in|for)
        married_to; person name; person name; (?:is|was|got) (?:married|engaged) to|married
        knows; person name; person name; (?:met|befriended|is (?:a )?(?:good |close |best )?friends? (?:of|with)
            |(?:is|was) (?:dating|seeing))
        acquired; organization name; organization; acquired|bought|took over|has acquired
        developed; person organization; name; developed|invented|designed|created|built
        wrote; person; name; wrote|authored|published""",
    "relation_groups": """
        married marry marries wed wedding wife husband spouse partner engaged
        work works job employed employer hired team colleague join joined start started engineer boss manager staff role
        live lives lived reside home house moved move stay based located location address city
        own owns has have pet bought buy buys belong possess got cat cats dog dogs
        parent child children son daughter mother father mum mom dad
        sister brother sibling twin
        relative family cousin aunt uncle grandmother grandfather niece nephew
        friend friends mate buddy
        like likes love loves prefer enjoy favourite favorite interested fan
        lead leads manage manages manager boss report reports head director ceo runs
        know knows meet met acquainted
        use uses used using tool runs
        study studies studied student learn university school attends attended
        visit visited travel travelled trip went go
        make made create created build built write wrote written author develop developed""",
    "also_known_as": r"""(?:(?:is|was|are|which is|who is)\s+)?(?:(?:also|previously|formerly|otherwise|better|sometimes
        |\w{1,20} is)\s+)?(?:a\.?k\.?a\.?|(?:commonly |publicly |widely )?(?:known|tracked|referred to|identified|dubbed
        |named|designated|called)(?:\s+(?:by\s+[\w .]{1,30}?\s+)?as)?|alias)[,:]?\s+(?:the\s+)?(?:name\s+)?""",
    "listing": "and|or|plus|as well as|along with",
    "further_verbs": """us(?:es|ed)|exploit(?:s|ed)|target(?:s|ed)|deploy(?:s|ed)|drop(?:s|ped)|deliver(?:s|ed)
        |download(?:s|ed)|attack(?:s|ed)|compromised?|develop(?:s|ed)|creates?|created|installs?|installed|distributes?
        |distributed|communicates?|communicated|targeting|using|exploiting|deploying|works|worked|lives|lived|moved
        |joined|founded""",
    "causes": r"""(?:(?:has|have|had|that|which|then|also|directly|ultimately|eventually)\s)*(?:caused|causes|led to
        |leads to|resulted in|results in|triggered|triggers|gave rise to|brought about)""",
    "caused_by": r"""(?:(?:is|was|were|are|has been|had been)\s+)?(?:because of|due to|caused by|triggered by
        |as a result of|owing to|resulted from)""",
    "preceded_by": "(?:shortly |soon |immediately |right )?(?:after|following)",
    "cause_hints": "caus|led to|leads to|result|trigger|gave rise|brought about|due to|owing to|[Aa]fter|[Ff]ollowing",
    # polarity and modality
    "negation": r"""no|not|never|none|nobody|nothing|neither|nor|cannot|without|hardly|barely|no\s+one|\w+n['’]t
        |\w*[不没未無无]\w*""",
    "simple_negation": r"not|never|cannot|\w+n['’]t",
    "contrast": r"neither|nor|no\s+longer|no\s+evidence|without|hardly|rather\s+than|instead\s+of|unlike",
    "denied_ahead": r"""no (?:evidence|indication|sign|proof|reason)|den(?:y|ies|ied)|doubts?|refut(?:es?|ed)
        |false(?:ly)?|untrue|myth|not true|not (?:believe|think|the case)|\w+n['’]t (?:believe|think)""",
    "denial_verbs": r"(?:failed|fails|refused|refuses|declined|forgot|unable)\s+to",
    "no_denial": r"""(?:do\s+not|don['’]t|never|not\s+to|let['’]s\s+not)\s+(?:forget|miss|lose|hesitate)(?:\s+to
        |\s+that)?|not\s+only|not\s+just|no\s+(?:later|more|less|fewer)\s+than|not\s+until|no\s+(?:doubt|wonder|problem
        |worries)|nothing\s+but|(?:nobody|no\s+one|none)\s+but|can['’]t\s+wait""",
    "soft_denial": r"""fail\w*|refus\w*|declin\w*|reject\w*|quit\w*|stop\w*|gave up|giv\w+ up|lost|lacks?|missing|missed
        |left|leav\w+|moved|sold|ended|cancel\w*|closed|empty|dead|died|former\w*|used to|ex|unable|instead|un(?!der|til
        |less|ited|ion|ique|iv)\w{4,}|hates?|dislikes?|avoid\w*|against|except|forgot\w*|deni\w+|deny|allergic|vegan
        |vegetarian|single|divorced""",
    "hypothetical": r"""if|unless|whether|suppos(?:e|ing|edly)|assum(?:e|ing)|imagine|hypothetical(?:ly)?|allegedly
        |might|could|would(?! rather\b| prefer\b)|wouldn['’]t|should|(?-i:may)(?!\s+\d)|perhaps|maybe|possibly
        |potentially|theoretically|rumou?r(?:s|ed)?|pretend(?:s|ed)?|unclear|doubt(?:s|ed|ful)?|in case|wish|hoping|hope
        |wonder(?:ing)?|thinking of|thinking about|considering""",
    "tentative": r"(?:wants?|hopes?|plans?|tried|fail(?:s|ed)|unable)\s+to|cannot",
    "reports": r"""think\w*|thought|sa(?:y|ys|id)|claim\w*|hears?|heard|believ\w*|guess\w*|hope[sd]?|wish\w*|suppos\w+
        |suspect\w*|expect\w*|assum\w*|imagin\w*|doubt\w*|wonder\w*|pretend\w*|tells?|told|ask(?:s|ed)?|joke[sd]?
        |dream\w*|if|whether""",
    "until": "until|till",
    "over": r"used\s+to|former\w*|no\s+longer|any\s*more|any\s+longer|ex|quit|stop\w*|ceased?",
    "quantities": r"""every\w*|all|any(?:body|one|thing)|some(?:body|one|thing)?|only|both|each|most|none|always|ever
        |yet|more|less|than|enough|too|other|another""",
    # names
    "bodies": """Inc|Incorporated|Labs?|Laborator(?:y|ies)|Ltd|Limited|LLC|LLP|Corp|Corporation|Co|PLC|University
        |College|Institute|School|Academy|Bank|Foundation|Association|Agency|Ministry|Department|Bureau|Committee
        |Commission|Council|Society|Union|Party|Hospital|Clinic|Museum|Group|Holdings|Partners|Technologies|Technology
        |Systems|Software|Security|Networks|Airlines|Airways|Motors|Pharmaceuticals|Industries|Solutions|Services
        |Consulting|Studios|Press|Organi[sz]ation|Center|Centre|Team|Intelligence|Research""",
    "into_place": r"\b(?:in|to|from|near|around|across|visit(?:ed|ing)?|outside|throughout|within) (?:the )?$",
    "name_cues": r"""\b(?:named|called) [\"“'‘(]*$""",
    # importance
    "critical": r"""
        name surname nickname birthday email mail address phone password pronouns birth contact number;
            \b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Uu]ser['’]?s?|[A-Z]\w+['’]s)(?: \w+){0,2} (?:(?:sur|nick)?name
            |birthday|e-?mail|address|phone|number|password|pronouns|blood type|date of birth
            |contact)(?: \w+){0,2}(?: ?[=:]| (?:is|are|was)\b)
        account customer client member passport policy patient id;
            \b(?i:account|customer|client|member|passport|policy|patient|user)[ _-]?(?i:id|number|no
            |nr)\W{1,3}(?:is )?\S*\d
        call; \b[Cc]all me [A-ZÀ-Þ]
        allergic allergy allergies vegan vegetarian diabetic coeliac celiac pregnant asthmatic epileptic deaf blind
            intolerant;
            (?i)(?:\b(?:am|is|are)|['’](?:m|s|re))(?: \w+){0,3} (?:allergic|vegan|vegetarian|diabetic|c(?:o)?eliac
            |pregnant|asthmatic|epileptic|deaf|blind|intolerant)\b|\ballerg(?:y|ic|ies) (?:to|against) \w
        prefer; \b(?:I|we|user|he|she|they|[A-Z][a-z]+)(?: \w+)? prefers?\b
        favorite favourite;
            \b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Uu]ser['’]?s
            |[A-Z]\w+['’]s)(?: [\w-]+){0,2} favou?rites?(?: [\w-]+){1,3} (?:is|are)\b
        eat drink wear fly use take answer reply call write speak;
            \b[Pp]lease (?:always|never)\b|\bI (?:always|never) (?:eat|drink|use|wear|take|fly)\b""",
    "chatter": """ok(?:ay)?|alright|thanks?(?: you| a lot| so much)?|thx|cool|great|nice|wow|yes|yeah|yep|yup|no|nope
        |nah|sure|hi|hey|hello|(?:good|bye-)?bye|good (?:morning|night|luck)|see you(?: (?:later|soon|tomorrow))?
        |talk (?:later|soon)|lol|haha+|got it|sounds (?:good|great)|you['’]?re welcome|my pleasure
        |no (?:problem|worries)|take care|amazing|awesome|perfect|(?:very )?good|fine|all (?:good|right)|right|true
        |exactly|indeed|of course|fair enough|makes sense|i see|i will|will do|well|then|please|never mind
        |that['’]?s (?:fine|good|great|nice)|h+m+|m+h*m+|u+h+(?:[ -]?huh)?|u+m+|o+h+|a+h+a?|how are you""",
    "polite_openings": """hi|hey|hello|bye|goodbye|thx|cheers|congrats|congratulations|welcome|thanks?|thank you|sounds
        |enjoy|good (?:luck|night|morning|afternoon|evening)|best of luck|(?:i )?hope(?: that)? you|wishing you
        |(?:it['’]?s |it was )?(?:so |really )?(?:good|great|nice|lovely) to (?:see|hear|meet|talk|chat|catch)
        |(?:i['’]ll )?(?:see|talk to|catch) (?:you|ya)|talk (?:soon|later)|take care|have (?:an?|some|fun)|let me know
        |tell me|keep (?:me|it|up|going)|no (?:problem|worries)|my pleasure|count on|you got this|you(?:['’]re
        | are) (?:so |very )?welcome|check (?:it|this|that|them) out|take a look|look at
        |(?:i['’]m |i am )?(?:so |really )?(?:glad|happy|sorry|proud|excited|thrilled) (?:to hear|for|of)? ?you
        |(?:i['’]m |i am )?(?:so |really )?(?:glad|happy|sorry|proud|excited|thrilled) to hear""",
    "filler": r"(?:hi|hey|hello|ok(?:ay)?|thanks?|well|so|wow|yes|no|sure|great|oh)\b[^.!?]{0,24}[.!?,]*$",
    "vague_opening": r"""\W*(?:(?:well|oh|yeah|yes|no|so|and|but|wow|also|plus|actually),?\s+)*(?:he|she|it|they|this
        |that|these|those|you)(?:['’](?:s|re|ll|d|ve))?""",
    "lasting": r"""(?:(?:Oh|Well|Yeah|Yes|And|So|Actually|Also
        |By the way),? )?(?:{subject} (?:\w+ly |very |also )?(?:allergic|intolerant) to \w
        |{subject} (?:an? )?(?:strict )?(?:vegan|vegetarian|pescatarian|diabetic|left-handed|colou?r[- ]blind|retired)\b
        |{subject} (?:originally )?from [A-Z]|(?:I (?:currently )?(?:live|work|teach|study)|I(?:['’]m
        | am) (?:currently )?(?:living|working|studying)) (?:in|at|as|for|near) |I(?:['’]m
        | am) (?:currently )?based in |I (?:was born|grew up) (?:in|on) |I (?:(?:really|strongly|usually|always
        |generally|much) )?prefer \w|I (?:have|own|['’]ve got) (?:an?|one|two|three|four|five|\d+) (?:\w+ ){0,2}(?:{kin}
        |(?:{kin})s|kids|children|pets?|siblings|degree|allergy)\b|[Mm]y (?:\w+ )?(?:{kin})(?:['’]s name is
        | is (?:called|named))\b|[Mm]y (?:favou?rite (?:\w+ ){1,3}|name|birthday|job|hometown|degree|blood type
        |anniversary) ?(?:is|are) )""",
    "elsewhere": "this|that|these|those|it|them|they|here|there|you|your",
    "first_person_words": r"i|me|my|mine|we|us|our|ours|\w*我\w*",
    "speaker_words": "(?-i:I)|my|we|our",
    "yes_or_no": "yes|yeah|yep|yup|no|nope|nah|sure|exactly|right|correct|да|нет|はい|いいえ|是的?|不是?",
    "outside": "out of|outside(?: of)?",
    "occupation": r"""\w{2,}(?:er|or|ist|ian|eer|ant|smith|wright|man|woman|men|wife|officer|agent|student|
        keeper|hand)|nurse|chef|cook|clerk|guard|coach|judge|maid|host|scout|intern|lead|head|analyst|
        apprentice|gp|vet|pilot|surgeon|mechanic|paramedic|athlete|poet|guide|monk|nun|priest|pastor|rabbi|imam|
        architect|scientist|president|chair|ceo|cto|cfo|coo|dev|devops|critic|diplomat|soldier|detective|
        representative|executive|dietician|librarian|sculptor|temp""",
    "plain_yes_no": "yes|no",
    "unknown": r"""i (?:do not|don['’]t|cannot|can['’]t) (?:know|tell|say)|(?:it is |that is |it['’]s )?(?:not known
        |unknown|unclear|not (?:mentioned|stated|specified|said))|(?:the |these )?memor(?:y|ies) (?:do not|does not
        |don['’]t|doesn['’]t) (?:say|tell|mention|contain|answer|state|hold|provide|know)s?|no memor(?:y|ies) (?:say
        |tell|mention|contain|answer|state|hold|provide|know)s?|(?:there is )?no (?:answer|information|record)\b
        |not enough information|n/a""",
    "constraint": r"""allergic to|allergy to|allergies to|(?:lactose|gluten)[ -]intoleran\w+|(?:I['’]m|I am|he['’]s
        |she['’]s|is|are|we['’]re) (?:an? |strictly )?(?:vegan|vegetarian|diabetic|celiac|coeliac)|must(?! be| have| say
        | admit| feel| really| love| get| [^\W_]*ly) \w+|mustn['’]t|must be (?:by|before|in|under|at|on|able|done
        |finished|submitted|paid|signed|returned|delivered|approved)|(?:has|have|needs?) to be (?:done|ready|submitted
        |delivered|paid|by|before|in|under|at|on)|(?:can['’]?t|cannot|can not)(?: really)? (?:eat|drink|have|use|come
        |attend|work|go|afford|drive|take|travel|exceed|leave|spend|walk|fly|swim|tolerate|meet|host|move|change
        |exercise|run|lift|stay|join)(?! (?:wrong|enough|care of))|(?:not|isn['’]t|aren['’]t) (?:allowed|permitted)
        |(?-i:forbidden|mandatory)|(?:no (?:more|later|less|fewer) than|at most|not exceed|maximum of|limited to
        |limit of|limit is) (?:about |around |a total of )?[$€£]?(?:\d|(?:one|two|three|four|five|six|ten|half)\b)\w*
        |(?:under|below|up to|at least) [$€£]\s?\d\w*|budget\b[^.;?]{0,40}\d\w*|\d[^.;?]{0,30}\bbudget|deadline (?:is
        |was|for)|due (?:by|on|next|this|tomorrow)|only (?:have|has|got|work|available|on|after|before
        |between)\b[^.;]{0,30}(?:\d|\w+days?|weeks?|mornings?|evenings?)""",
    "preference": r"""(?:I|we|they|he|she|you and I)(?: (?:{adverb}))*(?: (?:don['’]t|do not|doesn['’]t|does not
        |never))?(?: (?:{adverb}))* (?:love|like|hate|prefer|enjoy|dislike|adore|can['’]t stand){liked}|(?:he|she
        |{named})(?: (?:{adverb}))* (?:loves|likes|hates|prefers|enjoys|dislikes|adores|can['’]t stand){liked}|(?:my|his
        |her|our|their|(?-i:[A-Z]\w+)['’]s) (?:\w+[ -]){0,2}fav(?:ou?rites?|e|s)?|favou?rites? [^.;?]{1,40} (?:is|are
        |was)|from now on|please (?:always|never|call me)|call me (?-i:[A-Z]\w+)|(?:I['’]d|I would
        |we['’]d) (?:much )?(?:rather|prefer)|(?:I['’]m|I am|he['’]s|she['’]s|he is|she is
        |(?-i:[A-Z]\w+) is) (?:not )?(?:a|such a)(?: \w+)? fan of""",
    "decision": r"""(?:(?:I|we|they|he|she|you and I)|{named})(?:['’]ve| have|['’]s| has
        |['’]re)?(?: (?:{adverb}))* (?:decided|agreed(?! with)|settled on|opted for|chose|booked|picked(?! up)|signed up
        |committed to|enrolled|ended up (?:going with|choosing|buying|getting))|let['’]s (?:go with|go for(?! it)|use
        |stick (?:with|to)|settle|meet (?:at|on|in))|(?:I think )?(?:I['’]ll|we['’]ll|I will|we will|(?:I['’]m
        |we['’]re) going to) (?:go (?:with|for)|settle on|stick (?:with|to)|take (?:the|that|this) (?!stage|time|chance
        |opportunity)\w+)|(?:I['’]m|we['’]re) (?:going|sticking) with|(?:final|our|my|the) decision (?:is|was)
        |it(?:['’]s|’s| is| was) (?:decided|agreed|settled)|(?:decision|decided|agreed)(?=\s*:)""",
    "undecided": r"""(?:(?:not|never|hardly|nobody|yet to|undecided|trying to|need to|have to|had to)\b|\w+n['’]t\b
        |no\s)[^.;]{0,24}$""",
    "entity": r"""(?:my|our|his|her|their) (?:\w+ )?(?:sister|brother|mother|father|mom|mum|dad|son|daughter|wife
        |husband|partner|girlfriend|boyfriend|fianc[ée]e?|cousin|aunt|uncle|grandma|grandmother|grandpa|grandfather
        |niece|nephew|friend|boss|manager|colleague|coworker|roommate|neighbou?r|teacher|doctor|therapist|dog|cat|pup
        |puppy|kitten|company|startup|team|project|band|school|university)(?:,|['’]s name is)? (?:(?:is|was) (?:an?|the
        |called|named|from|in)|named|called|works|lives|(?-i:[A-Z]\w+))|(?:I['’]m|I am|{named} (?:is|was)|(?:he
        |she)(?:['’]s| is| was)) (?:an?|my|our|the) (?!(?:bit|little|lot|few|(?:\w+ )?fan|great|good|nice|real|true
        |total|best|perfect|way|reason|thing|mess|wreck|fantastic|stunning|awesome|amazing|beautiful|wonderful|classic
        |tough|big|huge|must|blast|bummer|lovely|super|very|really|pretty|such|type|kind|sort|person|pleasure|delight
        |joy|work|long|solid|popular)\b)\w+|I(?:['’]ve)? (?:work|worked|been working) (?:as|at|for|in)|(?:I|we) (?:live
        |lived|grew up|was born|were born) (?:in|at|near|with)|(?:I['’]m|I am|she['’]s
        |he['’]s) (?:originally )?from (?-i:[A-Z])\w+|name is (?-i:[A-Z])\w+|(?:named|called) [\"“'«]?(?-i:[A-Z])\w+""",
    "amount": r"""[$€£¥]\s?\d[\d.,]*\w*|\d[\d.,]*\s?[%€°](?=)|\+?\d[\d ()-]{6,}\d|v\d+(?:\.\d+)*|\d+\.\d+\.\d+|#\d+
        |\d[\d.,]*[ -]?(?:{unit})|(?:{number}) (?:\w+ )?(?:{unit})|(?:have|has|had|got|own|owns|cost|costs|paid|pay|earn
        |bought|won|ran|run|read|weigh|weighs|spent|saved|raised|sold|made
        |lost) (?:about |around |over |almost |nearly |up to )?(?:\d[\d.,]*|(?:{number})) \w+|(?:number|code|pin|version
        |port|size|room|flight|account|invoice|order)\b[^.;?]{0,20}\d\w*""",
    "advice": r"""you can|you['’]ll|you may|you want|you need|you['’]re (?:looking|interested)|consider|try|make sure
        |be sure|remember|ensure|keep in mind|recommend|suggest|for example|here are|help you|choose|as an ai
        |language model|feel free|tips?|^\W*(?:\d+[.)]|\*\*)""",
    "personal": r"(?-i:I|I['’]\w+|[Mm]y|[Ww]e|[Oo]ur|[Mm]e|[Uu]s|[Yy]our|[Yy]ou['’]?(?:re|ve)?)",
    # parts of answers
    "counted_phrases": r"an?\s+dozen|a\s+couple|both|twice|once",
    "before_age": r"""(?:\b(?:is|am|are|was|were|be|turn(?:s|ed|ing)?|aged?(?:\s+of)?)|['’](?:s|m|re))\s+(?:about\s+
        |only\s+|almost\s+|nearly\s+)?""",
    "after_age": "years?|months?|weeks?|old|now|today|and|but|or|this|last|next|in|on|when",
    "old": "old",
    "because": r"""(?:\b|['’](?=c))(?:because(?:\s+of)?|(?<=['’])cause|since|so\s+that|due\s+to|thanks\s+to
        |in\s+order\s+to)\s+(?!last\b|then\b|our\b|i\s+was\b|\d)(?P<why>[^.;!?\n]{4,})""",
    "by_doing": r"\bby\s+(?P<how>\w+ing\b[^.;!?\n]*)",
    "leading_words": """the|an?|to|for|with|about|of|at|in|on|by|from|up|out|is|was|are|were|be|been|being|it|its|it's
        |some|very|really|so|just|also|all|that|this|these|those|and|or|as|into|my|our|me|us|him|her|them|has|have|had
        |i'm|will|would|can|'s|’s""",
    "trailing_words": r"""and|or|the|an?|to|for|with|about|of|at|in|on|by|from|is|was|are|too|so|that|it|lately|recently
        |though|yet|now|right\s+now|today|yesterday|last\s+\w+|this\s+\w+|next\s+\w+|as\s+well|again""",
    "happened": r"""\w{2,}ed|was|were|had|did|started|read|hit|put|quit|set|{past}|(?:(?:am|is|are)|\w+['’](?:m|re
        |s))\s+(?:currently\s+|now\s+)?\w{2,}ing""",
    "moved": r"(?:moved|relocated)\s+(?:\w+\s+)?to",
    "earlier": r"original\w*|initial\w*|previous\w*|before|used\s+to|(?<!how )old|former\w*|ago",
    "asks_first": r"""(?:for )?the (?:very )?first time(?: that)?|(?:very )?first(?!\s+(?:names?|aid|class|floor|grade
        |thing|of
        |language)\b)|earliest""",
    "asks_last": r"""(?:for )?the (?:very )?last time(?: that)?|(?:very )?last(?!\s+(?:names?|week\w*|month|year|night
        |day|few
        |spring|summer|fall|autumn|winter|semester|quarter|christmas|easter|minute|(?:mon|tues|wednes|thurs|fri|satur
        |sun)day)\b)|latest|most\s+recent(?:ly)?""",
    "asks_times": r"how\s+many\s+times(?!\s+(?:a|per)\b)(?!\s+(?:do|does)\b)|how\s+often\s+did",
    "cleft": r"""^(?:what|which)(?:\s+(?:is|was|are|were)|['’]s)\s+(?:the
        |my)\s+(?:name\s+of\s+the\s+)?(?P<noun>\w+)\s+(?:that
        |which|where|(?:in|at|for)\s+which)?\s*(?P<rest>(?:i|we|he|she|they|you|my\s+\w+|(?-i:[A-Z])\w+)\s+\w.+)""",
    "which_noun": "which",
    # questions
    "asks_when": r"""^\W*(?:(?:and|so|but|then|ok|hey|hi|sorry|please)\W+)*(?:since\s+|until\s+|by\s+|from\s+
        |exactly\s+)?when\b(?!\s+(?:i|you|we|they|he|she|it|my|the)\b[^?]*,\s*(?:what|who|whom|whose|where|which|how|why
        |did|do|does|is|are|was|were)\b)|when(?:'s|’s|\s+exactly)?\s+(?:did|do|does|was|were|is|are|am|will|would|can
        |could|should|shall|has|have|had)|(?:tell|remind|ask|know|knew|remember|recall|say|said|mention(?:ed)?
        |wonder(?:ing)?|sure|confirm|find\s+out)\b(?:\s+\w+){0,3}?\s+when|(?:since|until|till)\s+when|how\s+(?:long|soon
        |recently)|how\s+many\s+(?:\w+\s+)?(?:seconds|minutes|hours|days|nights|weeks|weekends|months|years|decades)
        |(?:what|which)\s+(?:\w+\s+)?(?:date|day|weekday|week|weekend|month|season|quarter|year|decade|century|time
        |hour)|what(?:'s|’s|\s+(?:is|was))\s+the\s+(?:exact\s+)?(?:date|day|month|year|time)""",
    "asks_latest": r"""most\s+recent(?:ly)?|latest|newest|current(?:ly)?|presently|nowadays|previously|formerly
        |these\s+days|(?:last|previous)\s+time|(?:at|for)\s+(?:the\s+moment|present)|(?:before|prior\s+to)\s+(?:that
        |this)(?=\W*$|\W*,)|(?<!from )(?<!until )(?<!till )now(?!\s+that\b|\s+on\b)|(?:did|do|does|have|has|had|was
        |were)\s+(?:\w+\s+){1,3}last\s+(?!(?:\w+\s+)?(?:days?|nights?|weeks?|weekend|months?|years?|season|spring|summer
        |fall|autumn|winter|morning|evening|afternoon|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b)[a-z]\w*
        |the\s+(?:very\s+)?last\s+(?!(?:\w+\s+)?(?:days?|nights?|weeks?|weekends?|months?|years?|decades?|season|hours?
        |minutes?|few|couple|part|name|minute|half|quarter)\b)[a-z]\w*""",
    "asks_name": r"""who|whose|whom|where|which|names?|named|called|nickname|titled?|(?:what|which)(?:\s+(?!(?:is|are
        |was|were|do|does|did|has|have|had|can|could|will|would)\b)[\w'’-]+){0,3}?\s+(?:(?:person|people|friend
        |character|actor|actress|artist|author|singer|band|musician|player|team|celebrity|hero|city|country|state|town
        |village|place|location|island|park|beach|restaurant|cafe|bar|hotel|museum|store|shop|school|college|university
        |venue|area|region|continent|street|river|mountain|lake|book|novel|movie|film|show|series|song|album|game|play
        |painting|podcast|magazine|newspaper|app|website|title|poem|story|company|brand|organi[sz]ation|charity|club
        |platform|agency|bank|model|product|tool|language|breed|event|festival|tournament|holiday|conference|course
        |class|program|project|pet|dog|cat|horse|instrument)(?:e?s)?|cities|countries|universities|companies|charities
        |agencies|stories|parties|classes)""",
    "states_place": r"""(?:(?:in|into|to|at|near|inside|outside|behind|under|beside|opposite|around|across|from
        |visit(?:s|ed|ing)?)\s+(?:the|an?|my|our|his|her|their|its|your|this|that)|(?:on|by|along|through)\s+the)
        \s+(?!(?:morning|afternoon|evening|night|weekend|end|future|past|meantime|moment|time|days?|weeks?|months?
        |years?
        |summer|winter|spring|fall|autumn|middle|beginning|mood|process|same|first|last|next|other|way|phone)\b)\w+
        |(?:in|into|to|at|near|outside|around|across|from|visit(?:s|ed|ing)?)\s+(?!(?:january|february|march|april|may
        |june|july|august|september|october|november|december|\w+day)\b)(?-i:[A-Z])\w+|(?:at|from)\s+(?:home|work
        |school)|abroad|overseas|downtown""",
    "asks_clock_time": r"what\s+(?:exact\s+)?(?:time|hour)",
    "asks_age": r"how\s+old",
    "asks_description": r"""^\W*(?:wh(?:o|at)\s+(?:is|was|are|were)|tell\s+me\s+about|describe
        |what\s+do\s+you\s+know\s+(?:about|of))
        \s+(?-i:[^\W_a-z])[\w.-]*(?:\s+(?-i:[^\W_a-z])[\w.-]*)*\W*$""",
    "wrongly_stated": r"""(?:(?:sorry|oops|correction|wait|no)\b[^.!?]{0,20}?)?\bI (?:said|wrote|told you)(?: that)?
        \s(?P<stated>[^.!?]{4,200}?)
        ,?\s(?:(?:but |and )?that(?:['’]s| is| was) (?:wrong|not right),? )?(?:but |and )?(?:actually )?(?:it['’]s
        |it is|it was
        |that['’]s|he['’]s|she['’]s)(?: actually| really| in fact| in)?
        \s(?P<right>[^.!?,;]{1,60})""",
    "introduces": r"""(?:my name(?:['’]s| is)|name['’]s|call me) (?P<named>{fullname})
        |i['’]?a?m (?P<told>{fullname})(?=\s*(?:[,.!;)]|$|and\b|by the way))
        |^\W*(?:hi|hey|hello)?\W*(?P<here>(?-i:[A-ZÀ-ÖØ-Þ][\w'’-]+)) here(?=\s*[.!,])""",
    "asks_profile": r"""what (?:do you|do we|can you tell me|is|'s) (?:know|known|recorded|remember)? ?(?:about|of)
        \s(?P<about>.+)
        |(?:please )?(?:tell me|what can you tell me) (?:everything (?:you know )?|all (?:you know )?
        |more )?about (?P<told>.+)
        |(?:please )?(?:(?:summari[sz]e|describe)(?: (?:what you know|everything) about)?
        |(?:give me |write )?(?:a|an) (?:short |brief )?(?:summary|overview|profile) (?:of|on|about)) (?P<summed>.+)""",
    "asks_occupation": r"""what (?:does|do|did) (?:\w+['’]?s? ?){1,4} do(?: for (?:a living|work))?\W*$
        |what (?:is|am|are) .+ by profession""",
    "asks_origin": r"""where .+ from\W*$|which (?:city|town|country|village) .+ from\W*$
        |(?:from|in) (?:which|what) (?:city|town|country|place|village) .*(?:come|from|originally|born)\b.*""",
    "asks_of_past": "did",
    "was": "was|were|had|did|been|ex",
    "elapsed_between": r"""how\s+(?:many\s+(?P<unit>day|week|month|year)s|long
        |much\s+time)\b.*?\bbetween\s+(?P<one>.+?)\s+and\s+(?P<two>.+)|how\s+many\s+(?P<unit2>day|week|month
        |year)s\s+(?:had|have)\s+passed\s+since\s+(?P<since>.+?)\s+when\s+(?P<when>.+)""",
    "elapsed_since": r"""how\s+(?:many\s+(?P<unit>day|week|month|year)s|long)\s+(?:ago\s+(?:did|was|were|is)
        |(?:has\s+it\s+been|is\s+it|have\s+passed|has\s+passed)\s+since)\s+(?P<one>.+)""",
    "causal": "why|because|causes?|caused|reasons?|led to|result(?:s|ed)? in|how come|what made",
    "relational": r"""who (?:knows|works|is with)|relationships?|related|connected|between|friends? of|same as|both
        |(?:what|which)(?: \w+){1,3}? (?:do|does|did|has|have) (?!(?:i|you|we|they|he|she|it|my|your|our|his|her|their
        |this|that|these|those|one|people|a|an)\b|the (?-i:[^A-Z]))\w[^?\n]{0,60}? (?:uses?|used|deploy(?:ed)?
        |exploit(?:ed)?|target(?:ed)?|attack(?:ed)?)""",
    "exploratory": "tell me (?:about|more)|what do (?:we|you|i) know|overview|summar(?:y|ise|ize)|describe|everything",
    "factual": r"""^\W*(?:(?:what|which|who|whose|whom|where|how (?:many|much|old|long|far|tall|big|often))\b|(?:is|are
        |was|were|am|do|does|did|has|have|had|can|could|will|would|should)\b)""",
    "steps": r"""who(?:m|se)?|which|the\s+\w+\s+(?:of|that|whom?|which)\s+\w\w*|the\s+(?:person|people|place|man|woman
        |one|thing|company|city|book|film|movie)\s+(?:i|we|he|she|they|you)|\w+['’]s\b.*['’]s""",
    "comparison": r"""compar(?:e|ed|es|ing|ison)|versus|vs|differ(?:s|ed|ences?|ent(?:ly)?)?|both|either|neither
        |same\s+as|than|more|less|fewer|most|least|better|worse|best|worst|first\s+or|earlier\s+or|later\s+or""",
    "joints": "and|or|but|while|when|after|before|because|then",
    "request": "(?:can|could|would|will) you|do you (?:know|remember|think|have)",
    "asked": {
        "frequency": r"how\s+often\b",
        "duration": r"""(?:for\s+)?how\s+long\b|how\s+many\s+(?:more\s+)?(?:seconds|minutes|hours|days|nights|weeks
            |months|years)\b|how\s+much\s+time\b|since\s+when\b""",
        "count": r"how\s+many\b|how\s+old\b",
        "amount": r"(?:(?:for|at|by|to)\s+)?how\s+(?:much|far|tall|high|big|large|fast|heavy|expensive)\b",
        "time": r"""(?:on\s+|in\s+|at\s+|around\s+)?when\b|how\s+recently\b|(?:on\s+|in\s+|at\s+|by\s+
            |during\s+)?(?:what|which)\s+(?:\w+\s+)?(?:date|day|weekday|week|weekend|month|season|quarter|year|decade
            |century|time|hour)(?:e?s)?\b(?!\s+(?:of|zone))|what(?:'s|’s|\s+(?:is|was))\s+the\s+(?:exact\s+)?(?:date|day
            |month|year|time)\b|什么时候|いつ|何时""",
        "place": r"""(?:from\s+)?where\b|(?:in\s+|to\s+|from\s+|at\s+)?(?:what|which)\s+(?:\w+\s+)?(?:city|cities
            |country|countries|state|town|village|place|location|island|region|continent|street
            |neighbou?rhood)(?:e?s)?\b|哪里|どこ""",
        "person": r"""who(?:m|se)?\b|(?:with\s+|to\s+|from\s+|by\s+)?(?:what|which)\s+(?:\w+\s+)?(?:person|people|man
            |woman|actor|actress|artist|author|singer|band|musician|player|friend|colleague|doctor)(?:e?s)?\b|谁|誰""",
        "name": r"""(?:(?:at|in|from|by|with|to)\s+)?(?:what|which)\s+(?:[\w'’-]+\s+){0,2}?(?:book|novel|movie|film|show
            |series|song|album|game|play|podcast|magazine|newspaper|app|website|title|poem|brand|company|companies
            |restaurant|museum|university|school|team|festival|store|shop|breed|model)(?:e?s)?\s+(?=(?:{auxiliary})\b)
            |what\s+(?:is|was|are|were)\s+(?:[\w'’-]+\s+){1,4}?(?:names?|nicknames?|called|named)\b|what(?:'s
            |’s)\s.*\bnames?\b|what\s+\w+\s+(?:[\w'’-]+\s+){0,3}(?:named|called)\b""",
        "reason": r"why\b|what\s+(?:was|is)\s+(?:the|\S+)\s+reason\b|how\s+come\b",
        "manner": r"how\b",
        "thing": r"(?:\w+\s+)?(?:what|which|whose)\b",
        "yes or no": r"(?:(?:{auxiliary})|do(?:es)?n['’]t|didn['’]t|isn['’]t|wasn['’]t)\s",
    },
    "question_leads": r"""and|so|but|then|ok|hey|hi|please|according\s+to\s+\w+,?|(?:can
        |could)\s+you\s+(?:please\s+)?(?:tell|remind)\s+me""",
    "question_auxiliaries": "(?:{auxiliary})",
    "which": "what|which",
    "how_many": r"how\s+(?:many|much)",
    "kind_of": r".*\b(?:kinds?|types?|sorts?|of)\s+(?:of\s+)?\b",
    "either": "or",
    # changes in ordinary talk
    "corrects": r"""sorry|correction|oops|scratch that|no,? wait|wait,? no|hang on|hold on|I meant?|I misspoke
        |my mistake|make (?:that|it)|actually|rather|instead|after all|change of plans?|in the end|turns out|(?:not
        |\w+n['’]t) (?:\w+ ){0,3}until|it['’]s [\w:.,]+,? not""",
    "from_now": r"""(?<!for )(?<!right )now|from now on|these days|nowadays|as of \w+|no longer|any ?more|new
        |since then|finally
        |(?:from|starting) (?:next|this) \w+|since [A-Z]\w+
        |(?:from|starting) (?:January|February|March|April|May|June|July|August|September|October|November
        |December)(?! (?:to|until|till))""",
    "moves": r"""(?:hand|pass)(?:s|es|ed)(?= (?:\w+ ){0,4}(?:over|on) to)|moved to|relocated|(?:got|been|was|were|is
        |are|\w+['’]ve|they|we|I|has|have) (?:\w+ )?(?:pushed|moved
        |bumped|shifted|extended|changed|raised|postponed|rescheduled|delayed|cut)(?: back| forward| up)?|slipped|rose
        |climbed|dropped to|fell to|(?:gone|went|going) (?:up|down)|pushed (?:it |them )?back|brought forward|tak(?:es?
        |ing|en) over|took over|stepp(?:ed|ing) in for|repla(?:ces?|cing|ced)|switched|swapped""",
    "is_over": r"""called off|(?:is|are) history|cancell?ed|scrapped|fell through|is off|died|passed away
        |was put down|traded in|traded
        |gave(?= (?:\w+ ){0,3}away)|(?:given|giving) away|got rid of|laid off|sold|donated|gave up|given up|quit|stopped
        |dropped out
        |isn['’]t happening|won['’]t happen""",
    "parted": r"""broke up|broke off (?:\w+ )?engagement|broken up|split up|separated|divorced
        |called off the engagement|are over""",
    "together": """dating|with|together|seeing|engaged|married|boyfriend|girlfriend|partner|husband|wife|fianc[ée]e?
        |couple""",
    "in_charge": r"""in charge|responsible|lead(?:s|ing)?|led|run(?:s|ning)?|manag\w+|organi[sz]\w+|handl\w+
        |looks? after|looking after|teach\w*|coach\w*|does the|tak\w+ over|took over|chair\w*|cover\w*|coordinat\w+
        |is (?:my|our|the)|in goal|does our""",
    "died": "died|passed away|put down|dead|sold|called off|cancelled|closed",
    "recurs": "leaves?|departs?|runs?",
    "own_forms": "(?!)",
    "other_ones": "other|another|second|third|return|extra|else",
    "comes_of_age": "turn(?:s|ed|ing)? NUMBER|(?:will be|going to be) NUMBER",
    "finished": "finished|completed|(?:done|through) with",
    "replacing": "(?:replac|supersed)(?:es|ed|ing)",
    "asks_leave": "can|may|could|should|allowed",
    "stays": "stay(?:s|ed|ing)?|still|remains?|keep|keeps",
    "outdated": r"(?:is|are) (?:history|obsolete|outdated|out of date|no longer valid|retired|gone)",
    "instead_of": "instead of|rather than|in place of",
    "which_owned": r"""(?:which|what) (?P<noun>\w[\w -]*?) (?:(?:do|does) (?P<one>I|we|[A-Z]\w+) (?:use|have|own
        |drive|ride|wear
        |go to|pay for|subscribe to)|(?:am|is|are) (?P<two>I|we|[A-Z]\w+) (?:using|driving|at|with|on))""",
    "what_is_mine": "What is my {noun}?",
    "what_is_theirs": "What is {one}'s {noun}?",
    "idle_in_changes": """update|news|change|weekend|middle|dose|dosage|away|take|let's|let|'s|appointment|guess|back
        |ca|wo|do|does
        |actually
        |sorry|fine|ok|okay|well
        |sadly|anyway|way|time|o'clock|please|mr|ms|mrs|dr""",
    "stated_words": "(?:I|we) (?:said|wrote|put)|told you",
}
