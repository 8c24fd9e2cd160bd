"""Settings: code before environment before file before default, where each came from, and nothing unknown."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from engrain import ConfigError, GovernanceViolation, MemoryManager, ScopeMissing, Settings


def file_of(place: Path, text: str) -> dict[str, str]:
    """Write a configuration file and return the environment that names it."""
    path = place / "engrain.toml"
    path.write_text(text, encoding="utf-8")
    return {"ENGRAIN_CONFIG": str(path)}


def test_without_anything_the_defaults_hold() -> None:
    settings = Settings.load(environ={})
    assert settings == Settings()
    assert set(settings.sources.values()) == {"default"}
    assert settings.sources.keys() == {field.name for field in dataclasses.fields(Settings)} - {"sources"}


def test_each_layer_wins_over_the_next(tmp_path: Path) -> None:
    environ = file_of(tmp_path, "max_content_bytes = 1\nsitu" + "ate = false\nworker = 'none'")
    environ |= {"ENGRAIN_MAX_CONTENT_BYTES": "2", "ENGRAIN_WORKER": "thread"}
    settings = Settings.load(environ=environ, max_content_bytes=3)
    assert (settings.max_content_bytes, settings.worker, settings.situate) == (3, "thread", False)
    assert settings.durability == "full"


def test_sources_name_the_place(tmp_path: Path) -> None:
    environ = file_of(tmp_path, "situate = false")
    settings = Settings.load(environ=environ | {"ENGRAIN_WORKER": "none"}, durability="normal")
    assert settings.sources["durability"] == "code"
    assert settings.sources["worker"] == "environment ENGRAIN_WORKER"
    assert settings.sources["situate"] == f"file {environ['ENGRAIN_CONFIG']}"
    assert settings.sources["require_user"] == "default"


@pytest.mark.parametrize("layer", ["code", "environment", "file"])
def test_an_unknown_key_is_refused_wherever_it_is(tmp_path: Path, layer: str) -> None:
    given: dict[str, Any] = {"colour": "red"} if layer == "code" else {}
    environ = {"ENGRAIN_COLOUR": "red"} if layer == "environment" else {}
    environ |= file_of(tmp_path, "colour = 'red'") if layer == "file" else {}
    with pytest.raises(ConfigError, match=r"there is no setting 'colour'.*max_content_bytes"):
        Settings.load(environ=environ, **given)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_CONTENT_BYTES", "many"),
        ("MAX_CONTENT_BYTES", "-5"),
        ("MAX_CONTENT_BYTES", "0"),
        ("REQUIRE_USER", "perhaps"),
        ("WORKER", "process"),
        ("DURABILITY", "none"),
        ("IMPORTANCE", "random"),
        ("ORIGINS", "web"),
        ("ORIGINS", "web=divine"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name.lower()):
        Settings.load(environ={f"ENGRAIN_{name}": value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("retention", []),
        ("secrets", {}),
        ("languages", "en"),
        ("synthesis_tiers", ()),
        ("zones", {"hot": 0.1}),
        ("llm_budget", {"tokens": -1}),
        ("llm_retries", 11),
        ("sensors", {"secrets": 3}),
        ("working", {"max_tokens": 0}),
        ("policies", [{"kind": "eternal"}]),
    ],
)
def test_a_value_of_the_wrong_kind_in_code_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"setting {name}"):
        Settings(**{name: value})


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("YES", True), ("1", True), ("on", True), ("false", False), ("No", False), ("0", False)],
)
def test_the_environment_says_yes_and_no_in_many_ways(text: str, value: bool) -> None:
    assert Settings.load(environ={"ENGRAIN_REQUIRE_USER": text}).require_user is value


def test_origins_add_to_the_known_ones() -> None:
    origins = Settings.load(environ={"ENGRAIN_ORIGINS": "crm=user_input, mcp=tool_result"}).origins
    assert (origins["crm"], origins["mcp"], origins["report"]) == ("user_input", "tool_result", "external_data")


def test_origins_given_in_code_add_to_the_known_ones_too() -> None:
    settings = Settings(origins={"web": "user_input", "report": "tool_result"})
    assert (settings.origins["web"], settings.origins["report"]) == ("user_input", "tool_result")
    with MemoryManager(":memory:", embedder=None, settings=settings) as memory:
        assert memory.remember("Ana keeps bees", source_type="mcp").memory.source.type == "llm_generated"


def test_origins_may_be_a_table_of_the_file(tmp_path: Path) -> None:
    environ = file_of(tmp_path, '[origins]\ncrm = "user_input"')
    assert Settings.load(environ=environ).origins["crm"] == "user_input"


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        Settings.load(environ={"ENGRAIN_CONFIG": str(tmp_path / "missing.toml")})


@pytest.mark.parametrize("raw", [b"situate = ", b"\xff\xfe", b"[[["])
def test_a_file_that_is_no_toml_is_named(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "engrain.toml"
    path.write_bytes(raw)
    with pytest.raises(ConfigError, match=r"engrain\.toml cannot be read"):
        Settings.load(environ={"ENGRAIN_CONFIG": str(path)})


def test_the_names_that_open_are_no_settings() -> None:
    environ = {"ENGRAIN_STORE": "x.db", "ENGRAIN_EMBEDDER": "none", "PATH": "x"}
    assert Settings.load(environ=environ) == Settings()


def test_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().worker = "none"  # type: ignore[misc]


class TestInForce:
    def test_a_manager_reads_the_environment(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ENGRAIN_MAX_CONTENT_BYTES", "10")
        with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
            assert memory.settings.sources["max_content_bytes"] == "environment ENGRAIN_MAX_CONTENT_BYTES"
            with pytest.raises(GovernanceViolation):
                memory.remember("eleven char")

    def test_settings_given_are_the_whole_of_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ENGRAIN_MAX_CONTENT_BYTES", "10")
        with MemoryManager(tmp_path / "memory.db", embedder=None, settings=Settings()) as memory:
            assert memory.remember("eleven char").status == "created"

    @pytest.mark.sqlite("the path of a file")
    def test_the_default_store_is_named_by_the_environment(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ENGRAIN_STORE", str(tmp_path / "mine.db"))
        monkeypatch.setenv("ENGRAIN_EMBEDDER", "none")
        with MemoryManager() as memory:
            assert memory.store.url == str(tmp_path / "mine.db")
            assert memory.embedder is None

    @pytest.mark.sqlite("the path of a file")
    def test_the_default_folder_of_the_old_name_is_used_until_there_is_a_new_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        for name in ("HOME", "XDG_DATA_HOME", "LOCALAPPDATA", "USERPROFILE"):
            monkeypatch.setenv(name, str(tmp_path))
        monkeypatch.delenv("ENGRAIN_STORE", raising=False)
        monkeypatch.setenv("ENGRAIN_EMBEDDER", "none")
        current = Path(platformdirs.user_data_dir("engrain", False)) / "memory.db"
        old = Path(platformdirs.user_data_dir("recollect", False)) / "memory.db"
        old.parent.mkdir(parents=True)
        with MemoryManager(old, embedder=None) as memory:
            memory.remember("Ana lives in Boston")
        for _ in range(2):
            with MemoryManager() as memory:
                assert memory.store.url == str(old)
                assert memory.recall("where does Ana live?").texts == ("Ana lives in Boston",)
        assert [record.getMessage() for record in caplog.records] == [
            f"using the store {old}, which was made before the product was renamed; move it to {current}"
        ]
        current.parent.mkdir(parents=True, exist_ok=True)
        MemoryManager(current, embedder=None).close()
        with MemoryManager() as memory:
            assert memory.store.url == str(current)

    def test_a_user_may_be_demanded(self, tmp_path: Path) -> None:
        with MemoryManager(tmp_path / "memory.db", embedder=None, settings=Settings(require_user=True)) as memory:
            with pytest.raises(ScopeMissing):
                memory.remember("Ana drinks tea")
            assert memory.scoped(user="ana").remember("Ana drinks tea").status == "created"

    def test_importance_may_be_a_function(self, tmp_path: Path) -> None:
        with MemoryManager(tmp_path / "m.db", embedder=None, settings=Settings(importance=lambda _: 0.25)) as memory:
            assert memory.remember("Ana drinks tea").memory.importance == 0.25

    def test_the_situating_line_can_be_left_out(self, tmp_path: Path) -> None:
        for situate, found in ((True, 1), (False, 0)):
            path = tmp_path / f"{situate}.db"
            with MemoryManager(path, embedder=None, settings=Settings(situate=situate)) as memory:
                memory.remember("Ana drinks it every morning", tags=["tea"])
                assert len(memory.recall("tea")) == found


def test_a_mistyped_name_is_answered_with_the_near_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"engrain.toml: there is no setting 'retentoin': did you mean retention\?"):
        Settings.load(environ=file_of(tmp_path, "retentoin = 'bounded'"))
    with pytest.raises(ConfigError, match=r"ENGRAIN_EMBEDER: there is no setting 'embeder': did you mean embedder\?"):
        Settings.load(environ={"ENGRAIN_EMBEDER": "none"})


def test_what_opens_a_store_is_no_setting_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no setting 'store': ENGRAIN_STORE names it, or who opens"):
        Settings.load(environ=file_of(tmp_path, "store = 3"))
