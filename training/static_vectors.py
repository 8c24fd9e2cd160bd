"""Writes the table of the built-in embedder from the `wordllama` package: `python -m training.static_vectors FOLDER`.

FOLDER is what `pip download --no-deps wordllama==0.4.0.post1` and `unzip` leave. Each vector is rounded to eight bits
a number with a scale of its own, which halves the table and moves a vector by 1 %.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

TARGET = Path(__file__).parents[1] / "src" / "engrain" / "embeddings" / "wordllama"


def main(source: Path, target: Path = TARGET) -> None:
    """Write `vectors.npy` and `scales.npy`, `pieces.npy` (sorted, in UTF-8) and `rows.npy` (the row of each)."""
    raw = (source / "wordllama" / "weights" / "l2_supercat_256.safetensors").read_bytes()
    begin = 8 + int.from_bytes(raw[:8], "little")
    table = json.loads(raw[8:begin])["embedding.weight"]
    first, last = (begin + offset for offset in table["data_offsets"])
    vectors = np.frombuffer(raw[first:last], np.float16).reshape(table["shape"]).astype(np.float32)
    scales = np.abs(vectors).max(axis=1, keepdims=True) / 127
    np.save(target / "vectors.npy", np.rint(vectors / scales).astype(np.int8))
    np.save(target / "scales.npy", scales)

    configuration = source / "wordllama" / "tokenizers" / "l2_supercat_tokenizer_config.json"
    model = json.loads(configuration.read_text(encoding="utf-8"))["model"]
    pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)
    rows = {piece: row for row, piece in enumerate(pieces)}

    def order(merge: str) -> tuple[bool, int, int, int]:
        left, right = merge.split(" ")
        return not (left + right).strip("▁"), rows[left + right], rows[left], rows[right]

    if list(map(order, model["merges"])) != sorted(map(order, model["merges"])):
        raise ValueError("the merges are in another order than `engrain.embeddings.static` applies them in")
    np.save(target / "pieces.npy", np.frombuffer("\n".join(sorted(pieces)).encode(), np.uint8))
    np.save(target / "rows.npy", np.array([rows[piece] for piece in sorted(pieces)], np.uint16))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
