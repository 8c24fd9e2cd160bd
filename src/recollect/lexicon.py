"""The word lists behind the analyser: what is too common to search for, and which forms are one word.

Every list is plain text, one concept a block, so that a change reads as a list of words. A change here changes index
terms: bump `recollect.words.ANALYSER` with it.
"""

from __future__ import annotations

_STOP = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves u ur
he him his himself she her hers herself it its itself they them their theirs themselves one ones
who whom whose which what when where why how whatever whichever whoever whenever wherever however
am is are was were be been being do does did doing done has have had having
will would shall should can could might must ought cannot gonna wanna gotta
and or but nor so if then than because as until till while although though unless whether
of at by for with about against between into through during before after above below to from up down in out on off over
under again further upon onto within without across along among around toward towards via per
here there once all any both each few more most much many lot lots some such no not only same too very just also
ever never even still yet else quite rather really actually yes yeah yep nope please ok okay
anyone anybody anything someone somebody something everyone everybody everything nobody nothing
s t d m ll re ve dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant couldnt wont wouldnt shouldnt
im ive id youre youve theyre thats whats wheres whos hes shes eg ie etc vs
"""

_CONTRACTIONS = """
ain't aren't can't couldn't daren't didn't doesn't don't hadn't hasn't haven't isn't mayn't mightn't mustn't needn't
oughtn't shan't shouldn't wasn't weren't won't wouldn't let's y'all ma'am
"""

# Forms that suffix rules cannot reach. A form that is more often another word ("rose", "bit", "ground", "lay", "lives")
# is left out: a wrong merge hides more than a missed one.
_IRREGULAR = """
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

# Two spellings or everyday names of one thing, in any text. Nothing that merges two things somebody may tell apart.
_SAME = """
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

_ISE = """
agon apolog author categor critic custom digit emphas equal final general hypnot ideal initial item local maxim memor
minim mobil modern normal optim organ personal popular prior real recogn reorgan social special stabil standard
summar symbol sympath util visual
"""


def _forms(block: str) -> dict[str, str]:
    """Read `base form form; ...` into form -> base."""
    lines = (entry.split() for entry in block.split(";"))
    return {form: base for base, *forms in (line for line in lines if line) for form in forms}


def _american(roots: str) -> dict[str, str]:
    endings = ("ise", "ised", "iser", "ises", "ising", "isation", "isations")
    return {root + ending: f"{root}iz{ending[2:]}" for root in roots.split() for ending in endings}


ACRONYMS = {"US": "usa"}
"""What a word means only in capitals; in small letters it is another word."""

STOP = frozenset(_STOP.split()) | frozenset(_CONTRACTIONS.split())
"""Words too common in English to look for, question words and contractions too. "may", being a month, is not one."""

BASE = _american(_ISE) | _forms(_SAME) | _forms(_IRREGULAR)
"""An irregular form, a second spelling or an everyday name -> the word it is indexed as."""
