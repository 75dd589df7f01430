"""Settings and presets."""

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest

from chromazoo.envs.errors import ChromazooError, InvalidConfig, InvalidFile, UnknownName
from chromazoo.envs.registry import MODULES
from chromazoo.training.preset import PRESETS, load_preset, preset_names
from chromazoo.training.settings import Settings, make_settings, read_settings
from tests.training.runs import SMALL, small_settings

SHIPPED = [(game, name) for game in MODULES for name in preset_names(game)]


@pytest.mark.parametrize(("game", "name"), SHIPPED)
def test_shipped_presets_are_valid(game: str, name: str) -> None:
    settings = make_settings(game, name)
    assert load_preset(game, name)["game"] == settings.game == game
    assert Settings.from_dict(settings.as_dict()) == settings


def test_every_preset_is_listed_and_every_game_has_a_demo() -> None:
    files = {(path.parent.name, path.stem) for path in PRESETS.rglob("*.*")}
    assert set(SHIPPED) == files
    assert {"kroma", "chroma", "guardians"} == {game for game, name in SHIPPED if name == "demo"}


@pytest.mark.parametrize(("game", "name"), [each for each in SHIPPED if each[0] != "kroma"])
def test_presets_know_how_many_play(game: str, name: str) -> None:
    seats = make_settings(game, name).make_game().num_seats
    assert seats == (4 if name.endswith("-4p") else 2)


def test_baselines_have_the_board_that_they_name() -> None:
    sizes = {"baseline": "basic", "baseline-baby": "baby", "baseline-standard": "standard"}
    assert {name for _, name in SHIPPED if "-" in name and "4p" not in name} < set(sizes)
    for name, size in sizes.items():
        assert make_settings("kroma", name).make_game().options["size"] == size


@pytest.mark.parametrize(("game", "name"), SHIPPED)
def test_engines_are_not_for_presets_to_choose(game: str, name: str) -> None:
    assert "engine" not in load_preset(game, name)


def test_the_demo_trains_kroma_on_a_board_of_24_squares() -> None:
    settings = make_settings("kroma", "demo")
    assert settings.make_game().options["size"] == "basic"
    assert settings.make_game().options["no_capture_limit"] == 100


def test_settings_survive_json(tmp_path: Path) -> None:
    settings = small_settings(options={"cards": 7}, max_plies=50)
    (tmp_path / "settings.json").write_text(json.dumps(settings.as_dict()))
    assert read_settings(tmp_path / "settings.json") == settings


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"stepz": 5}, "no setting stepz; there are game,"),
        ({"ppo": {"gama": 0.9}}, "no setting ppo.gama; there are num_envs,"),
        ({"ppo": 5}, "ppo: a table"),
        ({"options": [1]}, "options: a table"),
        ({"options": {"colour": 1}}, "no option 'colour'"),
        ({"network": {"kind": "resnet"}}, "no network 'resnet'"),
        ({"steps": 0}, "steps: a whole number from 1, not 0"),
        ({"steps": 5.0}, "steps: a whole number"),
        ({"steps": True}, "steps: a whole number"),
        ({"seed": -1}, "seed"),
        ({"max_plies": 0}, "max_plies: a whole number of at least 1"),
        ({"ppo": {"gamma": 1.5}}, "ppo.gamma: a number from 0 to 1, not 1.5"),
        ({"ppo": {"gamma": "0.9"}}, "ppo.gamma"),
        ({"ppo": {"gamma": float("nan")}}, "ppo.gamma"),
        ({"ppo": {"num_envs": 1, "rollout_steps": 1}}, "at least 2"),
        ({"ppo": {"num_envs": 3, "rollout_steps": 3, "batch_size": 4}}, "last batch"),
        ({"opponents": {"random": 0, "current": 0, "snapshots": 0}}, "must have a weight"),
        ({"opponents": {"random": -1}}, "opponents.random"),
        ({"opponents": {"priority": -0.5}}, "opponents.priority: a number from 0 to 100, not -0.5"),
        ({"opponents": {"priority": "high"}}, "opponents.priority"),
        ({"opponents": {"even": 1.1}}, "opponents.even: a number from 0 to 1, not 1.1"),
        ({"opponents": {"half_life": 0}}, "opponents.half_life: a whole number from 1, not 0"),
        ({"opponents": {"half_life": 1e5}}, "opponents.half_life: a whole number"),
        ({"opponents": {"max_snapshots": 0}}, "opponents.max_snapshots: .* from 1 to 1000"),
        ({"seed": -1}, "seed: a whole number from 0, not -1"),
        ({"seed": 2**63}, f"seed: a whole number from 0 to {2**63 - 1}, not {2**63}"),
        ({"engine": "steam"}, "engine is one of numpy, compiled, not 'steam'"),
        ({"engine": None}, "engine is one of"),
        ({"options": {"engine": "numpy"}}, "options: the engine is no option of the game"),
        ({"game": {}}, "game: a name, not {}"),
        ({"game": []}, "game: a name"),
        ({"game": 5}, "game: a name"),
        ({"network": {"kind": []}}, r"no network \[\]"),
        ({"network": {"kind": {}}}, "no network {}"),
        ({"network": {"kind": None}}, "no network None"),
        ({"network": {"kind": "mlp", "width": []}}, "width"),
        ({"opponents": {"random": 10**400}}, "opponents.random"),
        ({"opponents": {"random": 1.7e308, "current": 1.7e308}}, "opponents.random"),
        ({"opponents": {"random": float("inf")}}, "opponents.random"),
        ({"opponents": {"random": []}}, "opponents.random"),
        ({"ppo": {"max_grad_norm": 10**400}}, "ppo.max_grad_norm"),
        ({"steps": 10**400}, "steps"),
        ({"max_plies": 2.0}, "max_plies"),
        ({"evaluation": {"games": 3}}, "evaluation.games"),
        ({"checkpoints": {"keep": 0}}, "checkpoints.keep"),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidConfig, match=why):
        small_settings(**changes)


