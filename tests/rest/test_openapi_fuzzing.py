"""Thousands of requests made from the OpenAPI document: none is answered by a failure, or otherwise than it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.rest.samples import sample_store
from tests.servers import serving_whole

# What a schema cannot say of a text (that it is a date, an id that there is, not blank) is refused with a 422, so that
# valid requests may be refused is no fault.
_ASKING_TOO_MUCH = "positive_data_acceptance"
# A head that is too long is refused as such, whatever it says.
_CONFIG = (
    "[checks.negative_data_rejection]\nexpected-statuses = [400, 401, 403, 404, 405, 406, 409, 415, 422, 428, 431]\n"
)
# Made-up requests of each operation beside those of its examples, and those at every limit of its schema: 8,000.
_SHORT, _LONG = ("examples,fuzzing", 1, 250), ("examples,coverage,fuzzing", 60, 8000)


@pytest.mark.parametrize(
    ("phases", "examples", "fewest", "seed"),
    [(*_SHORT, 7), *(pytest.param(*_LONG, seed, marks=pytest.mark.slow) for seed in range(5))],
)
def test_no_request_is_answered_otherwise_than_the_document_says(
    phases: str, examples: int, fewest: int, seed: int, tmp_path: Path
) -> None:
    report = tmp_path / "report.ndjson"
    (tmp_path / "schemathesis.toml").write_text(_CONFIG, encoding="utf-8")
    with sample_store(tmp_path / "memory.db") as memory, serving_whole(memory) as url:
        secret = memory.keys.create("admin").secret
        assert httpx2.get(f"{url}/openapi.json", trust_env=False, timeout=120).is_success  # made once, then read
        ran = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"),
                *("run", f"{url}/openapi.json", "--checks", "all", "--exclude-checks", _ASKING_TOO_MUCH),
                *("--phases", phases, "--max-examples", str(examples), "--seed", str(seed)),
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
    assert int(tried) > fewest
