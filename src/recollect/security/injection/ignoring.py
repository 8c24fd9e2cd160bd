"""The plain order to ignore what was said before, in other languages: a verb, the orders it is about, and which."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.patterns import pattern
from recollect.security.injection.folding import folded
from recollect.security.injection.plain import IGNORE_PREVIOUS
from recollect.security.injection.signs import Sign

# Language: verbs; orders; which of them. An asterisk stands for the rest of a word. Users are held to the first group.
_COMMON = """
de: ignoriere|ignoriert|ignorieren sie|vergiss|vergesst|vergessen sie|missachte; anweisung*|instruktion*|vorgaben
  |befehle; vorherig*|bisherig*|vorangegangen*|früher*|obig*|alle|aller|sämtliche
es: ignora|ignore|ignoren|ignorad|olvida|olvide|olviden|descarta; instrucciones|órdenes|indicaciones|directrices
  ; anteriores|previas|todas
fr: ignore|ignorez|ignorer|oublie|oubliez|oublier; instructions|consignes|directives; précédent*|antérieur*|toutes|tous
it: ignora|ignorate|dimentica|dimenticate; istruzioni|direttive|indicazioni; precedenti|anteriori|tutte
pt: ignore|ignora|ignorem|esqueça|esquece|esqueçam|desconsidere; instruções|instrucoes|diretrizes|orientações
  ; anteriores|prévias|todas
nl: negeer|vergeet; instructies|opdrachten|aanwijzingen; vorige|eerdere|voorgaande|bovenstaande|alle
pl: zignoruj|zignorujcie|ignoruj|ignorujcie|zapomnij|zapomnijcie|pomiń; instrukcj*|polece*|wytyczn*
  ; poprzedni*|wcześniejsz*|wszystki*|powyższ*
ru: игнорируй|игнорируйте|проигнорируй|проигнорируйте|забудь|забудьте; инструкци*|указани*|команды
  ; предыдущ*|прежн*|все
"""
_RARER = """
el: αγνόησε|αγνοήστε|ξέχασε|ξεχάστε; οδηγίες|εντολές; προηγούμενες|όλες|παραπάνω
he: התעלם|התעלמי|התעלמו|שכח|שכחו; ההוראות|הוראות|ההנחיות; הקודמות|קודמות|כל|מכל
ro: ignoră|ignora|ignorați|uită|uitați; instrucțiuni*|instructiuni*; anterioare|precedente|toate
hu: hagyd figyelmen kívül|hagyja figyelmen kívül|felejtsd el|felejtse el; utasítás*; korábbi|előző|összes|minden|eddigi
fi: unohda|unohtakaa|jätä huomiotta|jättäkää huomiotta|ohita|sivuuta; ohjeet|määräykset|käskyt
  ; aiemmat|aikaisemmat|edelliset|kaikki
vi: bỏ qua|phớt lờ|quên; hướng dẫn|chỉ dẫn|chỉ thị|mệnh lệnh; trước|tất cả|mọi
ka: უგულებელყავი|უგულებელყავით|დაივიწყე|დაივიწყეთ; ინსტრუქცი*|მითითებ*; წინა|ყველა
ar: تجاهل|تجاهلي|تجاهلوا|انس; التعليمات|تعليمات|الأوامر|الإرشادات; السابقة|جميع|كل
cs: ignoruj|ignorujte|zapomeň|zapomeňte; instrukce|pokyny|příkazy; předchozí|předešlé|všechny
sv: ignorera|glöm|bortse från; instruktioner*|anvisningar*; tidigare|föregående|alla|ovanstående
da: ignorer|glem|se bort fra; instruktioner*|anvisninger*|instrukser*; tidligere|forrige|foregående|alle
uk: ігноруй|ігноруйте|проігноруй|забудь|забудьте; інструкці*|вказівк*; попередн*|усі|всі
"""
_REST = r"[^.!?;\n]{0,60}?(?<!\w)"
_NEVER = r"(?![^.,;!?\n]{0,50}?\b(?:nicht|niet|inte|ikke|pas)\b)"  # an order not to forget


def _word(word: str) -> str:
    return folded(word.strip()).lower().replace("*", r"\w*")


def _orders(table: str, *, always: bool = False) -> Iterator[Sign]:
    for row in table.replace("\n  ", "").strip().splitlines():
        verbs, about, which = ([_word(word) for word in part.split("|")] for part in row.partition(":")[2].split(";"))
        both = (rf"(?={_REST}(?:{'|'.join(words)})(?!\w))" for words in (about, which))
        shape = pattern(rf"(?:{'|'.join(verbs)})(?!\w){_NEVER}{''.join(both)}")
        words = frozenset(verb.split()[0] for verb in verbs)
        yield Sign(IGNORE_PREVIOUS, 1.0, words, shape, always=always, begins=True)


IGNORING_ABROAD: tuple[Sign, ...] = (
    *_orders(_COMMON, always=True),
    *_orders(_RARER),
    Sign(  # Turkish, in which the verb comes last
        IGNORE_PREVIOUS,
        1.0,
        frozenset("önceki tüm bütün yukarıdaki".split()),
        pattern(
            r"\w+ (?:\w+ ){0,3}?(?:talimat|yönerge|komut)\w* (?:\w+ ){0,2}?(?:yok say|görmezden gel|unut|göz ardı e[td]"
            r"|dikkate alma)(?:[ıiuü]n(?:[ıiuü]z)?)?\b"
        ),
        always=True,
    ),
)
UNSPACED = pattern(  # Chinese, Japanese, Korean: which, about and verb in their usual orders
    r"(?:^|[。！？!?，,；;：:\n“”\"'「]|请|請|现在|你|您|必须) ?(?:忽略|忽视|无视|無視|忘记|忘記|忘掉|不要理会)(?!了)"
    r"(?=[^。！？\n]{0,12}(?:之前|以上|先前|前面|所有|一切|全部|此前|上述))"
    r"[^。！？\n]{0,12}(?:指令|指示|命令|规则|規則|提示)"
    r"|(?:これまで|以前|すべて|全て|上記|今まで|先ほど)[^。！？\n]{0,10}(?:指示|命令|プロンプト|指令)[^。！？\n]{0,6}"
    r"(?:無視(?:して(?![いはもし])|せよ|しろ|し、)|忘れ(?:て(?![いはもし])|ろ|なさい))"
    r"|(?:이전|앞의|모든|위의|지금까지|기존)[^.!?\n]{0,12}(?:지시|명령|지침|프롬프트)[^.!?\n]{0,6}"
    r"(?:무시(?:하고|하세요|하십시오|해|하라)|잊(?:어|으세요|고(?! 있)))"
)
HINDI = pattern(
    rf"(?:{'|'.join(map(_word, ('पिछले', 'पहले', 'सभी', 'पूर्व')))})[^।!?\n]{{0,24}}"
    rf"(?:{'|'.join(map(_word, ('निर्देश', 'आदेश', 'नियम')))})[^।!?\n]{{0,16}}"
    rf"(?:{'|'.join(map(_word, ('अनदेखा', 'अनदेखी', 'नज़रअंदाज़', 'नजरअंदाज', 'भूल')))})(?! (?:न|मत) )"
)
