"""English: the words that mark change and correction, and the forms in which facts are stated."""

from __future__ import annotations

from engrain.language.locales.locale import FactForm, Locale

_ATTRIBUTES = (  # predicate, cue, how it is called, what its value looks like
    ("email", "mail", "e-?mail(?: address)?", "email"),
    ("phone", "phone", "(?:tele)?phone(?: number)?", "phone"),
    ("address", "address", "address", "address"),
    ("birthday", "birth", "(?:birthday|date of birth)", "date"),
    ("timezone", "zone", "time ?zone", "timezone"),
    ("status", "status", "status", "state"),
    ("version", "version", "version", "version"),
    ("owner", "owner", "owner", "name"),
    ("ceo", "ceo", "CEO", "name"),
    ("job_title", "job title", "job title", "title"),
    ("job_title", "job", "(?:job|occupation|profession)", "occupation"),
    ("role", "role", "role", "occupation"),
)
_HAS = "(?:'s| has|'ve| have)?(?: just| recently| now)?"
_TO = " (?:from {was} )?to {o}"


def _attribute(predicate: str, cue: str, called: str, kind: str) -> tuple[FactForm, ...]:
    new = FactForm(predicate, cue, f"{{whose}} new {called} is{{still}} {{o}}", kind, change=True)
    return (
        FactForm(predicate, cue, f"{{whose}}(?: current)? {called} is{{still}} {{o}}", kind),
        new,
        FactForm(predicate, cue, f"[Tt]he(?: current)? {called} of {{s}} is{{still}} {{o}}", kind),
        new._replace(form=f"[Tt]he new {called} of {{s}} is{{still}} {{o}}"),
        new._replace(form=f"{{s}}{_HAS} changed (?:his|her|their|its|my) {called}{_TO}"),
        new._replace(form=f"{{whose}} {called}{_HAS} (?:changed|went){_TO}"),
        new._replace(form=f"[Tt]he {called} of {{s}}{_HAS} (?:changed|went){_TO}"),
    )


