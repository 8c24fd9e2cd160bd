"""Words are split as the tokenizer of WordLlama splits them, and have the vectors that it was trained with."""

import hashlib
import random
from importlib.resources import files

import numpy as np

from engrain.embeddings.static import WordPieces

TABLE = files("engrain.embeddings") / "wordllama"
VOCABULARY = WordPieces(
    np.load(str(TABLE / "pieces.npy")).tobytes().decode().split("\n"), np.load(str(TABLE / "rows.npy")).tolist()
)


def test_words_are_split_as_the_trained_tokenizer_splits_them():
    assert VOCABULARY.rows("penicillin") == [6584, 293, 453, 262]
    assert VOCABULARY.rows("naïve") == [1055, 30085, 345]
    assert VOCABULARY.rows("🦙") == [29871, 243, 162, 169, 156]
    assert VOCABULARY.rows("a</s>b") == [263, 2, 289]
    assert VOCABULARY.rows("▁▁▁▁▁▁") == [4706]
    assert len(VOCABULARY.rows("aGVsbG8gd29ybGQ" * 7000)) == 91000


def test_pieces_of_many_words_are_those_of_the_trained_tokenizer():
    pick = random.Random(7)
    letters = "aabcdeefghiijklmnoopqrsttuvwxyzAEST.-'_=/<>0123456789"
    letters += "äöüßéñçłżяжштעשמرسل的一是不猫たちを한국어▁🦙"
    words = ["".join(pick.choices(letters, k=pick.randint(1, 14))) for _ in range(4000)]

    rows = [VOCABULARY.rows(word) for word in words]

    assert hashlib.sha256(repr(rows).encode()).hexdigest()[:16] == "496ebafc033af0c7"


def test_the_table_holds_the_trained_vectors():
    vectors, scales = np.load(str(TABLE / "vectors.npy")), np.load(str(TABLE / "scales.npy"))

    assert hashlib.sha256(vectors.tobytes()).hexdigest()[:16] == "a7e63d994b608a2a"
    assert hashlib.sha256(scales.tobytes()).hexdigest()[:16] == "00f242ae6a42a040"
    assert (np.abs(vectors.astype(int)).max(axis=1) == 127).all()  # each row uses the whole range of its eight bits
