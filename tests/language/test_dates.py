"""One reader of dates: recall's windows, dates of answers, the graph and the check of answers agree on every text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engrain.language.comparison import dates
from engrain.language.times import clock_times, date_values, dated, durations, names_time, windows

SAID = datetime(2024, 8, 14, 12, tzinfo=UTC)  # a Wednesday

DAYS = {  # every reader finds this day
    "am 5. Mai 2024": "2024-05-05",
    "Am 17. November 2023 begann es.": "2023-11-17",
    "den 3. März 2022": "2022-03-03",
    "Das war der 31.12.2023.": "2023-12-31",
    "vom 1. Februar 2024": "2024-02-01",
    "Wir treffen uns am 12. Dez. 2023": "2023-12-12",
    "on 5 May 2024": "2024-05-05",
    "on 21 November, 2023": "2023-11-21",
    "May 5th, 2024": "2024-05-05",
    "on the 2nd of June 2021": "2021-06-02",
    "Sept. 9, 2020 was sunny": "2020-09-09",
    "2024-07-04T10:00": "2024-07-04",
    "at 2023-01-31T23:59:59Z": "2023-01-31",
    "since 2024/7/4": "2024-07-04",
    "on 2024-07-04, at noon": "2024-07-04",
    "el 5 de mayo de 2024": "2024-05-05",
    "la reunión del 28 de febrero del 2023": "2023-02-28",
    "Fue el 1 de enero de 2020.": "2020-01-01",
    "le 5 mai 2024": "2024-05-05",
    "le 1er août 2023": "2023-08-01",
    "du 14 juillet 2022": "2022-07-14",
    "25/12/2023": "2023-12-25",
    "12/25/2023": "2023-12-25",
    "25.12.2023": "2023-12-25",
    "2024年7月4日": "2024-07-04",
}


@pytest.mark.parametrize(("text", "day"), DAYS.items())
def test_a_day_is_the_same_to_every_reader(text: str, day: str) -> None:
    windowed = [window.start.date().isoformat() for window in windows(text, SAID)]
    assert day in windowed or any(
        w.end.date().isoformat() > day >= w.start.date().isoformat() for w in windows(text, SAID)
    )
    assert [value for *_, value in date_values(text)] == [day]
    assert [each.iso for each in dated(text, SAID)][:1] in ([day], [day[:7]], [day[:4]])
    year, month, number = map(int, day.split("-"))
    assert dates(text)[0] == [((year, month, number),)]


SPANS = {  # unit, first day and the day after the last; an open end is ""
    "am 5. Mai": "day 2024-05-05 2024-05-06",
    "on 20 December": "day 2023-12-20 2023-12-21",
    "le 3 juin": "day 2024-06-03 2024-06-04",
    "el 9 de julio": "day 2024-07-09 2024-07-10",
    "im Mai 2023": "month 2023-05-01 2023-06-01",
    "im Mai": "month 2024-05-01 2024-06-01",
    "in März 2024": "month 2024-03-01 2024-04-01",
    "en marzo de 2023": "month 2023-03-01 2023-04-01",
    "en abril": "month 2024-04-01 2024-05-01",
    "en octobre 2022": "month 2022-10-01 2022-11-01",
    "en mars": "month 2024-03-01 2024-04-01",
    "Ende Juni 2023": "month 2023-06-01 2023-07-01",
    "im Jahr 2021": "year 2021-01-01 2022-01-01",
    "en 2019": "year 2019-01-01 2020-01-01",
    "en el año 2019": "year 2019-01-01 2020-01-01",
    "depuis 2020": "range 2020-01-01 ",
    "seit 2020": "range 2020-01-01 ",
    "desde mayo de 2023": "range 2023-05-01 ",
    "bis Ende Mai 2024": "range  2024-06-01",
    "avant le 5 mai 2024": "range  2024-05-05",
    "antes del 5 de mayo de 2024": "range  2024-05-05",
    "nach dem 5. Mai 2024": "range 2024-05-06 ",
    "vom 3. bis 5. Mai 2024": "range 2024-05-03 2024-05-06",
    "del 3 al 5 de mayo de 2024": "range 2024-05-03 2024-05-06",
    "du 3 au 5 mai 2024": "range 2024-05-03 2024-05-06",
    "between 3 May and 5 June 2024": "range 2024-05-03 2024-06-06",
    "zwischen Mai und Juli 2024": "range 2024-05-01 2024-08-01",
    "entre mayo y julio de 2024": "range 2024-05-01 2024-08-01",
    "entre mai et juillet 2024": "range 2024-05-01 2024-08-01",
    "2019-2021": "range 2019-01-01 2022-01-01",
    "de 2019 à 2021": "range 2019-01-01 2022-01-01",
    "gestern": "day 2024-08-13 2024-08-14",
    "vorgestern Abend": "day 2024-08-12 2024-08-13",
    "übermorgen": "day 2024-08-16 2024-08-17",
    "Wir sehen uns morgen.": "day 2024-08-15 2024-08-16",
    "ayer": "day 2024-08-13 2024-08-14",
    "pasado mañana": "day 2024-08-16 2024-08-17",
    "hier soir": "day 2024-08-13 2024-08-14",
    "avant-hier": "day 2024-08-12 2024-08-13",
    "après-demain": "day 2024-08-16 2024-08-17",
    "aujourd'hui": "day 2024-08-14 2024-08-15",
    "letzte Woche": "week 2024-08-05 2024-08-12",
    "die vorletzte Woche": "week 2024-07-29 2024-08-05",
    "nächsten Monat": "month 2024-09-01 2024-10-01",
    "la semana pasada": "week 2024-08-05 2024-08-12",
    "el mes que viene": "month 2024-09-01 2024-10-01",
    "la semaine dernière": "week 2024-08-05 2024-08-12",
    "le mois prochain": "month 2024-09-01 2024-10-01",
    "vor drei Wochen": "week 2024-07-22 2024-07-29",
    "hace dos años": "year 2022-01-01 2023-01-01",
    "il y a trois jours": "day 2024-08-11 2024-08-12",
    "in drei Tagen": "day 2024-08-17 2024-08-18",
    "dentro de dos semanas": "week 2024-08-26 2024-09-02",
    "dans un mois": "month 2024-09-01 2024-10-01",
    "letzten Freitag": "day 2024-08-09 2024-08-10",
    "am Montag": "day 2024-08-12 2024-08-13",
    "el lunes": "day 2024-08-12 2024-08-13",
    "lundi dernier": "day 2024-08-12 2024-08-13",
    "el viernes pasado": "day 2024-08-09 2024-08-10",
    "im Sommer 2023": "season 2023-06-01 2023-09-01",
    "el verano pasado": "season 2023-06-01 2023-09-01",
    "au printemps 2023": "season 2023-03-01 2023-06-01",
    "in den letzten drei Monaten": "range 2024-05-14 2024-08-15",
    "los últimos dos meses": "range 2024-06-14 2024-08-15",
    "les trois derniers mois": "range 2024-05-14 2024-08-15",
    "in den 1990er Jahren": "range 1990-01-01 2000-01-01",
}


@pytest.mark.parametrize(("text", "expected"), SPANS.items())
def test_months_years_intervals_and_relative_times_in_four_languages(text: str, expected: str) -> None:
    unit, first, after = expected.split(" ")
    found = windows(text, SAID)
    assert len(found) == 1, found
    shown = ["" if each.year in (1, 9999) else each.date().isoformat() for each in (found[0].start, found[0].end)]
    assert (found[0].unit, *shown) == (unit, first, after)


@pytest.mark.parametrize(
    "text",
    [
        "Ich habe 3. Das ist viel.",
        "version 2.3.10",
        "host 10.0.12.24",
        "55,000 users",
        "ca. 40 Pumpen",
        "es kostet 2019 Euro",
        "cuesta 2020 euros",
        "les 2000 personnes",
        "mon mari et ma sœur",
        "Das mag sein.",
        "it may be so",
        "El mar está frío",
        "git.nordwind.example",
        "ISO-2019 and CVE-2024-3094",
        "room 2014, $2019 and #2020",
        "am 31. Februar",
        "Guten Morgen!",
    ],
)
def test_an_invalid_date_is_none_to_any_reader(text: str) -> None:
    assert windows(text, SAID) == ()
    assert list(date_values(text)) == []
    assert dated(text, SAID) == []


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("at 15:30", [930]),
        ("um 15.30 Uhr", [930]),
        ("um 8 Uhr", [480, 1200]),
        ("à 15h30", [930]),
        ("a las 9:05", [545, 1265]),
        ("3 pm", [900]),
        ("at 3 p.m. sharp", [900]),
        ("2024-07-04T10:00", [600]),
        ("at noon", [720]),
        ("um Mitternacht", [0]),
        ("à midi", [720]),
        ("a mediodía", [720]),
        ("13:61", []),
        ("the ratio 3:2", []),
    ],
)
def test_times_of_day(text: str, minutes: list[int]) -> None:
    assert sorted(minute for *_, found in clock_times(text) for minute in found) == minutes


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("It took six weeks.", "six weeks"),
        ("Es dauerte drei Tage.", "drei Tage"),
        ("Tardó dos horas.", "dos horas"),
        ("Cela a duré quatre mois.", "quatre mois"),
        ("about 90 minutes", "about 90 minutes"),
    ],
)
def test_lengths_of_time(text: str, length: str) -> None:
    assert [text[start:stop] for start, stop in durations(text)] == [length]


@pytest.mark.parametrize(
    "text", ["gestern", "el martes", "il y a deux ans", "um 8 Uhr", "5. Mai", "im Mai", "la semana pasada"]
)
def test_a_text_in_another_language_names_a_time_too(text: str) -> None:
    assert names_time(text)


def test_a_long_text_is_read_in_a_time_that_grows_with_it() -> None:
    text = "We met on 5 May 2024 in Porto, and two weeks later at 10:30 in Rome. " * 2000
    assert len(list(date_values(text))) == 2000