_FORMS = (
    FactForm("lives_in", " in ", "{s}(?:(?:{now})? <live|reside> in|{is}{still} (?:living|residing) in) {o}", "place"),
    FactForm("lives_in", " to ", f"{{s}}{_HAS} (?:moved|relocated)(?: from {{was}})? to {{o}}", "place", change=True),
    FactForm("lives_in", " home is", "{whose} home is{still} in {o}", "place"),
    FactForm("lives_in", " settled ", f"{{s}}{_HAS} settled (?:down )?in {{o}}", "place", change=True),
    FactForm("located_in", " in ", "{s}{is}{still} (?:based|located|headquartered) in {o}", "place"),
    FactForm("job_title", " as ", "{s}(?:(?:{now})? <work>|{is}{still} working) as an? {o}", "work"),
    FactForm("job_title", " by ", "{s}{is}{still} an? {o} by (?:profession|trade)", "occupation"),
    FactForm("job_title", "retrained", f"{{s}}{_HAS} retrained as an? {{o}}", "work", change=True),
    FactForm("works_at", "employed", "{s}{is}{still} employed (?:at|by) {o}", "organisation"),
    FactForm("works_at", " a job at ", "{s} (?:has|have|has got|have got) a job at {o}", "organisation"),
    FactForm(
        "works_at",
        "hired",
        "{s} (?:was|got|has been|have been|'s been|'ve been)(?: just| recently)? hired (?:at|by) {o}",
        "organisation",
        change=True,
    ),
    FactForm(
        "works_at",
        "work",
        "{s}(?:(?:{now})? <work>|{is}{still} working) (?:at|for) {o}",
        "organisation",
    ),
    FactForm("works_at", "join", f"{{s}}{_HAS} joined {{o}}(?: as (?:an?|the|their) [\\w -]+)?", "joined", change=True),
    FactForm("works_at", "left ", f"{{s}}{_HAS} left {{was}} (?:for|to join) {{o}}", "organisation", change=True),
    FactForm(
        "works_at", "left ", f"{{s}}{_HAS} left (?:(?:his|her|their|my) job at )?{{was}}", "organisation", change=True
    ),
    FactForm(
        "works_at",
        "",
        f"{{s}}{_HAS} (?:resigned from|quit(?: (?:his|her|their|my) (?:job|position|role) at)?|quit working (?:at|for)"
        "|(?:was|were|been|got) (?:fired|laid off|let go) (?:by|from)) {was}",
        "organisation",
        change=True,
    ),
    FactForm("works_at", "start", f"{{s}}{_HAS} started (?:working )?(?:at|for) {{o}}", "organisation", change=True),
    FactForm(
        "works_at",
        " job at ",
        f"{{s}}{_HAS} (?:got|landed|took|started) a (?:new )?job at {{o}}",
        "organisation",
        change=True,
    ),
    FactForm(
        "job_title", "promoted", "{s} (?:was|got|has been|have been|'s been) promoted to {o}", "title", change=True
    ),
    *(form for attribute in _ATTRIBUTES for form in _attribute(*attribute)),
    FactForm("name", "name", "{whose} (?:full )?name is{still} {o}", "person"),
    FactForm("name", "name", f"{{s}}{_HAS} changed (?:his|her|their|its|my) name{_TO}", "person", change=True),
    FactForm("timezone", " time zone", "{s}{is}{still} in the {o} time zone", "timezone"),
    FactForm("version", "version", "{s}{is}{still} (?:at|on|running) version {o}", "version"),
    FactForm("version", "version", "{s} version is{still} {o}", "version"),
    FactForm(
        "version",
        "version",
        "{s} (?:was|has been|got)(?: just| recently)? (?:upgraded|updated|bumped)"
        " (?:from (?:version )?{was} )?to (?:version )?{o}",
        "version",
        change=True,
    ),
    FactForm(
        "version",
        " to version ",
        "(?:We|I)(?: have|'ve)?(?: just| recently)? (?:upgraded|updated|bumped) {s}"
        "(?: from (?:version )?{was})? to version {o}",
        "version",
        change=True,
    ),
    FactForm("age", "", "{s}{is}{still} (?:aged )?{o}", "age"),
    FactForm("age", "turned ", f"{{s}}{_HAS} turned {{o}}(?: today| this (?:week|month|year))?", "age", change=True),
    FactForm("ceo", " ceo of ", "{o} is{still} the (?:new |current )?CEO of {s}", "name"),
    FactForm(
        "ceo",
        " ceo of ",
        f"{{o}}{_HAS} (?:took over as|became|was (?:named|appointed)(?: as)?|been (?:named|"
        "appointed)(?: as)?)(?: the)?(?: new)? CEO of {s}",
        "name",
        change=True,
    ),
    FactForm(
        "ceo",
        " as ceo of ",
        f"{{o}}{_HAS} (?:replaced|succeeded) {{was}} as(?: the)? CEO of {{s}}",
        "name",
        change=True,
    ),
    FactForm(
        "ceo",
        " ceo",
        f"{{s}}{_HAS} (?:named|appointed) {{o}} (?:as )?(?:its|their|the)(?: new)? CEO",
        "name",
        change=True,
    ),
    FactForm("owner", "wnership of ", "[Oo]wnership of {s} (?:has )?passed from {was} to {o}", "name", change=True),
    FactForm("owner", " owner of ", "{o} is{still} the (?:new |current |sole )?owner of {s}", "name"),
    FactForm("owner", " owned by ", "{s}{is}{still} owned by {o}", "name"),
    FactForm("married_to", "married to ", "{s}{is}{still} married to {o}", "person"),
    FactForm("allergic_to", "allergic to ", "{s}{is}{still} (?:severely |very |deathly )?allergic to {o}", "thing"),
    FactForm("likes", " like", "{s}(?: really)? <like> {o}", "thing"),
    FactForm("likes", " lov", "{s}(?: really| absolutely)? <love> {o}", "thing"),
    FactForm("prefers", "prefer", "{s} <prefer> {o}", "thing"),
    FactForm("speaks", "speak", "{s} <speak> (?:fluent )?{o}(?: fluently)?", "language"),
    FactForm("uses", " use", "{s}(?:(?:{now})? <use>|{is}{still} using) {o}", "tool"),
    FactForm("favourite", "favo", "{whose} favou?rite (?P<what>[a-z]+(?: [a-z]+)?) (?:is|are){still} {o}", "thing"),
)

