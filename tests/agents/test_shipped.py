"""The policies that come with the package: how they are found, and that each of them is sound."""

import json
from pathlib import Path
from typing import Any

import pytest

from chromazoo.agents import RandomAgent, load, shipped
from chromazoo.agents.agent import Agent
from chromazoo.agents.match import play_games
from chromazoo.agents.policy_files import dump_policy
from chromazoo.agents.policy_heads import policy_head, read_policy
from chromazoo.agents.ppo import PPOAgent
from chromazoo.agents.shipped import (
    POLICIES,
    SUFFIX,
    find_shipped,
    shipped_name,
    shipped_policies,
)
from chromazoo.cli.main import main
from chromazoo.envs.errors import InvalidConfig, InvalidFile, UnknownName
from chromazoo.envs.game import Game
from chromazoo.envs.guardians.config import BANDS
from chromazoo.envs.registry import MODULES, make_game
from chromazoo.envs.titles import config_title
from chromazoo.training.settings import Settings, make_settings
from chromazoo.training.ship import MOST_BYTES, check_description, description
from tests.agents.networks import network_for

FILES = sorted(POLICIES.glob(f"*{SUFFIX}"))

# Those that are there


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_shipped_policy_is_sound(path: Path) -> None:
    content = read_policy(path)
    head = policy_head(content, str(path))
    check_description(head, str(path))
    assert len(content) <= MOST_BYTES
    assert path.with_suffix(".json").read_text(encoding="utf-8") == description(head)
    assert {"chromazoo", "numpy", "torch", "stable-baselines3"} <= head["training"][
        "versions"
    ].keys()
    assert f"train {head['game']}" in head["training"]["command"]
    assert {"random", "heuristic"} <= head["training"]["evaluation"].keys()
    game = make_game(head["game"], **head["config"])
    assert head["config"] == game.options
    assert (head["version"], head["digest"]) == (game.version, game.digest)
    assert path.stem == shipped_name(game)
    agent = load("ppo", game)
    others: list[Agent] = [RandomAgent()] * (game.num_seats - 1)
    outcome = play_games(game, [agent, *others], range(20), max_plies=400)
    assert outcome.rewards[:, 0].mean() > 0, "it plays worse than at random"


SETTINGS = [
    ("kroma", {"size": "baby"}),
    ("kroma", {"size": "basic"}),
    ("kroma", {"size": "standard"}),
    ("chroma", {"num_players": 2}),
    ("chroma", {"num_players": 4}),
    ("guardians", {"num_players": 2}),
    ("guardians", {"num_players": 4}),
]


@pytest.mark.parametrize(("name", "options"), SETTINGS, ids=str)
def test_every_setting_of_the_baselines_has_a_policy(name: str, options: dict[str, Any]) -> None:
    path = find_shipped(make_game(name, **options))
    assert path in FILES
    training = policy_head(read_policy(path))["training"]
    preset = make_settings(name, training["command"].split()[-1])
    assert Settings.from_dict(training["settings"]) == preset, "its preset has changed since"


def test_nothing_else_lies_beside_them() -> None:
    names = {path.name for path in POLICIES.iterdir()} if POLICIES.exists() else set()
    assert names == {path.with_suffix(end).name for path in FILES for end in (SUFFIX, ".json")}


@pytest.mark.parametrize("name", MODULES)
def test_every_shipped_policy_is_listed_with_its_game(name: str) -> None:
    listed = {policy.path for policy in shipped_policies(make_game(name))}
    due = {path for path in FILES if path.stem.split("-")[0] == name}
    assert listed == due


# How they are found

TRAINING = {"evaluation": {"random": {"score": 0.93}, "heuristic": {"score": 0.604}}}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of that of the package's policies."""
    monkeypatch.setattr(shipped, "POLICIES", tmp_path / "policies")
    (tmp_path / "policies").mkdir()
    return tmp_path / "policies"


def put(folder: Path, game: Game[Any], seed: int = 1) -> Path:
    """Put a policy for a game into a folder, of so many steps as the seed says."""
    network = network_for(game, "mlp", seed)
    path = folder / f"{shipped_name(game)}{SUFFIX}"
    path.write_bytes(dump_policy(network, game, seed, TRAINING))
    return path


def test_ppo_is_the_policy_of_exactly_the_config(package: Path) -> None:
    configs: list[dict[str, Any]] = [
        {}, {"size": "basic"}, {"size": "baby"}, {"size": "baby", "leap": False},
    ]  # fmt: skip
    games = [make_game("kroma", **options) for options in configs]
    paths = [put(package, game, seed) for seed, game in enumerate(games, 1)]
    assert [path.name for path in paths] == [
        "kroma.safetensors",
        "kroma-size=basic.safetensors",
        "kroma-size=baby.safetensors",
        "kroma-size=baby-leap=false.safetensors",
    ]
    for seed, (game, path) in enumerate(zip(games, paths, strict=True), 1):
        assert find_shipped(game) == path
        agent = load("ppo", game)
        assert isinstance(agent, PPOAgent)
        assert agent.game == game
        wanted = network_for(game, "mlp", seed).double().state_dict()
        found = agent.network.state_dict()
        assert all((found[key] == wanted[key]).all() for key in wanted)
    greedy = load("ppo:?greedy", games[2])
    assert isinstance(greedy, PPOAgent)
    assert greedy.greedy
    outcome = play_games(games[2], [load("ppo", games[2]), RandomAgent()], range(3))
    assert (outcome.plies > 0).all()


