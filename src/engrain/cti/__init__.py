"""Threat intelligence: the domain pack `cti`, and STIX 2.1 in and out.

Nothing of the library imports this package: the pack is found by the entry point `engrain.domains`.
"""

from __future__ import annotations

DOMAINS = ("cti", "incident", "threat_intel")  # the labels of memories that are about threats