ENGLISH = Locale(
    code="en",
    snowball="english",
    articles=frozenset("the a an".split()),
    copulas=frozenset("is are am be 's 're 'm".split()),
    first_person=frozenset(["i"]),
    first_possessive=frozenset(["my"]),
    pronouns=frozenset(
        """he she it they we you this that these those there here who what which where when why how someone somebody
        everyone everybody anyone nobody everything something nothing one some many most all both each none people his
        her its their our your maybe perhaps yesterday today tomorrow tonight then now later recently soon once still
        also so but and or if unless while because although though since after before until yes no not never well hey
        hi oh wow ok okay thanks please sorry let just glad great sure sounds looks guess hope think if as for
        in on at
        to from with by of about currently apparently supposedly finally sometimes usually often mom mum dad mama papa
        grandma grandpa grandpa mommy daddy only even nice good another other others monday tuesday wednesday thursday
        friday saturday sunday every any my i""".split()
    ),
    verbs=frozenset(
        """use run live work like love prefer own have need want know play eat drink speak study teach drive ride write
        read make build ship deploy employ rely adopt leverage target support require contain hold keep store send get
        take give go come see meet visit move switch change replace become start stop quit join leave say tell think
        believe hope plan hate enjoy avoid manage lead report sell buy cost owe pay hire train coach wear smoke cook
        sleep grow sing paint collect attend belong depend listen post connect point return serve handle process
        expire open close fail pass break crash listen bind default map belong accept reject exploit affect bark
        host mirror cache log sync back depend ask call name exploit steal drop encrypt reside weigh measure stand
        stay can could will would shall should may might must do did does has had was were is are am been not no
        no-longer never now land fly depart arrive begin finish""".split()
    ),
    idle=frozenset("the a an is are am be 's 're 'm do does".split()),
    blocked=frozenset(
        """if when unless while whether because although though maybe perhaps might may could would should probably
        possibly likely apparently supposedly allegedly think thinks thought guess believe believes hope hopes hoping
        plan plans planning want wants wanted will gonna going not no never nor neither nobody hardly barely rarely
        seldom sometimes often usually also both either only almost nearly until till before after but and or
        plus said
        says told heard asked claims claimed where who which what why how formerly former previously temporarily once
        soon tomorrow yesterday tonight next last seems seem seemed pretend pretends imagine wish wishes
        supposed trying
        considering about unlike partly mostly mainly too than instead twice rumoured rumored""".split()
    ),
    pointing=frozenset(
        """this that these those it him them you your yours here there today tomorrow yesterday tonight we us our he she
        they one ones next last later soon later ago currently such""".split()
    ),
    negated=frozenset("not no never none nobody cannot".split()),
    ended=(
        "no longer",
        "not ... anymore",
        "not ... any more",
        "not ... any longer",
        "used to",
        *(
            f"{has}{verb}~ing"
            for has in ("has ", "have ", "'s ", "'ve ", "")
            for verb in ("stopped", "quit", "ceased", "gave up", "given up", "recently stopped", "finally stopped")
        ),
        "ceased to",
    ),
    changed=(
        "moved to",
        "moved from",
        "relocated",
        "switched",
        "changed",
        "replaced",
        "instead of",
        "became",
        "migrated",
        "is now",
        "are now",
        "am now",
        "now",
        "upgraded",
        "updated to",
        "took over",
        "turned into",
    ),
    now=("now", "currently"),
    corrected=(
        "correction",
        "i meant",
        "i was wrong",
        "scratch that",
        "i made a mistake",
        "i misspoke",
        "my mistake",
        "no wait",
        "no, wait",
    ),
    hinted=("actually",),
    swapped=(
        "{s} (?:has |have )?(?:recently |just )?(?:switched|migrated|moved|changed|went) from {was} to {o}",
        "{s} (?:has |have )?(?:recently |just )?(?:replaced|swapped) {was} (?:with|by|for) {o}",
    ),
    denied=(
        "{frame} not {was},? but {o}",
        "{o}, not {was}",
    ),
    used=frozenset("use deploy employ run rely adopt leverage".split()),
    instead=("instead of",),
    past=("ed",),
    past_words=frozenset("was were did had been went".split()),
    partial=frozenset("some sometimes any may might could few often".split()),
    joined=frozenset("and or but while plus".split()),
    linking=frozenset("via for in with to against on as since at by during from through under".split()),
    single=(
        "called",
        "named",
        "set to",
        "lives in",
        "live in",
        "located in",
        "based in",
        "works at",
        "works for",
        "work at",
        "work for",
        "works as",
        "costs",
        "equals",
        "owned by",
        "due on",
        "born in",
        "born on",
        "version",
        "scheduled for",
        "takes place on",
        "starts at",
        "expires on",
        "weighs",
    ),
    loose=("runs on", "run on", "points to", "hosted on", "deployed on"),
    doubted=(
        "runs",
        "run",
        "belongs to",
        "comes from",
        "reports to",
        "written in",
        "written by",
        "built with",
        "built on",
        "made by",
        "managed by",
        "led by",
        "hosted by",
    ),
    habits=frozenset("every each daily weekly monthly regularly".split()),
    attributes=frozenset(
        """password code pin passcode passphrase name number address email phone birthday version owner ceo cto cfo
        manager boss lead maintainer price deadline port url host hostname ip branch region limit timeout score
        capital
        time date day room title role budget username login key id timezone favourite favorite employer job surname
        nickname extension rate fee salary rent size capacity threshold ttl""".split()
    ),
    states=frozenset("status colour color favourite favorite state phase priority level severity mood".split()),
    forms=_FORMS,
)
