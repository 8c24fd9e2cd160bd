"""Signs of an injected instruction in other languages."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.security.injection.folding import folded
from engrain.security.injection.rules import (
    IGNORE_PREVIOUS,
    LASTING,
    OUTPUT,
    PERSONA,
    PROMPT,
    SECRETS,
    TASK,
    Found,
    Sign,
    is_told,
    sign,
)
from engrain.text import pattern

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


_FEW = r"(?: [\w'’äöüßéèêçñáíóú-]+){0,6}?"


def _ignore(verbs: str, what: str) -> Sign:
    return sign(IGNORE_PREVIOUS, 0.8, verbs, rf"(?:[-' ]\w+)?{_FEW} (?:{what})\b", order=True)


def _ask(verbs: str, what: str) -> Sign:
    return sign(PROMPT, 0.7, verbs, rf"{_FEW} (?:{what})")


OTHERS: tuple[Sign, ...] = (
    *IGNORING_ABROAD,
    # German
    _ignore(
        "vergiss vergesst vergessen ignoriere ignorier ignorieren missachte missachten streiche überschreibe übergehe",
        r"alles|(?:vorherigen?|vorangegangenen?|bisherigen?|obigen?|früheren?|alle|aller|deine|"
        r"alle deine|sämtliche|davor|zuvor)"
        r"(?: \w+)? (?:anweisung\w*|instruktion\w*|aufgaben?|aufträge|regeln|befehle|vorgaben|"
        r"prompts?|texte?)|aufträge|davor|zuvor|vorherige\w*",
    ),
    sign(IGNORE_PREVIOUS, 0.7, "höre hör", r" (?:nicht|auf)(?: \w+){0,3} (?:alles|vorher|zuvor|bisher)"),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        "abweichend entgegen anders",
        r" (?:zu|von|den|als|der|\w+){1,3} (?:vorher|bisher|obig|früher|vorangegangen)\w*",
    ),
    _ask(
        "zeige zeig nenne gib verrate wiederhole schreibe drucke übersetze zeigen vorzeigen vorzeigens sage",
        r"(?:deine|ihre|alle|sämtliche\w*|obigen|vorherigen|system)\w*(?: \w+){0,2}? ?-?(?:prompt|"
        r"anweisung|instruktion|passwort|kennwort|regeln)",
    ),
    sign(TASK, 0.6, "neue neuen nächste", r" (?:\w+ )?(?:aufgabe|anweisung|herausforderung|instruktion)\w*\b"),
    sign(TASK, 0.5, "konzentriere", r" dich (?:jetzt|nun)?"),
    sign(
        TASK,
        0.6,
        "sehr super toll gut wow herzlichen klasse",
        r"[^.!?]{0,30}[.!] (?:[^.!?]{0,60}[.!] ?){0,3}(?:\w+ ){0,5}?(?:jetzt|nun)\b",
    ),
    sign(PERSONA, 0.6, "du", r" bist (?:jetzt|nun|ab jetzt|keine?|ab sofort|nicht mehr)\b"),
    sign(PERSONA, 0.6, "ab", r" (?:jetzt|sofort|nun) (?:\w+ ){0,3}?(?:bist|wirst)"),
    sign(LASTING, 0.6, "ab", r" (?:jetzt|sofort|nun) (?:\w+ ){0,3}?(?:antworte|sollst|immer|nur)", wish=True),
    sign(PERSONA, 0.5, "ich", r" möchte,? dass (?:sie|du) (?:\w+ )?als\b"),
    sign(
        OUTPUT,
        0.6,
        "sag sage schreibe antworte gib",
        r" (?:\w+ ){0,2}?(?:nur|ausschließlich|genau|dass du|: ?[\"„“])",
        wish=True,
    ),
    sign(OUTPUT, 0.6, "sag sage schreibe antworte gib", r" (?:\w+ ){0,2}?immer", wish=True),
    # Spanish and Portuguese
    _ignore(
        "ignora ignore ignoren ignorad olvida olvide olvidad omite omita descarta esquece "
        "esqueça desconsidere desconsidera ignorar",
        r"(?:todas?|todo|tudo|las|los|as|os|tus|suas|cualquier|qualquer|o|lo)(?: \w+){0,3} "
        r"(?:instrucciones|instruções|indicaciones|reglas|regras"
        r"|órdenes|ordens|directivas|comandos|anteriores?|previas|prévias|anterior|antes|acima)|todo lo|tudo o que",
    ),
    _ask(
        "muestra muéstrame revela repite dime escribe imprime mostre revele repita diga traduce traduza",
        r"(?:tus|tu|sus|suas|seu|sua|teu|el|o|las|as)(?: \w+){0,2}? ?(?:instrucciones|instruções|"
        r"prompt|contraseña|senha|reglas|regras)",
    ),
    sign(PERSONA, 0.6, "ahora agora desde", r" (?:eres|serás|você é|voce e|tu és|ahora|agora)\b"),
    sign(PERSONA, 0.6, "a", r" partir de (?:ahora|agora|este momento)\b", wish=True),
    sign(
        OUTPUT,
        0.6,
        "di dime responde responda diga escribe",
        r" (?:solo|sólo|solamente|apenas|únicamente|siempre|sempre|que (?:odias|eres)|[\"“«])",
        wish=True,
    ),
    # French
    _ignore(
        "ignore ignorez ignorer oublie oubliez oublier omets omettez négligez",
        r"(?:tout|toutes|tous|les|tes|vos|ces|ce|mes)(?: \w+){0,3} (?:instructions?|consignes|"
        r"règles|directives|ordres|commandes|précédent\w*|ci-dessus|avant|dit)",
    ),
    _ask(
        "montre montrez révèle révélez répète répétez affiche affichez donne donnez dis écris traduis",
        r"(?:tes|vos|ton|votre|le|les)(?: \w+){0,2}? ?(?:instructions|consignes|prompt|mot de passe|règles)",
    ),
    sign(PERSONA, 0.6, "tu vous", r" (?:es|êtes) (?:maintenant|désormais)\b"),
    sign(PERSONA, 0.5, "désormais dorénavant", r",? (?:tu|vous|réponds|répondez|toujours)", wish=True),
    sign(
        OUTPUT,
        0.6,
        "réponds répondez dis dites écris écrivez",
        r" (?:uniquement|seulement|toujours|que tu|ce qui suit|[\"“«])",
        wish=True,
    ),
    # Italian
    _ignore(
        "ignora ignorate ignori dimentica dimenticate dimentichi trascura",
        r"(?:tutte|tutto|tutti|le|i|gli|ogni|tue)(?: \w+){0,3} (?:istruzioni|regole|direttive|"
        r"comandi|precedent\w*|prima|sopra)",
    ),
    _ask(
        "mostra mostrami rivela ripeti dimmi scrivi stampa traduci",
        r"(?:le|il|la|tue|tuo|tua)(?: \w+){0,2}? ?(?:istruzioni|prompt|regole|password)",
    ),
    sign(PERSONA, 0.6, "ora adesso", r" (?:sei|sarai)\b"),
    # Dutch
    _ignore(
        "negeer vergeet",
        r"(?![^.,!?\n]*\bniet\b)(?:alle|alles|de|je|jouw|al)(?: \w+){0,3} ?(?:instructies|opdrachten|regels|"
        r"aanwijzingen|bovenstaande|hiervoor|eerdere?|vorige)|alles",
    ),
    _ask(
        "toon herhaal geef onthul vertel", r"(?:je|jouw|de|uw)(?: \w+){0,2}? ?(?:instructies|prompt|wachtwoord|regels)"
    ),
    sign(PERSONA, 0.6, "je jij", r" (?:bent|ben) (?:nu|vanaf nu)\b"),
    # Russian and Ukrainian
    _ignore(
        "игнорируй игнорируйте проигнорируй проигнорируйте забудь забудьте отбрось ігноруй ігноруйте",
        r"(?:все|всё|всі|предыдущ\w+|эти|свои|любые|прошл\w+|прежн\w+|попередн\w+)(?: "
        r"\w+){0,3}? ?(?:инструкци\w+|указани\w+|правил\w*|команд\w*|інструкці\w+|сказан\w*|"
        r"предыдущ\w*|что)|предыдущие",
    ),
    _ask(
        "покажи покажите повтори повторите выведи напиши раскрой переведи скажи",
        r"(?:свои|твои|ваши|все|системн\w+|свой|твой)(?: \w+){0,2}? ?(?:инструкци|промпт|правила|пароль|указания)",
    ),
    sign(PERSONA, 0.6, "теперь отныне", r",? (?:ты|вы)\b", wish=True),
    # Polish, Czech
    _ignore(
        "zignoruj ignoruj zapomnij zignorujcie zapomeň ignorujte",
        r"(?:wszystkie|wszystko|poprzednie|o|všechny|vše|předchozí)(?: \w+){0,3}? ?(?:instrukcje|"
        r"polecenia|zasady|poprzedni\w*|instrukce|pokyny|wszystkim|wcześniej\w*)",
    ),
    # Swedish, Danish, Norwegian
    _ignore(
        "ignorera ignorer glöm glem bortse",
        r"(?:alla|alle|allt|alt|tidigare|tidligere|från|de)(?: \w+){0,3}? ?(?:instruktion\w*|"
        r"regler|instrukser|ovan\w*|tidigere)",
    ),
    # Indonesian, Vietnamese
    _ignore("abaikan lupakan", r"semua|instruksi|perintah"),
)
_SCRIPTS = pattern(r"[\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_DICTATED = pattern(r"(?:只|仅)(?:回答|输出|回复|说)")
_UNSPACED = (
    (
        SECRETS,
        0.5,
        pattern(
            r"(?:ihr|dein|tu|su|votre|ton|la tua|seu|sua|uw|je|ваш|твой|twoje)\w* (?:passwort|"
            r"kennwort|contraseña|mot de passe|senha|wachtwoord|пароль|hasło)"
        ),
    ),
    (
        SECRETS,
        0.5,
        pattern(
            r"(?:パスワード|密码|密碼|비밀번호|كلمة المرور)[^。！？\n]{0,40}(?:教え|提供|告诉|告訴|알려|给我|أعطني)"
            r"|(?:告诉|给|提供)我?[^。！？\n]{0,10}密码"
        ),
    ),
    (
        IGNORE_PREVIOUS,
        0.9,
        pattern(
            r"(?<!不要)(?<!不能)(?<![别勿])(?:忽略|无视|忘记|忘掉|不要理会|無視|忽視)[^。！？\n]{0,12}(?:指令|指示|规则|規則|提示|要求|内容|说明|命令|所有|一切|之前|以上)"
        ),
    ),
    (
        IGNORE_PREVIOUS,
        0.9,
        pattern(r"(?:指示|命令|ルール|規則|プロンプト|内容|すべて)[^。！？\n]{0,8}(?:無視(?!し?な)|忘れ(?!な|ず))"),
    ),
    (IGNORE_PREVIOUS, 0.9, HINDI),
    (
        IGNORE_PREVIOUS,
        0.9,
        pattern(r"(?:이전|위의|앞의|모든)[^.!?\n]{0,12}(?:지시|명령|규칙|지침)[^.!?\n]{0,6}(?:무시|잊)"),
    ),
    (IGNORE_PREVIOUS, 0.9, pattern(r"(?:تجاهل|انس)[^.!?\n]{0,20}(?:التعليمات|الأوامر|السابقة|القواعد)")),
    (IGNORE_PREVIOUS, 0.9, pattern(r"(?:पिछले|पहले|सभी|सब)[^।!?\n]{0,20}(?:नरदश|निर्देश|नियम)")),
    (
        PROMPT,
        0.8,
        pattern(
            r"(?:重复|告诉我|显示|输出|泄露|透露|翻译|打印)[^。！？\n]{0,10}(?:系统提示|提示词|初始指令|你的指令|你的密码|上面的)"
        ),
    ),
    (PROMPT, 0.8, pattern(r"(?:システムプロンプト|あなたの指示|パスワード)[^。！？\n]{0,10}(?:表示|教え|出力|繰り返)")),
    (
        PERSONA,
        0.6,
        pattern(
            r"(?:从现在开始|從現在開始|现在起)[，,]?你|你现在是|今からあなたは|これからあなたは|당신은 이제|너는 이제"
        ),
    ),
    (OUTPUT, 0.5, _DICTATED),
)


def unspaced(small: str) -> Iterator[Found]:
    """Yield the signs of scripts that are written without blanks, or whose words change too much to be looked up."""
    if small.isascii():
        return
    for reason, weight, shape in _UNSPACED if _SCRIPTS.search(small) else _UNSPACED[:1]:
        if found := shape.search(small):
            yield Found(found.start(), reason, weight, wish=shape is _DICTATED)
    if (found := UNSPACED.search(small)) and not is_told(small, *found.span()):
        yield Found(found.start(), IGNORE_PREVIOUS, 1.0, always=True)
