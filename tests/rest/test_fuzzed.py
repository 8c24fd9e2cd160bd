"""Thousands of requests made from the OpenAPI document: none is answered by a failure, or otherwise than it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rest.samples import sample_store
from tests.servers import serving_whole

# What a schema cannot say of a text (that it is a date, an id that there is, not blank) is refused with a 422, so that
# valid requests may be refused is no fault.
_ASKING_TOO_MUCH = "positive_data_acceptance"
_FEW, _MANY = 2, 60  # made-up requests of each operation, beside those of its examples and its limits


@pytest.mark.parametrize(
    ("examples", "seed"), [(_FEW, 7), *(pytest.param(_MANY, seed, marks=pytest.mark.slow) for seed in range(5))]
)
def test_no_request_is_answered_otherwise_than_the_document_says(examples: int, seed: int, tmp_path: Path) -> None:
    report = tmp_path / "report.ndjson"
    with sample_store(tmp_path / "memory.db") as memory, serving_whole(memory) as url:
        secret = memory.keys.create("admin").secret
        ran = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"),
                *("run", f"{url}/openapi.json", "--checks", "all", "--exclude-checks", _ASKING_TOO_MUCH),
                *("--phases", "examples,coverage,fuzzing", "--max-examples", str(examples), "--seed", str(seed)),
                *("-H", f"Authorization: Bearer {secret}"),
                *("--continue-on-failure", "--workers", "1", "--no-color"),
                *("--report", "ndjson", "--report-ndjson-path", str(report)),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, ran.stdout[-6000:]
    assert json.loads(report.read_text(encoding="utf-8").splitlines()[0])
    (tried,) = re.findall(r"(\d+) generated", ran.stdout)
    assert int(tried) > 2000
