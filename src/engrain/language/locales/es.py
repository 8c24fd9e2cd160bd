"""Spanish: its words and phrases, as `Locale` describes them."""

from __future__ import annotations

SPANISH = {
    "code": "es",
    "snowball": "spanish",
    # grammar
    "stop": """el la los las un una unos unas lo al del de en y o u e pero sino ni que qué quién quien quiénes cuál
        cuáles cuándo cuando dónde donde cómo como cuánto cuánta cuántos cuántas por para con sin sobre entre desde
        hasta hacia según durante tras ante contra yo tú él ella ellos ellas nosotros nosotras usted ustedes me te se
        nos os le les mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta esto estos estas ese esa eso
        aquel aquella es son soy eres somos era eran fue fueron ser está están estoy estaba estar ha han he hemos había
        haber hay tiene tienen tengo puede pueden puedo quiero quiere debe no sí ya muy más menos también tampoco solo
        sólo nunca siempre todo toda todos todas algo nada alguien nadie cada otro otra hoy ayer mañana ahora aquí allí
        gracias hola bien porque si aunque mientras así dos tres""",
    "letters": "ñ¿¡óíú",
    "articles": "el la los las un una unos unas lo",
    "determiners": "mi mis tu tus su sus nuestro nuestra este esta estos estas cada otro otra del al",
    "copulas": "es son soy está están estoy",
    "first_person": "yo",
    "first_possessive": "mi mis",
    "oneself": "yo mi mis me mí conmigo nosotros nosotras nuestro nuestra nuestros nuestras nos",
    "hearer": "tú tu tus te ti contigo usted ustedes su sus vosotros",
    "third_person": "él ella ellos ellas lo la los las le les su sus",
    "people_pronouns": "ella él",
    "subjects": "yo él ella nosotros nosotras ellos ellas usted tú",
    "pronouns": """ahora alguien allí antes aquí ayer cuándo cómo dónde ella ellas ellos eso esta este esto hoy luego
        mañana nadie no nosotros o pero quizá quizás quién qué si sí todos tú usted y ya él""",
    "pointing": "allí aquí ayer ella eso esta estas este esto estos hoy le les lo mañana te tu tus él",
    "verbs": """sigue siguen viene vienen hace hacen lleva llevan gana cobra queda sale salen llega estudia
        ahora dije digo bebe cambió come compra conoce corre cuesta debe dejó es escribe está están fuma funciona ha
        habla juega lee necesita no pasó puede quiere reemplazó se solía son sustituyó tiene tienen trabaja trabajan usa
        usan utiliza utilizan vive viven ya""",
    "idle": "el es estoy está están la las los son soy un una unas unos",
    "linking": "con contra desde en para por sobre",
    "owning": "de del entre sobre",
    "acting": "dice dijo vive vivía viven trabaja trabajan trabajaba fue tiene usa conoce conoció",
    "joined": "e o pero u y",
    "coordinating": "y e pero sino mientras porque",
    "subordinating": "porque que cuando donde si aunque mientras como quien hasta antes después",
    "past": "ó | aba | aban | ía | ían",
    "past_words": "era eran fue había",
    # sentences
    "abbreviations": """ee sr sra srta srs d dña dr dra prof lic ing gral cap sto sta p.ej p.e ej aprox av avda c/ núm
        n.º nº pág págs art tel ref vs depto dpto fdo mons pza""",
    "closing_abbreviations": """etc a.m p.m uu ee.uu s.a s.l cía ud uds vd ene feb mar abr jun jul ago sept sep oct nov
        dic""",
    "participle": r"\w{2,}(?:ado|ido)|visto|hecho|puesto|dicho|escrito|vuelto|abierto",
    "going_to": r"(?:voy|vas|va|vamos|van)\s+a\s+\w+(?:ar|er|ir)(?:se|me|nos)?",
    "future_verb": r"\w*(?:r[áé]|rán|remos)",
    "past_verb": r"\w*(?:ó|aba|aban|ía|ían|é|i|u|ado|ido)",
    # clauses
    "concepts": """speaks: hablo habla hablan hablar =idioma =idiomas =lengua =lenguas | weighs: pesa peso pesan
        pesó =peso | hours: =horario | lives_in: creció crecí crecido vivir vive vivo viven vivía vivió vivido
        vivimos viva residir reside resido residía =casa +mudarse +mudado +mudó +mudé +mudarme +mudada +mude ~piso
        ~apartamento ~departamento +trasladado +trasladó +trasladé +trasladada +instalado +instalada +instaló habita
        habito viviendo =domicilio | located_in: ubicado ubicada queda situado =sede | works_at: trabajar trabaja
        trabajo trabajan trabajaba trabajó trabajado trabajando empleado empleada contratado +empezó +empecé
        +empezado +incorporado +incorporada +incorporó +entró +fichó +fichado =empleador ~empleo ~puesto |
        job_title: =profesión =oficio | name: llama llaman llamo llamado llamada =nombre | born: nació nací nacido
        nacida =nacimiento =fecha_de_nacimiento =cumpleaños =cumple vino_al_mundo | allergic_to: alérgico alérgica
        =alergia =alergias sufre padece intolerante =intolerancia | likes: gusta gustan encanta encantan adoro
        adora apasiona | dislikes: odio odia
        detesto detesta | owner: dirige dirigido dirigida dirigir dirijo
        lidera =responsable =jefe =jefa =líder =dirección encarga *lleva *llevar al_frente +hace_cargo
        +tomado_el_relevo a_cargo =encargado =encargada =dueño =dueña =propietario gestiona +asumido +asumió +pasado
        +pasó +cedido +cedió +sustituido +sustituye +reemplaza +reemplazado encabeza liderado liderada lidero
        coordina supervisa | deadline: vence vencer =plazo =entrega =fecha_límite terminado_para =fecha_de_entrega
        se_entrega !entregar !listo !lista !terminado !terminada !acabado !acabada !entregado !terminar !acabar |
        status: =estado =situación | drinks: bebe bebo beber bebiendo bebía desayuna desayuno consume consumo tomar
        toma tomo | eats: come como comer comiendo | costs: cuesta cuestan costó costar pagado pagué pagamos =precio
        | buys: comprado compré compramos compró | married_to: =boda casado casada +casó | age: =edad =años |
        change: aplazado aplazó aplazada pospuesto movido movió movida cambiado cambió cambia cambiada pasado pasó
        ido actualizó pasa subido bajado retrasado adelantado actualizado ampliado
        reducido redujo recortado recortó aumentado aumentó subió bajó retrasada adelantada pospuesta corregido
        | over: dejó dejé dejado
        abandonado abandonó jubiló renunció cancelado canceló terminó renunciado renuncié prescindo prescinde
        quitado eliminado cancelada suspendido superado superó desaparecido desapareció | asset: vender vendió vendí
        vendido regalado regalé donado donó""",
    "nouns": """sister: hermana hermanas | brother: hermano | sibling: hermanos | child: hijos | pet: mascota
        mascotas | parent: padres | rabbit: conejo coneja conejos | mother: madre mamá | father: padre papá | daughter:
        hija hijas | son: hijo | wife: mujer esposa | husband: marido esposo | dog: perro perra perrita perrito perros
        perras | cat: gato gata gatito gatos gatas | boss: jefe jefa | neighbour: vecino vecina | friend: amigo amiga |
        cousin: prima primo | aunt: tía | uncle: tío | grandmother: abuela | grandfather: abuelo | doctor: médico médica
        doctora | dentist: dentista | project: proyecto | password: contraseña clave | telephone: teléfono móvil |
        email: correo e-mail mail email | car: coche carro auto | bicycle: bicicleta bici | colleague: colega compañero
        compañera | landlord: casero casera | budget: presupuesto | teacher: profesor profesora maestra | ex-wife:
        exmujer exesposa | ex-husband: exmarido | team: equipo | company: empresa | flight: vuelo | exam: examen |
        appointment: cita | meeting: reunión | vet: veterinario veterinaria | rent: alquiler | address: dirección |
        birthday: cumpleaños cumple | wedding: boda | holiday: vacaciones | concert: concierto | course: curso | school:
        escuela colegio | flat: piso apartamento | house: casa | kitchen: cocina | salary: sueldo salario | price:
        precio | deposit: fianza señal depósito | insurance: seguro | surgery: operación | vaccine: vacuna | party:
        fiesta | training: entrenamiento | boat: barco | garden: jardín | key: llave | code: código | bill: factura |
        name: nombre | colour: color | book: libro | film: película | song: canción | restaurant: restaurante | hotel:
        hotel | bakery: panadería | gym: gimnasio | train: tren | deadline: plazo | nephew: sobrino | niece: sobrina |
        mother-in-law: suegra | father-in-law: suegro | brother-in-law: cuñado | sister-in-law: cuñada | girlfriend:
        novia | boyfriend: novio | partner: pareja | client: cliente clienta | lawyer: abogado abogada | nurse:
        enfermero enfermera | painter: pintor pintora | mechanic: mecánico | surname: apellido | glasses: gafas | lock:
        candado | bar: bar | best: mejor | old: viejo vieja | big: grande | little: pequeño pequeña | younger: menor |
        older: mayor | vegan: vegano vegana | vegetarian: vegetariano vegetariana | kindergarten: guardería | baby: bebé
        | twin: gemelo gemela gemelos gemelas | lesson: clase clases lección | guitar: guitarra | piano: piano | dance:
        baile danza | pottery: cerámica | swimming: natación | choir: coro | trip: viaje excursión | honeymoon:
        luna_de_miel | ferry: ferry transbordador | ticket: billete entrada billetes entradas | campsite: camping |
        guest: invitado invitados huésped | photographer: fotógrafo fotógrafa | hairdresser: peluquero peluquera
        peluquería | plumber: fontanero fontanera | electrician: electricista | cleaner: limpiadora | babysitter:
        canguro niñera | physio: fisio fisioterapeuta | dermatologist: dermatólogo dermatóloga | orthodontist:
        ortodoncista | gynaecologist: ginecólogo ginecóloga | accountant: contable gestor gestora | tenant: inquilino
        inquilina | headmaster: director directora | chicken: gallina gallinas pollo | bird: pájaro pájaros | horse:
        caballo yegua | sofa: sofá | table: mesa | bed: cama | fridge: nevera frigorífico | oven: horno | dishwasher:
        lavavajillas | washing_machine: lavadora | boiler: caldera | saw: sierra | computer: ordenador portátil |
        motorbike: moto motocicleta | van: furgoneta | licence: carné permiso | driving_school: autoescuela | repair:
        reparación arreglo | garage: taller garaje | contract: contrato | raise: aumento subida | interview: entrevista
        | review: evaluación | dress: vestido | ring: anillo alianza | cake: tarta pastel | present: regalo | church:
        iglesia | hospital: hospital clínica | building: edificio finca | floor: planta | alarm: alarma | wifi: wifi |
        plate: matrícula | marathon: maratón | race: carrera | match: partido | practice: ensayo | result: resultado
        resultados nota notas | graduation: graduación | funeral: funeral entierro | christening: bautizo |
        bachelor_party: despedida | egg: huevo huevos | peanut: cacahuete cacahuetes | nut: nuez nueces frutos_secos |
        milk: leche | meat: carne | pork: cerdo | fish: pescado | seafood: marisco mariscos | wine: vino | coffee: café
        | tea: té | history: historia | music: música | maths: matemáticas mates | chemistry: química | english: inglés
        | thesis: tesis | roof: tejado | window: ventana ventanas | bathroom: baño | shoe: zapatos zapatillas | tooth:
        diente dientes muela | arm: brazo | knee: rodilla | back: espalda""",
    "actions": """teach: enseña enseño enseñan enseñaba | study: estudia estudio estudian estudiaba estudiar | play:
        juega juego toca toco tocan | begin: empieza comienza empiezo empezó empezar | arrive: llega llegó llegan llegué
        | buy: compra compró compré comprado | sell: vende vendió vendí vendido | read: lee leo leyó leído | cook:
        cocina cocino | swim: nada nado nadar | drive: conduce conduzco | visit: visita visitó visité visitado | smoke:
        fumo fuma fuman fumar fumado | go: voy va vamos ir fui fue | fly: volamos vuelo volar vuela | leave: salen sale
        salimos salir | stay: queda quedan quedo alojamos alojarse | open: abre abren abrir | close: cierra cierran |
        borrow: prestado pidió_prestado | charge: cobra cobran cobrar | earn: gana gano cobro ganar | run: corro corre
        correr corremos | marry: casa casamos casarse casan | give_birth: dado_a_luz | weigh: pesa peso pesan | install:
        instalan instalado instalar | adopt: adoptado adoptamos | move: mudar mudarse mudan muda | finish: termina acaba
        terminado acabar | celebrate: celebra celebramos celebrar | organise: organiza organizan organizar | pick_up:
        recoger recojo | win: ganado ganó | break: roto rompió | pay: pagamos pago paga pagado pagar""",
    "exonyms": """germany: alemania | france: francia | spain: españa | italy: italia | switzerland: suiza | greece:
        grecia | turkey: turquía | netherlands: holanda países_bajos | belgium: bélgica | denmark: dinamarca | sweden:
        suecia | norway: noruega | finland: finlandia | poland: polonia | croatia: croacia | hungary: hungría | ireland:
        irlanda | scotland: escocia | england: inglaterra | morocco: marruecos | egypt: egipto | canada: canadá |
        brazil: brasil | mexico: méxico | japan: japón | thailand: tailandia | corsica: córcega | crete: creta | sicily:
        sicilia | sardinia: cerdeña | lisbon: lisboa | rome: roma | venice: venecia | florence: florencia | milan: milán
        | naples: nápoles | turin: turín | vienna: viena | munich: múnich | cologne: colonia | hamburg: hamburgo |
        berlin: berlín | zurich: zúrich | geneva: ginebra | basel: basilea | brussels: bruselas | antwerp: amberes |
        prague: praga | warsaw: varsovia | copenhagen: copenhague | athens: atenas | moscow: moscú | tokyo: tokio |
        london: londres | paris: parís | bordeaux: burdeos | marseille: marsella | edinburgh: edimburgo |
        dublin: dublín""",
    "professions": """enfermero enfermera médico médica abogado abogada cartero cartera profesor profesora maestro
        maestra cocinero cocinera camarero camarera ingeniero ingeniera arquitecto arquitecta periodista dentista
        electricista fontanero fontanera carpintero policía bombero bombera veterinario veterinaria farmacéutico
        farmacéutica contable economista psicólogo psicóloga fotógrafo fotógrafa diseñador diseñadora programador
        programadora informático informática peluquero peluquera panadero panadera conductor conductora taxista
        piloto azafata actor actriz músico música pintor pintora escritor escritora traductor traductora funcionario
        funcionaria secretario secretaria vendedor vendedora mecánico mecánica agricultor jubilado jubilada
        estudiante matrona técnico técnica ilustrador ilustradora consultor consultora investigador investigadora""",
    "place_links": "en",
    "receives": "conseguí conseguido consiguió aceptado acepté",
    "have": "tiene tengo tienen tenía tuvo tenemos posee",
    "had": "tenía tenían tuve tuvo",
    "past_be": "era eran fue fueron estaba estaban sido",
    "perfect": "ha he han hemos has había",
    "now_words": """ahora ya también siempre nunca aquí allí muy hoy mañana ayer no se me todavía aún solo sólo
        antes recién""",
    "own_verbs": "sigo soy estoy tengo he fui tuve voy vivo trabajo vivimos trabajamos bebo tomo nací tenemos me",
    "that_words": "que si",
    "if_words": "si",
    "contrasts": "sino pero",
    "future_words": "",
    "owner_links": "de del para",
    "prepositions": """de del en a al con por para sobre bajo ante contra desde hasta entre sin tras durante
        según hacia como""",
    "agents": "por",
    "goals": "a al hasta",
    "handed_to": "a al",
    "company_words": "con para por de",
    "change_words": "ahora nuevo nueva actualmente",
    "idle_adjectives": "actual último última nuevos nuevas propio",
    "indefinite": "un una",
    "work_links": "en",
    "people_nouns": """señor señora novio novia sobrino sobrina hijo hija niño niña bebé vecino vecina amigo
        amiga jefe jefa colega compañero compañera tía tío abuela abuelo don doña""",
    "how_many_words": "",
    "part_links": "para",
    "only_words": "solo sólo solamente",
    "generic_nouns": "proyecto equipo empresa plan aplicación servidor sistema oficina",
    "question_words": "qué cuál cuáles quién quiénes dónde adónde cuándo cómo cuánto cuánta cuántos cuántas",
    "who_words": "quién quiénes",
    "which_words": "qué cuál cuáles",
    "how_words": "cuánto cuánta cuántos cuántas",
    "idle_question_words": "lugar tiene ahora actualmente todavía aún hoy sigue exactamente mismo",
    "when_words": "cuando",
    "origin_links": "de",
    "origin_verbs": "vengo viene vienes procede",
    "presentational": "aquí ahí allí hay",
    "no_occupations": """vegetariano vegetariana vegano vegana fan amigo amiga miembro hombre mujer persona chico
        chica niño niña fumador fumadora gran cliente paciente dinero primero extranjero""",
    "role_links": "como",
    "since_words": "desde",
    "gives": "cedido cedió pasado pasó pasa traspasado entregado delegado",
    "severities": "",
    "given_up_words": "más beber tomar comer fumar completamente ahora",
    "obligations": "debe deben debemos tiene tenemos que hay",
    "become": "queda quedado quedó",
    "measure_words": "taza tazas vaso vasos copa copas botella mucho mucha poco poca algo",
    "habit_words": """siempre diario diariamente habitualmente menudo normalmente""",
    "replaced_by": "por",
    "exchanged_for": "por",
    "nothing_words": "nada algo todo",
    "there_words": "allí ahí allá",
    "childhood": "creció crecí crecido",
    "visits": "vi vio visto ver fui fue ido ir estuve estuvo visité visitó visitado",
    "number_nouns": "teléfono número móvil",
    "code_nouns": "contraseña código clave pin matrícula",
    "light_verbs": "salgo viene vienen va van ir vamos voy sale salen hace hacer mudan pasa llega queda toca",
    "price_nouns": "alquiler precio presupuesto fianza cuota sueldo factura señal",
    "per": "por cada al",
    "turns": "cumple cumplió cumplirá",
    "idle_nouns": "tipo clase",
    "weekly": "los cada todos",
    "still_words": "todavía aún sigo sigue sigues seguimos siguen",
    "sources": "de del desde sin contra antes sobre hasta según como",
    "uncertain": r"""quizás?|tal vez|a lo mejor|posiblemente|probablemente|supuestamente|aparentemente|podría\w*
        |debería\w*|gustaría|ojalá|si|cre(?:o|e|en|ía)|piens(?:a|o|an)|pensaba|pensando|planeando|considerando
        |supon\w*|parece|esper(?:a|o|an)|sueña
        |sueño con|quier(?:e|o|en)|quer(?:er|emos|ía\w*)|quisiera\w*|planea\w*|puede que|solicitado|solicita|duda\w*
        |no estoy segur[oa]
        |casi|broma\w*|bromea\w*|nada está decidido|nada decidido|he oído|dicen que|algún día|pregunta\w*|intent\w*
        |imagin\w*|aplicó|alguien (?:dijo|dice|ha)|se dice|dicen que""",
    "reported": r"dice|dijo|dicho|cuenta que|contó|mencion[aó]|escrib(?:e|ió)|comenta|comentó|asegura|afirma",
    "former": r"""antes(?! del?\b| que\b| de\b)|antiguamente|hace (?:muchos |unos )?años|hasta (?:19|20)\d\d|solía\w*
        |antigu[oa]|una vez(?! (?:al|por|a la)\b)
        |en su infancia|creció|se crio|originalmente|entonces""",
    "untrue": r"no es (?:verdad|cierto)|es falso|mentira|falso",
    "no_longer": r"ya no|nunca más|no (?:\w+ )más",
    # times
    "months": """1: enero ene | 2: febrero feb | 3: marzo | 4: abril abr | 5: mayo | 6: junio jun | 7: julio jul | 8:
        agosto ago | 9: septiembre setiembre sept | 10: octubre oct | 11: noviembre nov | 12: diciembre dic""",
    "weekdays": "0: lunes | 1: martes | 2: miércoles | 3: jueves | 4: viernes | 5: sábado | 6: domingo",
    "day_parts": "",
    "time_parts": "",
    "seasons": "3: primavera | 6: verano | 9: otoño | 12: invierno",
    "namesakes": "abril julio mayo domingo",
    "units": """second: segundo segundos | minute: minuto minutos | hour: hora horas | day: día días dia dias | night:
        noche noches | week: semana semanas | weekend: fin_de_semana fines_de_semana finde | month: mes meses | quarter:
        trimestre trimestres | year: año años | decade: década décadas""",
    "near": """-2: anteayer antes_de_ayer | -1: ayer anoche | 0: hoy esta_mañana esta_tarde esta_noche | 1: mañana | 2:
        pasado_mañana""",
    "clock_words": "720: mediodía | 0: medianoche",
    "time_words": """last: último última últimos últimas | last one: pasado pasada pasados pasadas | this: este esta |
        next: próximo próxima próximos próximas siguiente | next one: que_viene que_entra | lately: recientemente
        últimamente | ago before: hace | hence before: en dentro_de | between: entre | to: y e o al | until: hasta |
        since: desde a_partir_de a_partir_del | before: antes_de antes_del | before last: antepasado antepasada |
        after: después_de después_del tras | onwards: en_adelante | in: durante hacia | on: el | of: de del | for:
        para por | part of: principios finales mediados inicio fin | the: la los las | a: un una | my: mi mis su sus
        tu nuestro nuestra | than: cuesta cuestan sala habitación | roughly: casi unos unas más_de menos_de | every:
        cada todos todas | part of day: tarde | counted: euros euro dólares dólar pesos peso céntimos km kilómetros
        kilómetro metros metro kilos gramos litros pasos palabras páginas puntos personas gente usuarios veces
        canciones fotos libros filas caracteres votos empleados alumnos estudiantes grados | named day: viernes_santo
        viernes_negro domingo_de_pascua""",
    "day_leads": "el día",
    "clock_leads": "las",
    "vague_counts": "2-3: par un_par_de | 2-5: algunos unos unas | 3-7: varios varias",
    "holidays": "navidad nochevieja pascua",
    "future": r"""\w+[aei](?:ré|rás|rá|remos|rán)|\w+dr(?:é|ás|á|emos|án)|voy|vas|va|vamos|van|es|son|está|están
        |estoy|estamos|tengo|tiene|tienen|tenemos|tienes|hay|debo|debe|debemos|deben|salgo|sale|salen|empieza
        |empiezo|comienza|termina|acaba|abre|abren|cierra|cierran|llego|llega|llegan|parte|parten|vuela|volamos
        |vence|caduca|expira|vengo|viene|vienen|quedamos|veo|vemos|toca|celebra|celebramos|próxim[oa]s?
        |pronto|nos\s+\w+[aei]mos""",
    "past_tense": r"""fue|fueron|fui|fuimos|fuiste|era|eran|éramos|estuv\w+|hab[íi]a\w*|hubo|tuv\w+|tenían?
        |ten[íi]amos|hic\w+|hizo|vi|vio|vieron|viste|(?:nos\s+)?(?:vimos|conocimos|dijimos|hicimos|tuvimos)|dij\w+
        |puse|puso|pusieron|pusimos|vine|vino|vinimos|vinieron|pude|pudo|pudieron|quis\w+|supe|supo|traj\w+|di|dio
        |dimos|dieron|iba|iban|íbamos|vivían?|hacían?|conocí|desde|(?:he|has|ha|hemos|han|haber)\s+(?!(?:decid
        |promet)ido\s+\w+r)(?:\w+\s+)?\w+(?:ado|ido|to|cho|sto)|\w{2,}(?:aron|ieron|aste|iste|aba|aban|ábamos)
        |\w{2,}ó|(?:mir|prepar|esper|retir|tir|gir|separ|repar|compar|declar)é|(?!(?:caf|beb|jos|porqu|aunqu|est
        |tambi)é\b)(?:\w*[^\W\d_aeir]é|\w*[^\W\d_aei]ré)|(?!decidí\s+\w+r)\w{2,}[^\W\d_r]í(?!\w)""",
    "rescheduled": r"""aplaz\w+|pospuest[oa]s?|pospus\w+|cambi(?:ad[oa]s?|é|ó|amos|aron)|traslad\w+|movid[oa]s?
        |movi(?:ó|eron|mos)|prorrog\w+|adelant\w+|pas(?:ad[oa]|aron)""",
    "arranged": r"""reserv(?:ad[oa]s?|é|ó|amos|a)|plane(?:ad[oa]s?|é|ó|amos)|program(?:ad[oa]s?|é|ó|amos)
        |fij(?:ad[oa]s?|é|ó|amos|aron)|previst[oa]s?|invit\w+|promet\w+|acord\w+|entradas|cita""",
    "frequency": r"""(?:una\s+vez|dos\s+veces|\w+\s+veces)(?:\s+(?:al|a\s+la|por|cada)\s+\w+)?|cada\s+(?:dos\s+)?(?:día
        |semana|mes|año|mañana|noche|tarde|lunes|martes|miércoles|jueves|viernes|sábado|domingo)s?|todos\s+los\s+(?:días
        |meses|años|lunes|martes|miércoles|jueves|viernes|sábados|domingos)|a\s+diario|diariamente|semanalmente
        |mensualmente""",
    "written": """months: enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre |
        seasons: primavera verano otoño invierno | day: {d} de {m} de {y} | date: {d} de {m} | month: {m} de {y} |
        week: la semana del {} | until: hasta el {} | since: desde {} | range: del {} al {}""",
    # numbers
    "numbers": """0: cero | 1: uno | 2: dos | 3: tres | 4: cuatro | 5: cinco | 6: seis | 7: siete | 8: ocho | 9: nueve |
        10: diez | 11: once | 12: doce docena | 13: trece | 14: catorce | 15: quince | 16: dieciséis | 17: diecisiete |
        18: dieciocho | 19: diecinueve | 20: veinte | 30: treinta | 40: cuarenta | 50: cincuenta | 60: sesenta | 70:
        setenta | 80: ochenta | 90: noventa | 21: veintiuno | 22: veintidós | 23: veintitrés | 24: veinticuatro | 25:
        veinticinco | 26: veintiséis | 27: veintisiete | 28: veintiocho | 29: veintinueve""",
    "scales": "100: cien ciento | 1000: mil | 1000000: millón millones",
    "number_joints": "y",
    "unsure_numbers": "cero uno once mil quince",
    "measures": """usd: dólar dólares | eur: euro euros | gbp: libra libras | gram: gramo gramos | kilogram: kilo kilos
        kilogramos | metre: metro metros | kilometre: kilómetro kilómetros | mile: milla millas | litre: litro litros |
        degree: grado grados""",
    "minus": "menos",
    "below_zero": "bajo cero",
    # statements
    "ended": "ya no | dejó de | ha dejado de | dejé de | dejaron de | solía | solían | solía yo",
    "changed": "ahora | se mudó | me mudé | cambió | en lugar de | en vez de | pasó a | se convirtió",
    "now": "ahora",
    "correction_openers": "no|perdón|uy|espera",
    "corrected": "corrección | quise decir | me equivoqué | quería decir",
    "hinted": "en realidad | de hecho",
    "swapped": """
        {s} (?:cambió|pasó) de {was} a {o}
        {s} (?:reemplazó|sustituyó) {was} (?:por|con) {o}""",
    "denied": "{frame} no {was},? sino {o} | {o}, no {was}",
    "instead": "en lugar de | en vez de",
    "used": "usa usan utiliza utilizan",
    "blocked": """aunque ayer como cree creo cuando debería dice dijo espera mañana o pero piensa podría porque
        posiblemente probablemente pronto que quiere quiero quizá quizás si solo sólo también""",
    "negated": "jamás nada nadie ninguna ningún no nunca",
    "partial": "algunas algunos puede veces",
    "single": "se llama | vive en | trabaja en | trabaja como | cuesta",
    "loose": "funciona en | corre en",
    "attributes": """clave contraseña correo cumpleaños código dirección dueño fecha hora jefe nombre número pin precio
        puerto sala teléfono título versión""",
    "several_nouns": """amigo amiga colega compañero compañera vecino vecina primo prima hermano hermana hijo hija
        tío tía proyecto libro gato gata perro perra mascota cliente vuelo viaje cita reunión examen
        idea plan""",
    "state_words": """activo activa inactivo inactiva listo lista pendiente abierto abierta vivo viva completo
        completa verde rojo amarillo final estable crítico crítica nuevo nueva""",
    "states": "color estado",
    "ends_of_clause": "porque|desde|pero|sino",
    "next_clause": "él|ella|ahora|sino|porque|es|ha|se",
    "relations": r"""
        works_at; person name; organization name; (?:trabaja|trabajan) (?:\w+ )?(?:en|para)
        lives_in; person name; place name; (?:vive|viven|reside) (?:\w+ )?en
        married_to; person name; person name; est[áa] casad[oa] con""",
    "list_words": "también luego",
    "before_names": "nuevo nueva gran grande viejo vieja antiguo antigua anual",
    "relatives": "que quien quienes cuyo cuya donde",
    "anybody": "usuario usuaria hablante autor autora narrador persona cliente",
    # polarity and modality
    "negation": "no|nunca|jamás|nadie|ningun[oa]?|ningún|tampoco|sin|nada",
    "simple_negation": "no|nunca|jamás",
    "contrast": "ni|sin|en lugar de|en vez de|ya no",
    "denied_ahead": "(?:no hay|sin) (?:pruebas|evidencia|indicios)|negó|niega|falso",
    "denial_verbs": "olvidó",
    "no_denial": "no sol[oa]|sin duda|no (?:olvides|olvidar)|no (?:más|menos) de",
    "soft_denial": """dejó|perdió|renunció|vendió|canceló|cerrad[oa]|alérgic[oa]|vegan[oa]|vegetarian[oa]|divorciad[oa]
        |solter[oa]|odia""",
    "hypothetical": r"""^\W*(?:si|cuando)\s.*|quizás?|tal vez|podría\w*|debería\w*|ojalá|a lo mejor|supuestamente
        |posiblemente|probablemente|si""",
    "tentative": "(?:quiere|quería|espera|planea|intentó|intenta)",
    "reports": r"""piens\w+|pensab\w+|pensó|cre[oe]\w*|creía\w*|dic\w+|dij\w+|esper\w+|supon\w+|imagin\w+|dud\w+
        |pregunt\w+|oí|oyó|sueñ\w+|si""",
    "until": "hasta",
    "over": r"ya no|dejó de|antes|solía\w*|antigu[oa]",
    "turning": "no nunca jamás sin aucun",
    "quantities": r"""tod[oa]s?|alguien|algun[oa]s?|algún|nadie|cualquier\w*|solo|sólo|solamente|amb[oa]s|cada|mayoría
        |siempre|más|menos|bastante|demasiado|también|otr[oa]s?""",
    # names
    "greetings": "hola gracias sí no vale claro adiós",
    "titles": "Doctor Doctora Dr Dra Sr Sra Srta Señor Señora Don Doña Tío Tía",
    "name_abbreviations": "Sra Srta",
    "bodies": r"S\.A|S\.L|Banco|Fundación|Universidad|Hospital|Museo|Instituto",
    "leading_bodies": "Universidad|Instituto|Banco|Fundación|Ministerio|Hospital|Museo|Colegio|Asociación|Partido",
    "never_names": """yo hoy ayer mañana lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril
        mayo junio julio agosto septiembre octubre noviembre diciembre mamá papá abuela abuelo navidad dios español
        inglés francés alemán""",
    "things": "ave cif dni irpf itv iva nie nif ong pyme rrhh",
    "into_place": r"\b(?:en|a|de|desde|hacia|por) $",
    "name_cues": r"""(?:se llama|llamad[oa]|Don|Doña) [\"“«'‘(]*$""",
    "subject_verbs": "es está vive trabaja tiene",
    # importance
    "identity": """llamo nombre vivo nací alérgico alérgica alergia cumpleaños dirección teléfono casado casada hijo
        hija madre padre esposa esposo contraseña prefiero""",
    "wanted": "gusta gustan encanta odio quiero necesito siempre nunca",
    "decided": "decidido decidí prometo plazo cita compré mudé",
    "feeling": "furioso furiosa orgulloso orgullosa terrible",
    "timely": "ayer hoy mañana semana mes año enero febrero marzo abril junio julio octubre",
    "critical": r"""
        nombre apellido cumpleaños dirección teléfono contraseña correo;
            \b(?:[Mm]is?|[Nn]uestr[oa])(?: \w+){0,2} (?:nombre|apellido|cumpleaños|direcci[oó]n|tel[eé]fono
            |contraseña|correo)(?: \w+){0,2}(?: ?[=:]| es\b)
        llamo llámame; \b(?:[Ll]l[aá]mame|[Mm]e llamo) [A-ZÀ-Þ]
        alérgico alérgica alergia vegano vegana vegetariano vegetariana diabético diabética embarazada;
            (?i)\b(?:soy|es|está|estoy)(?: \w+){0,3} (?:al[eé]rgic[oa]|vegan[oa]|vegetarian[oa]|diab[eé]tic[oa]
            |embarazada)\b|\b(?:alerg[ií]a|al[eé]rgic[oa]) (?:a|al) \w
        prefiero prefiere; \b[Pp]refier[oe]\b
        favorito favorita preferido preferida; \b[Mm]i(?: \w+){1,2} (?:favorit|preferid)[oa] es\b""",
    "chatter": """(?:muchas )?gracias|hola|buen[oa]s (?:días|tardes|noches)|adiós|hasta (?:luego|pronto|mañana)|vale
        |de (?:nada|acuerdo)|claro(?: que sí)?|sí|qué tal|eh|ya|pues|bueno|(?:muy |qué |está )?bien|perfecto|genial
        |entiendo|entendido|por (?:supuesto|favor)|exacto|seguro|(?:ja){2,}|vaya|no (?:hay|pasa) (?:problema|nada)""",
    "polite_openings": """hola|gracias|muchas gracias|buen[oa]s (?:días|tardes|noches)|adiós|hasta (?:luego|pronto
        |mañana)|de nada|me alegro""",
    "first_person_words": "yo|mi",
    "speaker_words": "yo|mi|nosotr[oa]s|nuestr[oa]",
    "yes_or_no": "sí|si|no",
    "outside": "fuera de",
    "occupation": r"""\w{2,}(?:dor|dora|tor|tora|sor|sora|ero|era|ista|ente|enta|ante|ólogo|óloga|ico|ica|ario|
        aria|grafo|grafa|eta)|médico|médica|chef|juez|jueza|piloto|actriz|arquitecto|arquitecta|abogado|abogada|
        maestro|maestra|niñera|cura|monja|guía|becario""",
    "plain_yes_no": "sí|si|no",
    "unknown": r"no (?:lo )?s[eé]\b|no se sabe|desconocido",
    "constraint": """alérgic[oa]|(?:soy|es) (?:vegetarian[oa]|vegan[oa])|debo|debemos|tengo que|tenemos que|no pued[eo]
        |no podemos|como mucho|presupuesto|fecha límite|a más tardar""",
    "preference": "(?:me|le|nos|les) (?:gustan?|encantan?)|prefiero|prefiere|odio|favorit[oa]s?|a partir de ahora",
    "decision": r"""decidí|decidimos|decidió|hemos decidido|acordamos|quedamos en|optamos por|elegimos|elegí|vamos con
        |me quedo con|decidido(?=\s*:)""",
    "undecided": r"(?:no|nunca)\b[^.;]{0,24}$",
    "entity": r"(?:mi|nuestr[oa]) (?:\w+ ){1,3}(?:es|se llama|trabaja|vive)|me llamo|trabajo (?:en|como)|vivo en",
    "amount": r"\d[\d.,]*[ -]?(?:horas?|días?|años?|semanas?|euros?)|número\b[^.;?]{0,20}\d\w*",
    "personal": "(?-i:[Mm]i|[Yy]o|[Tt]u|[Nn]uestr[oa])",
    "events": """fue fuimos compré compró conseguí decidí empecé empezó encontré encontró llegó llegué perdí perdió
        conocí mudé mudó vi vio dijo dije vendí vendió visité visitó gané ganó escribí terminó""",
    "no_content": """absolutamente bien bueno claro encantado enhorabuena entiendo exacto exactamente felicidades genial
        gracias hola increíble lamento perfecto seguro siento vale verdad vaya""",
    "filler": r"¡?(?:hola|ok(?:ay)?|vale|gracias|bueno|pues|sí|no|claro|genial)\b[^.!?]{0,24}[.!?,]*$",
    "vague_opening": r"""\W*(?:(?:bueno|pues|sí|no|y|pero|también),?\s+)*(?:él|ella|ellos|ellas|eso|esto|aquello|est[ea]
        |tú)""",
    "lasting": r"""(?:Soy|(?:[Mm]i \w+|[A-ZÁÉÍÓÚÑ][\w-]+) es) (?:\w+ )?(?:alérgic[oa] a \w|vegan[oa]\b|vegetarian[oa]\b
        |diabétic[oa]\b|zurd[oa]\b|daltónic[oa]\b|celíac[oa]\b)|[Mm]i (?:perr[oa]|gat[oa]|hij[oa]|espos[oa]|marido|mujer
        |herman[oa]|madre|padre) se llama [A-ZÁÉÍÓÚÑ]\w""",
    "elsewhere": r"est[eoa]s?|es[eoa]s?|aquell\w+|aquí|ahí|allí|allá|ello|tú|ti|tus?",
    "advice": r"""(?:puedes|puede|deberías|debería)|intenta|prueba|asegúrate|recuerda que|recomiend\w+|sugier\w+
        |por ejemplo|aquí tienes|consejos?|como ia|modelo de lenguaje|^\W*(?:\d+[.)]|\*\*)""",
    "idle_talk": "adiós claro exacto felicidades genial gracias hola lamento perfecto seguro siento vale",
    "about_saying": """dijiste dije dicho mencioné mencionaste mencionado recuerdo recuerdas recuerda memoria nota notas
        antes ya correcto exacto sé sabes según""",
    "asking": """dime cuéntame sabes sabe describe resumen resume algo cualquier último última últimos últimas reciente
        actual actualmente ahora""",
    # parts of answers
    "before_age": r"\b(?:tiene|tengo|tenía|cumple|cumplió)\s+(?:casi\s+)?",
    "after_age": "años?|meses|semanas?|y|pero|en|el|hoy|mañana|este",
    "old": r"de\s+edad",
    "because": r"\b(?:porque|debido\s+a|para\s+que|ya\s+que)\s+(?P<why>[^.;!?\n]{4,})",
    "leading_words": "el|la|los|las|un|una|a|de|del|en|con|por|para|es|era|muy|también|y|o|que",
    "trailing_words": r"y|o|el|la|a|de|en|con|por|para|es|era|también|ahora|hoy|ayer|otra\s+vez",
    "happened": r"\w{2,}ó|\w{2,}aron|\w{2,}ieron|fue|fueron|era|estaba|había|hizo|dijo|vino|fui|\w{2,}é",
    "moved": "(?:se mudó|se mudaron|me mudé)",
    "earlier": r"antes|original\w*|antigu[oa]",
    "asks_first": r"por primera vez|la primera vez que|primer[oa]?(?!\s+(?:nombre|apellido|piso|planta)\b)",
    "asks_last": r"""por última vez|la última vez que|últim[oa](?!\s+(?:semana|mes|año|noche)\b)|más\s+recientes?""",
    "asks_times": r"cu[aá]ntas\s+veces(?!\s+(?:al|a la|por)\b)",
    "cleft": r"""^cu[aá]l\s+(?:es|fue|era)\s+(?:la|el|mi)\s+(?P<noun>\w+)\s+(?:(?:en|para|con|a)\s+)?(?:(?:la
        |el)\s+)?(?:que|cual|donde)
        \s+(?P<rest>.+)""",
    "which_noun": "en qué",
    "counted_phrases": r"una\s+docena|un\s+par|dos\s+veces|una\s+vez",
    "by_doing": r"\b(?P<how>\w{2,}(?:ando|iendo)\b[^.;!?\n]*)",
    "amount_nouns": "pasos páginas personas horas minutos pulgadas",
    # questions
    "myself": "yo me mí mi mis conmigo",
    "asks_when": r"""(?:desde\s+|hasta\s+|para\s+)?cu[aá]ndo|cu[aá]nto\s+tiempo|cu[aá]nt[oa]s\s+(?:segundos|minutos
        |horas|días|semanas|meses|años)|(?:en\s+|a\s+)?qué\s+(?:fecha|día|semana|mes|año|hora|década)""",
    "asks_latest": r"""actual(?:es|mente)?|ahora|últimamente|última\s+vez|más\s+recientes?|hoy\s+en\s+día|antes
        |anteriormente|en\s+este\s+momento""",
    "asks_name": r"""quién|quiénes|dónde|adónde|nombres?|se\s+llama|llamad[oa]|(?:qué|cuál
        |cuáles)\s+(?:\w+\s+)?(?:persona|amig[oa]|ciudad|país|lugar|pueblo|libro|novela|película|serie|canción|juego
        |empresa|marca|idioma|restaurante|museo|escuela|universidad|perro|gato|mascota|proyecto|calle|hotel)(?:e?s)?""",
    "states_place": r"""(?:al|(?:en|a|por|hacia|desde|cerca\s+de|dentro\s+de|detrás\s+de|junto\s+a)\s+(?:el|las?|los
        |una?|mis?|sus?|nuestr[oa]s?))\s+(?!(?:mañana|tarde|noche|semana|mes|año|fin|final|futuro|momento|días?|verano
        |invierno|otoño|primavera|vez|veces|menos|principios?|próxim[oa]|últim[oa]|primer\w*)\b)\w+|(?:en|a|hacia|desde)
        \s+(?-i:[A-ZÁÉÍÓÚÑ])\w+|en\s+casa""",
    "asks_clock_time": r"a\s+qué\s+hora|qué\s+hora",
    "asks_age": r"(?:qué\s+edad|cuántos\s+años)\s+(?:tiene|tenía|cumple)",
    "asks_description": r"""^\W*(?:(?:quién(?:es)?|qué)\s+(?:es|era|son)|háblame\s+de
        |qué\s+sabes\s+(?:de|sobre))
        \s+(?-i:[^\W_a-z])[\w.-]*(?:\s+(?-i:[^\W_a-z])[\w.-]*)*\W*$""",
    "wrongly_stated": r"""(?:(?:perdón|perdona|corrección|no)\b[^.!?]{0,20}?)?\b(?:dije|he dicho|escribí) que
        \s(?P<stated>[^.!?]{4,200}?)
        ,\s(?:pero )?(?:es|son|era|eran)(?: en realidad| en)?
        \s(?P<right>[^.!?,;]{1,60})""",
    "introduces": r"""(?:me llamo|mi nombre es) (?P<named>{fullname})
        |soy (?P<told>{fullname})(?=\s*(?:[,.!;)]|$|y\b))
        |aquí (?P<here>(?-i:[A-ZÀ-ÖØ-Þ][\w'’-]+))(?=\s*[.!,])""",
    "asks_profile": r"""qué (?:sabes|sabemos|se sabe|recuerdas|me puedes (?:decir|contar)) (?:de|sobre|acerca de)
        \s(?P<about>.+)|(?:háblame|cuéntame|dime)(?: todo| más)?(?: lo que sabes)? (?:de|sobre) (?P<told>.+)
        |(?:resume|resúmeme|describe)(?: lo que sabes (?:de|sobre))? (?P<summed>.+)""",
    "asks_occupation": r"""a qué (?:se dedica|me dedico|te dedicas).*|en qué (?:trabaja|trabajo|trabajas)\b.*""",
    "asks_origin": r"""de dónde|de qué (?:ciudad|país|pueblo)""",
    "asks_of_past": r"^\W*(?:fue|era)",
    "was": "fue|era|estaba|había|ex",
    "causal": r"por\s+qué|porque|causas?|causó|motivos?|razón|razones|provocó",
    "relational": "quién (?:conoce|trabaja)|relación|relaciones|relacionad[oa]s?|entre|amig[oa]s? de|ambos|ambas",
    "exploratory": "cuéntame|háblame|qué (?:sabes|sabemos)|resumen|resume|describe|todo",
    "factual": r"""^\W*(?:(?:qué|cuál|cuáles|quién|quiénes|dónde|cuánt[oa]s?)\b|(?:es|son|está|están|era|fue|ha|han
        |tiene|puede)\b)""",
    "comparison": r"compar\w+|diferencias?|ambos|ambas|ni|más|menos|mejor|peor|mismo|misma",
    "joints": "y|o|pero|mientras|cuando|después|antes|porque|entonces",
    "request": "(?:puedes|podrías|puede|podría)|sabes|recuerdas",
    "asked": {
        "frequency": r"con\s+qu[eé]\s+frecuencia\b|cu[aá]ntas\s+veces\b",
        "duration": r"""(?:desde\s+hace\s+)?cu[aá]nto\s+tiempo\b(?:\s+hace\s+que\b|\s+llev\w+)?|desde\s+cu[aá]ndo\b
        |cu[aá]nt[oa]s\s+(?:segundos|minutos|horas|días|semanas
            |meses|años)\b""",
        "count": r"cu[aá]nt[oa]s\b",
        "amount": r"(?:por\s+|a\s+)?cu[aá]nto\b|cu[aá]nta\b",
        "time": r"(?:hasta\s+)?cu[aá]ndo\b|(?:en\s+|a\s+)?qu[eé]\s+(?:fecha|día|mes|año|hora)s?\b",
        "place": r"(?:a|de\s+|en\s+)?d[oó]nde\b|(?:en\s+)?qu[eé]\s+(?:ciudad|país|lugar|pueblo|calle)\b",
        "person": r"(?:con\s+|de\s+|a\s+)?qui[eé]n(?:es)?\b",
        "name": r"c[oó]mo\s+se\s+llaman?\b|cu[aá]l\s+es\s+el\s+nombre\b",
        "reason": r"por\s+qu[eé]\b",
        "manner": r"c[oó]mo\b",
        "thing": r"qu[eé]\b|cu[aá]l(?:es)?\b",
        "yes or no": r"(?:es|son|está|están|era|fue|ha|han|tiene|tienen|puede|vive|trabaja|bebe|come)\s",
    },
    "question_leads": r"y|pero|entonces|oye|hola|por\s+favor",
    "question_auxiliaries": "(?:es|son|está|están|era|fue|ha|han|había|tiene|tienen|puede|pueden)",
    "which": "qué|cuál|cuáles",
    "how_many": "cu[aá]nt[oa]s?",
    "kind_of": r".*\b(?:tipos?|clases?)\s+de\s+\b",
    "either": "o",
    # changes in ordinary talk
    "corrects": """perdón|perdona|corrección|no,? espera|espera|mejor dicho|digo|quise decir|me equivoqué|en realidad
        |al final|finalmente|olvida eso|cambio de planes|más bien|mejor""",
    "from_now": r"""ahora|desde (?:la próxima|el próximo|enero|febrero|marzo|abril|mayo|junio|julio|agosto)
        |a partir de ahora|actualmente|últimamente|desde hoy|ya no|nuev[oa]s?""",
    "moves": r"""mudad[oa]|aplazad[oa]|pospuest[oa]|movid[oa]|cambiad[oa]|retrasad[oa]|adelantad[oa]|ampliad[oa]|(?:se
        |lo|la|me|nos) (?:ha |han )?(?:cambi|mov|pas|aplaz|pospus|retras|adelant)\w+|ha (?:subido|bajado|pasado)
        |han (?:subido|bajado|cambiado)|(?:sube|baja|subió|bajó) a|cambiaron|aplazaron|movieron|cambié|releva|sustituye
        |reemplaza""",
    "is_over": """cancelad[oa]|se acabó|se acabaron|he terminado con|cancelaron|han cancelado|suspendid[oa]
        |se suspende|murió|ha muerto|se murió|falleció
        |vendí|vendid[oa]|vendimos|regalé|regalamos|dejé(?: de)?|dejad[oa](?: de)?|dejamos|ya no|me despidieron
        |anulad[oa]|se canceló""",
    "parted": """rompimos|(?:hemos|he|han) roto|nos separamos|(?:nos hemos )?separado|lo dejamos|divorciad[oa]s?
        |cortamos""",
    "together": "saliendo|salgo|con|juntos|novi[oa]|pareja|espos[oa]|marido|mujer|casad[oa]|prometid[oa]",
    "in_charge": """lleva|dirige|gestiona|organiza|coordina|se encarga|encargad[oa]|responsable|a cargo|enseña|entrena
        |es (?:mi|nuestr[oa]|el|la)""",
    "died": "murió|muerto|muerta|falleció|vendid[oa]|cancelad[oa]",
    "recurs": "sale|salen",
    "own_forms": r"""^(?:(?:al final|perdón|no|ya|me|ahora|siempre|lo|la|también|y),? )*(?!(?:como|luego|cuando|solo
        |pero|bueno|claro|otro|nuevo|mismo|quiero)\b)\w{2,}(?:o|é|í|oy|[aei]mos)""",
    "other_ones": "otro|otra|otros|otras|segundo|segunda|vuelta",
    "comes_of_age": "cumpl\\w+ (?:los )?NUMBER",
    "finished": "terminé|terminado|terminó|acabé|acabado|acabó",
    "outdated": r"(?:es|son) historia|(?:queda|está)n? obsolet\w+|ya no valen?",
    "instead_of": "en (?:lugar|vez) del?",
    "which_owned": r"""¿?(?:qué|cuál) (?P<noun>\w[\w -]*?) (?:uso|tengo|conduzco|utilizo|llevo|(?P<ours>usamos
        |tenemos|utilizamos)
        |(?:usa|tiene|conduce|utiliza) (?P<one>[A-ZÁÉÍÓÚ]\w+))""",
    "what_is_mine": "¿Cuál es mi {noun}?",
    "what_is_theirs": "¿Cuál es {noun} de {one}?",
    "idle_in_changes": """dosis|finales|principios|mediados|finde|cita|tanto|lleva|todas|todos|día|días|ahora
        |perdón|digo|espera|final|pasada|semana|señor
        |señora|don|doña""",
    "stated_words": "dije|he dicho|puse|había dicho",
}
