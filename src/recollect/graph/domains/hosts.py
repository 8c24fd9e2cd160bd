"""Whether dotted words are the name of a host, and not a file, a module, a version or a missing space. Pure."""

from __future__ import annotations

from recollect.graph.names import common
from recollect.patterns import pattern

_COUNTRIES = """
ac ad ae af ag ai al am ao aq ar at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg ch
ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl
gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky
kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni
nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so
sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye
yt za zm zw
"""
_GENERIC = """
com org net edu gov mil int info biz name pro aero coop museum jobs mobi travel tel cat asia post arpa onion
top xyz online site club shop store tech space website live news app dev cloud host press fun icu vip win bid loan men
work click link download stream trade party science racing review date faith cricket accountant webcam country gdn
agency email support services solutions systems network digital media studio design blog wiki guru today world life
global company group team center city zone page pub software security expert finance bank money market markets ltd llc
inc gmbh academy school college education university health care clinic hospital dental community social chat forum
foundation directory guide tips help tools codes computer technology engineering energy industries international
management marketing consulting ventures capital fund exchange business enterprises holdings partners productions
photo photos photography pics pictures gallery video film movie music audio radio games game bet casino poker art
hosting domains cyou rest quest monster lol wtf best cash sale deals discount gold buzz cfd sbs bond beauty hair skin
makeup autos boats homes yachts mom baby zip mov nexus bar ink moe red blue pink black green fit run yoga surf porn
sex adult sexy xxx dating rocks ninja one plus kim xin wang ren ooo berlin london paris tokyo nyc amsterdam moscow
istanbul africa sydney swiss bayern koeln hamburg wien quebec vegas miami eus gal scot wales corsica tirol
express delivery direct supply supplies parts repair rent rentals auction bargains report reports earth farm garden
kitchen house land estate properties property villas vacations flights cruises tours holiday hiv law legal attorney
lawyer tax accountants insure credit creditcard loans mortgage vet dog pet horse bike car cars auto taxi limo aws
google amazon microsoft apple azure windows
"""
_TOP = frozenset(_COUNTRIES.split()) | frozenset(_GENERIC.split()) - {"windows", "amazon", "name"} | {"name"}
# Endings that files have as often as hosts: two plain labels with one of them are a file.
_FILES = frozenset(
    "py sh md rs pl so cc ps zip mov app ml ai cs vb ms st sc in id me id tf db as mk ps la ph am".split()
)
_CODE = frozenset(
    """self this cls os sys java javax kotlin android system logging np pd plt tf torch math re request response req res
    config console document window module exports process app session user event event e obj object data args kwargs
    props state node std string json array model db cursor conn client server socket asp vb ado ml next express main
    index test tests package setup readme""".split()
)
_VERSION = pattern(
    r"(?:\bv|\bver\.?\s?|\bversions?:?\s|\brelease\s|\bbuild\s|\bfirmware\s|\bupdate\s|\bupgraded to\s|[=~<>]=?\s?)$", 2
)


def is_domain(plain: str, *, told: bool) -> bool:
    """Say whether refanged dotted words name a host; `told` when the writer marked them as an address."""
    labels = plain.split(".")
    last = labels[-1]
    if len(plain) > 253 or (last.casefold() not in _TOP and not last.casefold().startswith("xn--")):
        return False
    if any(not label or "_" in label[-1:] or len(label) > 63 for label in labels):
        return False
    if told:
        return True
    if not last.islower() or any(_camel(label) for label in labels):
        return plain.isupper() and last in ("COM", "NET", "ORG") and plain not in ("ASP.NET", "VB.NET", "ADO.NET")
    first = labels[0].casefold()
    if first in _CODE and (len(labels) == 2 or last not in ("com", "net", "org")):
        return False
    if len(labels) == 2:
        return _plain_pair(first, last)
    return bool(first) and not _initials(labels)


def is_version(text: str, start: int, end: int) -> bool:
    """Say whether four numbers between dots are the version of something."""
    return bool(_VERSION.search(text[max(0, start - 14) : start]))


def _plain_pair(first: str, last: str) -> bool:
    if last in ("com", "net", "org", "gov", "edu", "mil", "info", "biz", "xyz", "onion", "top", "ru", "cn"):
        return len(first) > 1 and not (last in ("top", "info") and common(first))
    if last in _FILES or len(first) < 2:
        return False
    return not (common(last) and common(first)) and not (len(last) == 2 and common(first))


def _initials(labels: list[str]) -> bool:
    return all(len(label) < 2 for label in labels[:-1])


def _camel(label: str) -> bool:
    return label[:1].isupper() and not label.isupper() and len(label) > 1
