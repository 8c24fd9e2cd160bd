"""The signs in English, all families together."""

from __future__ import annotations

from recollect.security.injection.answers import ANSWERING, PERSONAS
from recollect.security.injection.asking import EXTRACTING, IGNORING, PRIVATE
from recollect.security.injection.signs import Sign
from recollect.security.injection.steering import STEERING

ENGLISH: tuple[Sign, ...] = IGNORING + EXTRACTING + PRIVATE + ANSWERING + PERSONAS + STEERING
