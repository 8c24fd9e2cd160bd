"""Word lists of each language."""

from __future__ import annotations

from engrain.language.locales.de import GERMAN
from engrain.language.locales.en import ENGLISH
from engrain.language.locales.es import SPANISH
from engrain.language.locales.fr import FRENCH
from engrain.language.locales.locale import FactForm, Locale

__all__ = ["LOCALES", "FactForm", "Locale"]

LOCALES = {locale.code: locale for locale in (ENGLISH, GERMAN, SPANISH, FRENCH)}
"""Every language there is, by its code; English first, which reads a text that shows no other."""
