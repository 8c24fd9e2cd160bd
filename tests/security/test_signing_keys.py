"""Signing keys: their origin, what they sign, and that they never sign the text of another writer."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from engrain import AuditBroken, AuditHead, ConfigError, MemoryManager, Settings
from engrain.model.signatures import Signer, key_of, new_key_file, verified
from engrain.security import MemoryAuditor
from engrain.security.audit import Trail
from engrain.storage.interface import Transaction
from engrain.testing import FrozenClock
from tests.security.attacking import executed

KEY, OTHER = "5f" * 32, "a1" * 32
PUBLIC, OTHERS = key_of(KEY).public_key, key_of(OTHER).public_key


def opened(path: Path, key: object = KEY) -> MemoryManager:
    return MemoryManager(path, embedder=None, signing_key=key, settings=Settings(worker="none"))  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "memory.db"


def test_every_form_of_a_key_is_the_same_key(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    public = new_key_file(file).public_key
    (tmp_path / "hex").write_text(KEY + "\n")
    (tmp_path / "hex").chmod(0o600)
    assert {key_of(form).public_key for form in (file, str(file), file.read_text(), file.read_bytes())} == {public}
    assert {key_of(form).public_key for form in (KEY, bytes.fromhex(KEY), tmp_path / "hex", key_of(KEY))} == {PUBLIC}


@pytest.mark.parametrize(
    "given", ["no/such/key.pem", "5f5f", b"short", 7, "-----BEGIN PRIVATE KEY-----\nno\n", Path("no")]
)
def test_an_invalid_key_is_refused(store: Path, given: object) -> None:
    with pytest.raises(ConfigError, match="key"):
        opened(store, given)
    assert not store.exists()


def test_a_key_file_is_for_nobody_else_and_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    new_key_file(file)
    assert os.name != "posix" or file.stat().st_mode & 0o077 == 0
    with pytest.raises(ConfigError, match="never overwritten"):
        new_key_file(file)
    file.chmod(0o644)
    if os.name == "posix":
        with pytest.warns(RuntimeWarning, match="others may read"):
            key_of(file)


def test_a_key_does_not_show(tmp_path: Path) -> None:
    assert KEY not in repr(key_of(KEY))


def test_a_key_beside_the_store_is_refused(store: Path) -> None:
    new_key_file(store.parent / "key.pem")
    with pytest.raises(ConfigError, match="is in the folder of the store"):
        opened(store, store.parent / "key.pem")


def test_the_environment_names_a_key(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_SIGNING_KEY", KEY)
    with opened(store, None) as memory:
        assert memory.public_key == PUBLIC


def test_a_signer_of_ones_own_signs(store: Path) -> None:
    class Vault:
        public_key = PUBLIC

        def sign(self, payload: bytes) -> str:
            return key_of(KEY).sign(payload)

    vault: Signer = Vault()
    with opened(store, vault) as memory:
        memory.remember("Ana drinks tea")
        assert memory.verify_audit().anchored


def test_a_key_of_the_library_is_a_key(store: Path) -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(KEY))
    with opened(store, private) as memory:
        memory.remember("Ana drinks tea")
        assert memory.public_key == PUBLIC
        assert memory.verify_audit().anchored
        assert memory.audit_head().verify(private.public_key())


def test_an_object_whose_public_key_cannot_be_verified_with_is_refused(store: Path) -> None:
    with pytest.raises(ConfigError, match="Ed448PrivateKey cannot sign"):
        opened(store, Ed448PrivateKey.generate())
    assert not store.exists()


def test_a_public_key_is_taken_in_every_form(store: Path) -> None:
    half = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(KEY)).public_key()
    pem = half.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with opened(store) as memory:
        tea = memory.remember("Ana drinks tea").memory
        assert tea is not None
        head = memory.audit_head()
        receipt = memory.forget(tea.id, hard=True).receipt
        assert receipt is not None
    with opened(store, None) as memory:
        for form in (PUBLIC, PUBLIC.upper(), PUBLIC.encode(), bytes.fromhex(PUBLIC), pem, pem.decode(), half):
            assert verified(form, tea.payload(), str(tea.source.signature))
            assert tea.verify_signature(form)
            assert head.verify(form)
            assert receipt.verify(form)
            assert memory.verify_audit(public_key=form).anchored
            assert memory.verify_audit(public_key=[OTHERS, form]).anchored
            assert memory.audit_integrity(public_key=form).integrity_score == 1.0
            assert MemoryAuditor([tea], public_key=form).audit().integrity_score == 1.0


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("5f5f", ValueError),
        (b"short", ValueError),
        ("-----BEGIN PUBLIC KEY-----\nno\n-----END PUBLIC KEY-----", ValueError),
        (7, TypeError),
        (None, TypeError),
        (X25519PrivateKey.generate().public_key(), TypeError),
        (key_of(KEY), TypeError),
    ],
)
def test_an_invalid_public_key_is_refused_and_not_quoted(store: Path, given: object, error: type[Exception]) -> None:
    with opened(store) as memory:
        memory.remember("Ana drinks tea")
        for ask in (memory.audit_head().verify, lambda key: memory.verify_audit(public_key=key)):
            with pytest.raises(error, match=r"no public key|a public key is") as caught:
                ask(given)  # type: ignore[arg-type]
            assert not isinstance(given, str) or given not in str(caught.value)


def test_the_pem_of_another_kind_of_key_is_refused() -> None:
    pem = X25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(ValueError, match="no Ed25519 key"):
        verified(pem, b"", "")


def test_a_third_party_verifies_a_memory_with_the_public_key_alone(store: Path) -> None:
    with opened(store) as memory:
        tea = memory.scoped(user="ana").remember("Ana drinks tea", source_id="crm").memory
        assert tea is not None
        edited = memory.update(tea.id, content="Ana drinks green tea")
    for held in (tea, edited):
        assert held.verify_signature(PUBLIC)
        assert not held.verify_signature(OTHERS)
    assert not replace(tea, content="Ana drinks rum").verify_signature(PUBLIC)
    assert not replace(tea, scope=edited.scope.__class__("default", "eve")).verify_signature(PUBLIC)
    assert verified(PUBLIC, tea.payload(), str(tea.source.signature))
    forged = replace(tea, content="Ana drinks rum", source=edited.source)
    report = MemoryAuditor([tea, edited, forged], public_key=PUBLIC).audit()
    assert (report.total, len(report.tampered_ids)) == (3, 1)
    assert MemoryAuditor([]).audit().integrity_score == 1.0


def test_without_a_key_nothing_is_signed(store: Path) -> None:
    with opened(store, None) as memory:
        tea = memory.remember("Ana drinks tea").memory
        assert tea is not None
        assert tea.source.signature is None
        assert not tea.verify_signature(PUBLIC)
        assert memory.audit_head().signature is None
        with pytest.raises(ConfigError, match="signing needs a key"):
            memory.sign_audit()


def test_what_was_written_without_the_key_is_never_signed_by_itself(store: Path) -> None:
    with opened(store) as memory:
        memory.remember("one")
    with opened(store, None) as memory:
        memory.remember("two")
    with opened(store) as memory:
        memory.remember("three")
        report = memory.verify_audit()
        assert (report.ok, report.anchored) == (True, False)
        assert "nothing vouches for entries 2 to 3" in report.notes[0]
        assert memory.audit_head().signature is None
        with pytest.raises(AuditBroken, match="does not verify"):
            report.require(anchored=True)
        assert memory.sign_audit().verify(PUBLIC)
        memory.remember("four")
        assert memory.verify_audit().anchored


def test_a_key_replaces_another_on_purpose(store: Path) -> None:
    with opened(store, OTHER) as memory:
        memory.remember("one")
    with opened(store) as memory:
        assert not memory.verify_audit().ok
        with pytest.raises(AuditBroken, match="another key"):
            memory.sign_audit()
        memory.sign_audit(replacing=OTHERS)
        assert memory.verify_audit().anchored
        assert memory.audit_integrity(public_key=OTHERS).integrity_score == 1.0


def test_the_public_half_is_enough_to_verify(store: Path) -> None:
    with opened(store) as memory:
        memory.remember("one")
    with opened(store, None) as memory:
        assert memory.verify_audit(public_key=PUBLIC).anchored
        assert not memory.verify_audit(public_key=OTHERS).ok
        assert not memory.verify_audit().anchored


def test_a_head_kept_elsewhere_finds_an_older_copy(store: Path) -> None:
    with opened(store) as memory:
        memory.remember("one")
        older = memory.snapshot(store.parent / "older.db")
        memory.remember("two")
        head = AuditHead.from_dict(memory.audit_head().to_dict())
    with opened(Path(older)) as memory:
        assert memory.verify_audit().anchored
        assert not memory.verify_audit(head=head).ok
        with pytest.raises(ValueError, match="of org"):
            memory.for_org("acme").verify_audit(head=head)


def test_only_ones_own_unchanged_export_keeps_its_trust(store: Path, tmp_path: Path) -> None:
    file, spoilt = tmp_path / "export.jsonl", tmp_path / "spoilt.jsonl"
    with opened(store) as memory:
        memory.remember("Ana drinks tea", source_type="user_input")
        memory.export(file)
    spoilt.write_text(file.read_text().replace("tea", "rum"))
    with opened(tmp_path / "other.db") as memory:
        with pytest.raises(ValueError, match="not signed by the key in force, or was changed"):
            memory.import_(spoilt, trust="file")
        memory.import_(file, trust="file")
        (tea,) = memory.list_memories()
        assert tea.source.type == "user_input"
        assert tea.verify_signature(PUBLIC)
    with opened(tmp_path / "third.db", None) as memory, pytest.raises(ConfigError, match="signing needs a key"):
        memory.import_(file, trust="file")


def test_an_erased_memory_is_not_missed(store: Path, clock: FrozenClock) -> None:
    def erase(transaction: Transaction) -> None:
        trail = Trail(memory._engine, transaction, gone.scope, at=clock.now())
        trail.erased(gone)
        trail.write()

    with opened(store) as memory:
        gone = memory.remember("Ana drinks tea").memory
        memory.store.write(erase, "default")
        assert memory.audit_integrity().tampered_ids == (gone.id,)  # it is still there
    executed(store, "DELETE FROM memory")
    with opened(store) as memory:
        assert memory.verify_audit().anchored
        assert memory.audit_integrity().integrity_score == 1.0
        assert [entry.reason for entry in memory.audit_log()] == ["", ""]