def test_games_are_checked() -> None:
    with pytest.raises(InvalidConfig, match="need a game"):
        Settings.from_dict({key: value for key, value in SMALL.items() if key != "game"})
    with pytest.raises(UnknownName, match="chess"):
        small_settings(game="chess")
    endless = {"game": "kroma", "options": {"size": "baby", "no_capture_limit": 0}}
    with pytest.raises(InvalidConfig, match="max_plies"):
        Settings.from_dict(endless)
    assert Settings.from_dict({**endless, "max_plies": 80}).max_plies == 80


def test_settings_are_read_where_their_engine_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.json"
    settings = make_settings("kroma", engine="compiled")
    path.write_text(json.dumps(settings.as_dict()))
    monkeypatch.setattr("chromazoo.envs.game.find_spec", lambda name: None)
    assert read_settings(path) == settings
    with pytest.raises(InvalidConfig, match="needs numba"):
        settings.make_game()
    assert dataclasses.replace(settings, engine="numpy").make_game().engine == "numpy"


def test_settings_of_runs_before_there_were_engines(tmp_path: Path) -> None:
    values = small_settings().as_dict()
    assert values.pop("engine") == "numpy"
    (tmp_path / "settings.json").write_text(json.dumps(values))
    assert read_settings(tmp_path / "settings.json") == small_settings()


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        small_settings().steps = 5  # type: ignore[misc]


def test_whole_numbers_may_stand_for_fractions() -> None:
    settings = small_settings(ppo={"gamma": 1, "batch_size": 64})
    assert isinstance(settings.ppo.gamma, float)


def test_what_is_said_beside_a_preset_goes_first(tmp_path: Path) -> None:
    preset = tmp_path / "mine.toml"
    preset.write_text('game = "kroma"\nsteps = 500\n[options]\nsize = "baby"\nleap = false\n')
    settings = make_settings("kroma", str(preset), seed=9, options={"leap": True})
    assert (settings.steps, settings.seed) == (500, 9)
    assert settings.options == {"size": "baby", "leap": True}
    assert make_settings("kroma", str(preset), steps=7).steps == 7
    assert settings.engine == "numpy"
    preset.write_text('game = "kroma"\nengine = "compiled"\n')
    for given, engine in ((None, "compiled"), ("numpy", "numpy"), ("compiled", "compiled")):
        chosen = make_settings("kroma", str(preset), engine=given)
        assert (chosen.engine, chosen.make_game().engine) == (engine, engine)


def test_presets_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownName,
        match=r"^no preset 'dmo' for chroma; .* are baseline, baseline-4p, demo, demo-4p$",
    ):
        make_settings("chroma", "dmo")
    with pytest.raises(UnknownName, match="no preset 'demo' for tiny; it has none"):
        make_settings("tiny", "demo")
    for name in ("../kroma/demo", "kroma/demo", "demo.toml/", str(PRESETS / "kroma" / "demo")):
        with pytest.raises(UnknownName):
            make_settings("chroma", name)
    with pytest.raises(InvalidConfig, match="is for kroma, not for chroma"):
        make_settings("chroma", str(PRESETS / "kroma" / "demo.toml"))
    with pytest.raises(InvalidFile, match="cannot be read"):
        make_settings("kroma", str(tmp_path / "none.toml"))
    (tmp_path / "bad.toml").write_text("game = ")
    with pytest.raises(InvalidFile, match="not a preset"):
        make_settings("kroma", str(tmp_path / "bad.toml"))
    for line in (
        "game = {}",
        "game = []",
        "network = {kind = []}",
        f"opponents = {{random = {10**400}}}",
    ):
        (tmp_path / "kind.toml").write_text(line)
        with pytest.raises(InvalidConfig):
            make_settings("kroma", str(tmp_path / "kind.toml"))
    (tmp_path / "deep.toml").write_text("a = " + "[" * 5000)
    with pytest.raises(InvalidFile, match="not a preset"):
        make_settings("kroma", str(tmp_path / "deep.toml"))
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(InvalidFile, match=r"pipe\.toml: no regular file$"):
        make_settings("kroma", str(tmp_path / "pipe.toml"))
    (tmp_path / "flat.toml").write_text("options = 5")
    with pytest.raises(InvalidConfig, match="options"):
        make_settings("kroma", str(tmp_path / "flat.toml"))


def test_settings_files_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for content in ("", "[]", "{", '{"game": "tiny", "bad": 1}', "\x00"):
        path.write_text(content)
        with pytest.raises(ChromazooError) as refused:
            read_settings(path)
        assert isinstance(refused.value, InvalidFile)
    with pytest.raises(InvalidFile, match="cannot be read"):
        read_settings(tmp_path / "none.json")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(InvalidFile, match=f"^{tmp_path}/pipe.json: no regular file$"):
        read_settings(tmp_path / "pipe.json")
