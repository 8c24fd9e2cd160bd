"""The word lists of each language that statements are read in."""

from __future__ import annotations

from recollect.statements.locales.de import GERMAN
from recollect.statements.locales.en import ENGLISH
from recollect.statements.locales.es import SPANISH
from recollect.statements.locales.fr import FRENCH
from recollect.statements.locales.locale import FactForm, Locale

__all__ = ["LOCALES", "FactForm", "Locale"]

LOCALES = {locale.code: locale for locale in (ENGLISH, GERMAN, SPANISH, FRENCH)}
"""Every language there is, by its code; English first, which reads a text that shows no other."""
