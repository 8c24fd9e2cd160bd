"""One frozen `Settings`, and the source of each value.

Precedence: code > environment `ENGRAIN_*` > `engrain.toml` (named by `ENGRAIN_CONFIG`, else in the platform's
configuration folder) > defaults. An unknown key is a `ConfigError`, wherever it is set.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from engrain.arguments import explained, misspelt
from engrain.errors import ConfigError
from engrain.guard import awaited, log
from engrain.lazy import Later, tomllib
from engrain.model.audit import Role
from engrain.model.memory import SourceType
from engrain.policies.retention import PRESETS, Retention, RetentionPolicy, policies_of
from engrain.protocols import ConversationMemory, Detector, Sensor
from engrain.urls import is_database
from engrain.validation import is_whole

if TYPE_CHECKING:
    import platformdirs
else:
    platformdirs = Later("platformdirs")

T = TypeVar("T")
ORIGINS: Mapping[str, str] = MappingProxyType(
    {
        "conversation": "llm_generated",
        "observation": "llm_generated",
        "mcp": "llm_generated",
        "task_output": "tool_result",
        "ingestion": "external_data",
        "report": "external_data",
        "unknown": "external_data",
    }
)
SINGLE_VALUED = tuple(
    "name email phone address birthday age lives_in located_in works_at role job_title status version owner ceo "
    "timezone married_to deadline born_on budget password costs price rent salary".split()
)
ZONES: Mapping[str, float] = MappingProxyType({"hot": 0.95, "near": 0.85, "cold": 0.40})
LANGUAGES = ("en", "de", "es", "fr")
SCRATCH = "engrain-file-"
"""The prefix of the names of folders in which a server keeps a file until it is sent."""


class _Rule(NamedTuple):
    """The condition of a valid value: a test, and the words for an error."""

    fits: Callable[[Any], bool]
    wanted: str


def _one_of(*values: str) -> _Rule:
    named = ", ".join(repr(str(value)) for value in values)
    return _Rule(lambda value: isinstance(value, str) and value in values, f"one of {named}")


def _whole(least: int, wanted: str, most: float = math.inf) -> _Rule:
    return _Rule(lambda value: is_whole(value) and least <= value <= most, wanted)


def _number(fits: Callable[[float], bool], wanted: str) -> _Rule:
    return _Rule(lambda value: type(value) in (int, float) and fits(value), wanted)


def _or_none(rule: _Rule, meaning: str) -> _Rule:
    return _Rule(lambda value: value is None or rule.fits(value), f"{rule.wanted}, or None for {meaning}")


def _check(name: str, value: object, rule: _Rule) -> None:
    if not rule.fits(value):
        raise ConfigError(f"setting {name} is {value!r}: it must be {rule.wanted}")


def _setting(default: T, rule: _Rule) -> T:
    return field(default=default, metadata={"rule": rule})


def _check_fields(settings: WorkingSettings | Settings, prefix: str = "") -> None:
    for each in fields(settings):
        if (rule := each.metadata.get("rule")) is not None:
            _check(prefix + each.name, getattr(settings, each.name), rule)


def _set(settings: object, **values: object) -> None:
    """Set fields of a frozen dataclass while it is made."""
    for name, value in values.items():
        object.__setattr__(settings, name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingSettings:
    """How the durable window of a conversation is kept; budgets are in tokens.

    `window` is sliding, summary (turns that no longer fit go into a running summary) or progressive (in tiers, ever
    shorter). A sliding one is made shorter when it holds `threshold_fraction` of its budget, by its `strategy`: hybrid
    keeps the system's turns and the last `keep_last_n` and summarises the others, summarise summarises all but the
    system's, truncate lets the oldest go when the budget is full. `eviction` is which turns go first where a budget
    leaves no choice: fifo, paired (a question with its answer) or importance. A session without a message for
    `idle_minutes` is ended; None never ends one.
    """

    window: str = _setting("sliding", _one_of("sliding", "summary", "progressive"))
    max_tokens: int = _setting(100_000, _whole(1, "a whole number from 1 on"))
    threshold_fraction: float = _setting(0.8, _number(lambda share: 0 < share <= 1, "above 0, at most 1"))
    strategy: str = _setting("hybrid", _one_of("hybrid", "summarise", "truncate"))
    keep_last_n: int = _setting(10, _whole(0, "a whole number from 0 on"))
    eviction: str = _setting("fifo", _one_of("fifo", "paired", "importance"))
    idle_minutes: float | None = _setting(
        30.0, _or_none(_number(lambda idle: 0 < idle < 1e7, "a positive number of minutes"), "never")
    )

    def __post_init__(self) -> None:
        if self.strategy == "summarize":
            _set(self, strategy="summarise")
        _check_fields(self, "working.")


def _is_budget(value: object) -> bool:
    if not isinstance(value, Mapping) or not set(value) <= {"tokens", "calls"}:
        return False
    return all(is_whole(count) and count >= 0 for count in value.values())


def _is_zone(zone: object) -> bool:
    """Return whether a value is a mapping of hot, near and cold to cosines in order; a part left out is the default."""
    if not isinstance(zone, Mapping) or not set(zone) <= set(ZONES):
        return False
    hot, near, cold = ({**ZONES, **zone}[part] for part in ("hot", "near", "cold"))
    return all(type(part) in (int, float) for part in (hot, near, cold)) and 0 <= cold <= near <= hot <= 1


_SENSED = ("secrets", "personal_data")
_TREATMENT = _one_of("allow", "redact", "quarantine", "refuse")
_FLAG = _Rule(lambda value: isinstance(value, bool), "True or False")
_SOURCE_TYPE = _one_of(*SourceType)
_ORIGINS = _Rule(lambda value: isinstance(value, Mapping), "a mapping of names to trust classes")
_IMPORTANCE = _Rule(
    lambda value: callable(value) or value in ("auto", "word_count"), "'auto', 'word_count' or a function of the text"
)
_SENSORS = _Rule(
    lambda value: isinstance(value, Mapping) and all(n in _SENSED and isinstance(s, Sensor) for n, s in value.items()),
    f"a mapping of {' and '.join(_SENSED)} to objects with `findings(text)`",
)
_DETECTOR = _Rule(lambda value: isinstance(value, Detector), "an object with `suspicions(text, source_type)`")
_ZONES = _Rule(lambda value: isinstance(value, Mapping), "a mapping of hot, near and cold to cosines")
_ZONE = _Rule(_is_zone, "a mapping of hot, near and cold, 0 <= cold <= near <= hot <= 1")


@explained
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a manager behaves. Values given here win over the environment and the file only through `Settings.load`.

    `sources` names, for each setting, where its value came from: `code`, an environment variable, a file, or `default`.
    """

    max_content_bytes: int = _setting(1_000_000, _whole(1, "a positive number of bytes"))
    max_record_bytes: int = _setting(1 << 24, _whole(1, "a positive number of bytes"))
    origins: Mapping[str, str] = field(default_factory=lambda: ORIGINS, metadata={"rule": _ORIGINS})
    require_user: bool = _setting(False, _FLAG)
    situate: bool = _setting(True, _FLAG)
    abstain_below: float = _setting(0.3, _number(lambda share: 0 <= share <= 1, "a number from 0 to 1"))
    synthesis_tiers: Sequence[str] = _setting(
        ("A", "B"), _Rule(lambda tiers: bool(tiers) and {*tiers} <= {*"ABC"}, "one or more of A, B and C")
    )
    importance: str | Callable[[str], float] = field(default="auto", metadata={"rule": _IMPORTANCE})
    resolve: str = _setting("auto", _one_of("auto", "off"))
    zones: Mapping[str, Any] = field(default_factory=lambda: ZONES, metadata={"rule": _ZONES})
    single_valued: Sequence[str] = SINGLE_VALUED
    languages: Sequence[str] = _setting(
        LANGUAGES, _Rule(lambda names: {*names} <= {*LANGUAGES}, f"among {', '.join(LANGUAGES)}")
    )
    injection: str = _setting("quarantine", _one_of("quarantine", "refuse", "allow"))
    writes_per_minute: int | None = _setting(None, _or_none(_whole(1, "a whole number from 1 on"), "no bound"))
    secrets: str = _setting("allow", _TREATMENT)
    personal_data: str = _setting("allow", _TREATMENT)
    sensors: Mapping[str, Sensor] = field(default_factory=dict, repr=False, metadata={"rule": _SENSORS})
    detector: Detector | None = field(default=None, repr=False, metadata={"rule": _or_none(_DETECTOR, "the built-in")})
    erase_derived: str = _setting("erase", _one_of("erase", "rebuild"))
    durability: str = _setting("full", _one_of("full", "normal"))
    connections: int = _setting(16, _whole(1, "a positive number"))
    rewrite_upto: int = _setting(1 << 26, _whole(0, "a number of bytes"))
    worker: str = _setting("thread", _one_of("thread", "none"))
    working: WorkingSettings | ConversationMemory | Mapping[str, Any] = field(default_factory=WorkingSettings)
    remember_turns: bool = _setting(True, _FLAG)
    retention: str = _setting("keep", _one_of(*PRESETS))
    policies: Sequence[RetentionPolicy | Mapping[str, Any]] = ()
    sweep_minutes: float = _setting(5.0, _number(lambda minutes: 0 < minutes < 1e7, "a positive number of minutes"))
    llm_budget: Mapping[str, int] | None = _setting(
        None, _or_none(_Rule(_is_budget, "a mapping of tokens, calls or both to whole numbers from 0"), "no bound")
    )
    llm_timeout: float = _setting(60.0, _number(lambda seconds: 0 < seconds < 1e5, "a positive number of seconds"))
    llm_retries: int = _setting(2, _whole(0, "a whole number from 0 to 10", most=10))
    llm_concurrency: int = _setting(4, _whole(1, "a whole number from 1"))
    enrich: str = _setting("threats", _one_of("off", "threats", "all"))
    unclear_intents: str = _setting("rules", _one_of("rules", "llm"))
    confirm: str = _setting("review", _one_of(*(role.value for role in Role if role.covers(Role.WRITE))))
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        lists = ("single_valued", "languages", "synthesis_tiers")
        _set(self, **{name: _names(name, getattr(self, name)) for name in lists})
        _check_fields(self)
        for origin, source_type in self.origins.items():
            _check(f"origins.{origin}", source_type, _SOURCE_TYPE)
        by_embedder = any(isinstance(value, Mapping) for value in self.zones.values())
        for name, zone in self.zones.items() if by_embedder else [("", self.zones)]:
            _check(f"zones.{name}".removesuffix("."), zone, _ZONE)
        try:
            policies = policies_of(self.policies)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setting policies: {error}") from error
        origins = MappingProxyType({**ORIGINS, **self.origins})
        detector = awaited(self.detector)
        _set(self, origins=origins, working=_working(self.working), policies=policies, detector=detector)

    def __repr__(self) -> str:
        shown = ((each.name, getattr(self, each.name)) for each in fields(self) if each.repr)
        changed = (f"{name}={value!r}" for name, value in shown if value != getattr(_DEFAULTS, name))
        return f"Settings({', '.join(changed)})"

    @property
    def retention_rules(self) -> Retention:
        """The retention policies in force."""
        return Retention(self.retention, policies_of(self.policies))

    @classmethod
    def load(cls, *, environ: Mapping[str, str] | None = None, **given: Any) -> Settings:
        """Gather the settings from code, environment and file; `ConfigError` names the place of a wrong one."""
        environ = os.environ if environ is None else environ
        found = {name: (value, f"file {place}") for name, (value, place) in _from_file(environ).items()}
        found |= {name: (value, f"environment {place}") for name, (value, place) in _from_environment(environ).items()}
        for name, value in given.items():
            _check_name(name)
            found[name] = value, "code"
        for name, (value, place) in found.items():
            if place != "code":
                with naming(place.partition(" ")[2]):
                    cls(**{name: value})
        sources = {name: found[name][1] if name in found else "default" for name in sorted(_KINDS)}
        return cls(**{name: value for name, (value, _) in found.items()}, sources=sources)


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Name the place of a value, a variable or a file, in an error about it."""
    try:
        yield
    except ConfigError as error:
        error.args = (f"{place}: {error}",)
        raise


def _names(name: str, value: object) -> tuple[str, ...]:
    names = tuple(value) if isinstance(value, Sequence | frozenset | set) and not isinstance(value, str) else (None,)
    _check(name, value, _Rule(lambda _: all(isinstance(one, str) and one.strip() for one in names), "a list of names"))
    return names


def _working(value: object) -> WorkingSettings | ConversationMemory:
    if isinstance(value, Mapping):
        known = {field.name for field in fields(WorkingSettings)}
        if unknown := [name for name in value if name not in known]:
            raise ConfigError(f"there is no setting working.{unknown[0]}: use one of {', '.join(sorted(known))}")
        return WorkingSettings(**value)
    if isinstance(value, WorkingSettings):
        return value
    if isinstance(value, ConversationMemory) and callable(getattr(value, "add_turn", None)):
        return value
    wanted = "a WorkingSettings, a mapping of its fields, or a ConversationMemory with `add_turn(role, content)`"
    raise ConfigError(f"setting working is {value!r}: it must be {wanted}")


def _kind_of(default: object) -> type:
    if isinstance(default, Mapping | WorkingSettings):
        return dict
    return list if isinstance(default, tuple) else type(default)


_DEFAULTS = Settings()
_KINDS: Mapping[str, type] = {  # the type of each setting in a configuration file
    **{each.name: _kind_of(getattr(_DEFAULTS, each.name)) for each in fields(Settings) if each.name != "sources"},
    "writes_per_minute": int,
    "llm_budget": dict,
    "detector": dict,
}
# Named by the environment beside the settings: what to open, not how to behave.
_OPENING = "store embedder llm tokenizer config traceback encryption_key new_encryption_key signing_key key".split()
_PREFIX = "ENGRAIN_"
_OLD_NAME = "recollect"  # its default folder is used as long as the new one holds no store


def _check_name(name: str, place: str = "") -> None:
    if name not in _KINDS:
        near = misspelt(name, (*_KINDS, *_OPENING))
        hint = f"did you mean {near}?" if near else f"use one of {', '.join(sorted(_KINDS))}"
        hint = f"{_PREFIX}{name.upper()} names it, or who opens a manager" if name in _OPENING else hint
        raise ConfigError(f"{place}there is no setting {name!r}: {hint}")


def default_store() -> Path | str:
    """Return what `ENGRAIN_STORE` names, a path or an address with its password, else the default data file."""
    named = os.environ.get(_PREFIX + "STORE")
    if named and is_database(named):
        return named
    return Path(named).expanduser() if named else _default_file()


def _default_file() -> Path:
    """Return `memory.db` in the user data folder; while there is none, the one that the product's old name left."""
    current, old = (Path(platformdirs.user_data_dir(name, False)) / "memory.db" for name in ("engrain", _OLD_NAME))
    if current.exists() or not old.is_file():
        return current
    _notice_old_folder(old, current)
    return old