@pytest.mark.parametrize(
    ("name", "told", "meant"),
    [
        ("kroma", {}, {"size": "standard", "no_capture_limit": 100, "leap": True}),
        ("chroma", {"num_players": 4}, {"num_players": 4, "wheel": "tones", "first_player": None}),
        ("guardians", {}, {"num_players": 2, "duel": True, "colors": list(BANDS)}),
        ("guardians", {"num_players": 4}, {"num_players": 4, "duel": False, "colors": BANDS}),
    ],
)
def test_defaults_may_be_told_or_not(
    package: Path, name: str, told: dict[str, Any], meant: dict[str, Any]
) -> None:
    one, other = make_game(name, **told), make_game(name, **meant)
    path = put(package, other)
    assert find_shipped(one) == find_shipped(other) == path
    assert shipped_name(one) == shipped_name(other) == path.stem
    assert find_shipped(make_game(name, engine="compiled", **told)) == path


def test_options_that_came_later_have_their_defaults(package: Path) -> None:
    game = make_game("kroma", size="baby")
    head = policy_head(put(package, game).read_bytes())
    del head["config"]["leap"]
    content = (package / "kroma-size=baby.safetensors").read_bytes()
    assert b'\\"leap\\": true, ' in content
    older = content.replace(b'\\"leap\\": true, ', b" " * len(b'\\"leap\\": true, '))
    (package / "kroma-size=baby.safetensors").write_bytes(older)
    assert policy_head(older)["config"] == head["config"]
    assert isinstance(load("ppo", game), PPOAgent)


def test_who_finds_none_is_told_which_there_are_and_how_to_train_one(package: Path) -> None:
    wanted = make_game("kroma", size="baby", leap=False)
    with pytest.raises(UnknownName, match="kroma has none"):
        load("ppo", wanted)
    for options in ({}, {"size": "baby"}):
        put(package, make_game("kroma", **options))
    put(package, make_game("guardians"))
    with pytest.raises(UnknownName) as caught:
        load("ppo", wanted)
    assert str(caught.value) == (
        "no policy is shipped for kroma.Game(size='baby', leap=False): kroma has some for"
        " size=baby, the defaults. Train one (chromazoo train kroma --set size=baby"
        " --set leap=false --out runs/mine) and name its folder: ppo:runs/mine"
    )


def test_the_command_line_tells_it_in_one_line(
    package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status = main(["arena", "kroma", "random", "ppo", "--games", "4"])
    out, err = capfd.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith("chromazoo: no policy is shipped for kroma.Game(): ")
    assert err.count("\n") == 1


def test_a_damaged_file_is_named(package: Path) -> None:
    (package / "kroma-size=baby.safetensors").write_bytes(b"")
    with pytest.raises(InvalidFile, match=r"kroma-size=baby\.safetensors"):
        load("ppo", make_game("kroma"))


def test_a_file_of_another_layout_is_refused(package: Path) -> None:
    game = make_game("kroma", size="baby")
    path = put(package, game)
    path.write_bytes(path.read_bytes().replace(game.digest.encode(), b"0" * 16))
    with pytest.raises(InvalidFile, match="their digest is 0000"):
        load("ppo", game)


def test_files_can_have_their_names_everywhere() -> None:
    colours = make_game("guardians", colors=list(BANDS[::-1]))
    with pytest.raises(InvalidConfig, match="no file can be named"):
        shipped_name(colours)
    assert config_title(colours, make_game("guardians").config) == "the defaults"


def test_the_command_lists_them(
    package: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["games", "kroma"]) == 0
    assert capfd.readouterr().out.endswith("Policies of the agent ppo: none\n")
    put(package, make_game("kroma", size="baby"), 1)
    put(package, make_game("kroma"), 1234)
    assert main(["games", "kroma"]) == 0
    told = capfd.readouterr().out.partition("Policies of the agent ppo: 2\n")[2]
    assert "v. random ┃ v. heuristic ┃ equal play" in told
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in told.splitlines()]
    assert [row for row in rows if row] == [
        ["size=baby", "1", "93.0 %", "60.4 %", "50 %"],
        ["the defaults", "1,234", "93.0 %", "60.4 %", "50 %"],
    ]


def test_the_command_tells_what_equal_play_would_score(
    package: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for players in (2, 3, 4):
        put(package, make_game("guardians", num_players=players))
    assert main(["games", "guardians"]) == 0
    told = capfd.readouterr().out.partition("Policies of the agent ppo: 3\n")[2]
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in told.splitlines()]
    assert [(row[0], row[-1]) for row in rows if row] == [
        ("num_players=3", "33.3 %"),
        ("num_players=4", "25 %"),
        ("the defaults", "50 %"),
    ]


def test_a_description_is_whole() -> None:
    head: dict[str, Any] = {
        "game": "kroma",
        "steps": 500,
        "training": {
            "command": "chromazoo train kroma",
            "seed": 1,
            "settings": {"steps": 500},
            "versions": {"numpy": "2"},
            "evaluation": {"random": {}},
        },
    }
    check_description(head, "it")
    assert json.loads(description(head)) == head
    for entry in head["training"]:
        for value in (None, {}, [], ""):
            lacking = {**head, "training": {**head["training"], entry: value}}
            with pytest.raises(InvalidFile, match=f"it: no {entry} in its description"):
                check_description(lacking, "it")
    with pytest.raises(InvalidFile, match="trained for 499 steps of 500"):
        check_description({**head, "steps": 499}, "it")