@cache
def _notice_old_folder(old: Path, current: Path) -> None:
    """Warn once in a process that the store of the old default folder is used."""
    log.warning("using the store %s, which was made before the product was renamed; move it to %s", old, current)


def default_folder() -> Path:
    """Return the platform's user data folder, the default for all files."""
    return Path(platformdirs.user_data_dir("engrain", False))


def _from_file(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    named = environ.get(_PREFIX + "CONFIG")
    path = Path(named).expanduser() if named else Path(platformdirs.user_config_dir("engrain", False)) / "engrain.toml"
    if not path.exists():
        if named:
            raise ConfigError(f"ENGRAIN_CONFIG names {path}, which does not exist")
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    return {name: (_typed(name, value, str(path)), str(path)) for name, value in table.items()}


def _from_environment(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    found: dict[str, tuple[Any, str]] = {}
    for variable, text in sorted(environ.items()):  # ENGRAIN_X before ENGRAIN_X__Y, which is more specific
        name = variable.removeprefix(_PREFIX).lower()
        if not variable.startswith(_PREFIX) or name in _OPENING or name.startswith("test_"):
            continue
        outer, nested, inner = name.partition("__")
        if not nested:
            found[name] = (_typed(name, text, variable), variable)
        else:
            _check_name(outer, f"{variable}: ")
            before, places = found.get(outer, ({}, ""))
            found[outer] = ({**before, inner: _plain(text)}, f"{places}, {variable}".removeprefix(", "))
    return found


def _typed(name: str, value: object, place: str) -> object:
    """Convert a value of a file or a variable to the setting's type."""
    _check_name(name, f"{place}: ")
    kind = _KINDS[name]
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is kind:
        return value
    if isinstance(value, str):
        with suppress(ValueError, KeyError):
            return _READ.get(name, _READ[kind])(value)
    raise ConfigError(f"{place}: setting {name} is {value!r}, which is not {_FORMS.get(name, _FORMS[kind])}")


def _plain(text: str) -> object:
    """Return the value of a nested variable: a whole number, a number, nothing, or the text."""
    if text.lower() in ("none", ""):
        return None
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _pairs(text: str) -> dict[str, str]:
    return {name.strip(): value.strip() for name, value in (pair.split("=", 1) for pair in text.split(","))}


_SWITCHES = {**dict.fromkeys(("true", "1", "yes", "on"), True), **dict.fromkeys(("false", "0", "no", "off"), False)}
_READ: Mapping[str | type, Callable[[str], object]] = {  # the parsers of the text of a variable, by setting or by kind
    bool: lambda text: _SWITCHES[text.lower()],
    int: int,
    float: float,
    list: lambda text: [part.strip() for part in text.split(",")],
    dict: lambda text: {name: _plain(value) for name, value in _pairs(text).items()},
    "origins": _pairs,
    "policies": json.loads,
}
_FORMS: Mapping[str | type, str] = {
    list: "a list of names (in the environment: name,name)",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table of names (in the environment: name=class,name=class)",
    str: "text",
    "working": "a table of its fields (in the environment one by one: ENGRAIN_WORKING__MAX_TOKENS=8000)",
    "llm_budget": "a table of tokens, calls or both (in the environment: tokens=50000,calls=100)",
    "policies": 'a JSON list, such as [{"kind": "episodic"}]',
}
