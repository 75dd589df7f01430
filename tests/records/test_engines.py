"""Records are written and replayed alike on both engines, those with faults too."""

import copy
import json
from typing import Any

import pytest

from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.game import ENGINES, Game
from chromazoo.envs.records import check_lines, dumps, replay
from tests.contract.golden import file_of
from tests.games import EXAMPLES, FAST
from tests.records.sampling import sample
from tests.tiny.game import Game as TinyGame

Json = dict[str, Any]
COMPILED = "compiled"


def plain(name: str) -> Game[Any]:
    """The numpy twin of a game on the compiled engine."""
    return EXAMPLES[name.removesuffix("-fast")]


@pytest.mark.parametrize("name", FAST)
def test_the_same_games_give_the_same_records(name: str) -> None:
    lines, _, _ = sample(FAST[name], 30, max_plies=150)
    assert lines == sample(plain(name), 30, max_plies=150)[0]
    assert len(lines) > 5
    reports = [check_lines(lines, "x", engine=engine) for engine in ENGINES]
    assert reports[0] == reports[1]
    assert reports[0].failed == []
    for line in lines[:3]:
        ends = [replay(line, engine) for engine in ENGINES]
        assert [game.engine for game, _ in ends] == list(ENGINES)
        for key, array in ends[0][1].arrays.items():
            assert array.tobytes() == ends[1][1].arrays[key].tobytes(), key


def broken(record: Json) -> list[Json]:
    """Break a record in ways that are found only as it is played."""
    plies = record["plies"]
    found = []
    for number, ply in enumerate(plies):
        for changes in (
            {"move": plies[number - 1]["move"]},
            {"move": "a1-h9"},
            {"player": 1 - ply["player"]},
            {"chance": "nothing"},
            {"legal_count": 1},
            {"legal_crc": 1},
            *({"chance": other["chance"]} for other in plies[:12] if "chance" in other),
        ):
            other = copy.deepcopy(record)
            other["plies"][number].update(changes)
            found.append(other)
        if "chance" in ply:
            other = copy.deepcopy(record)
            del other["plies"][number]["chance"]
            found.append(other)
    for key in record["setup"]:
        for value in (None, [], record["setup"][key] * 2, "other"):
            found.append({**record, "setup": {**record["setup"], key: value}})
    for key in record["result"]:
        found.append({**record, "result": {**record["result"], key: [1, 0]}})
    return [*found, {**record, "plies": plies[:-1]}, {**record, "plies": plies + plies[-1:]}]


@pytest.mark.parametrize("name", FAST)
def test_faults_are_told_alike(name: str) -> None:
    record = json.loads(min(sample(FAST[name], 30, max_plies=150)[0], key=len))
    lines = [dumps(each) for each in broken(record)]
    reports = [check_lines(lines, "x", engine=engine) for engine in ENGINES]
    assert reports[0] == reports[1]
    assert len({failure.why for failure in reports[0].failed}) > 9


@pytest.mark.parametrize("name", ["kroma", "chroma", "guardians"])
def test_golden_records_are_right_on_the_compiled_engine(name: str) -> None:
    lines = file_of(name).read_text().splitlines()[::7]
    report = check_lines(lines, name, engine=COMPILED)
    assert (report.records, report.failed) == (len(lines), [])
    assert report == check_lines(lines, name)


def test_an_engine_that_is_not_there_is_no_fault_of_a_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiny = sample(TinyGame(), 1)[0]
    with pytest.raises(InvalidConfig, match="tiny has no compiled engine"):
        check_lines(tiny, "x", engine=COMPILED)
    with pytest.raises(InvalidConfig, match="tiny has no compiled engine"):
        replay(tiny[0], COMPILED)
    lines = sample(plain("baby-short-fast"), 1)[0]
    with pytest.raises(InvalidConfig, match="no engine 'steam'"):
        check_lines(lines, "x", engine="steam")
    monkeypatch.setattr("chromazoo.envs.game.find_spec", lambda name: None)
    with pytest.raises(InvalidConfig, match=r"pip install 'chromazoo\[fast\]'"):
        check_lines(lines, "x", engine=COMPILED)
    unknown = {**json.loads(lines[0]), "game": "chess"}
    assert len(check_lines([dumps(unknown)], "x", engine=COMPILED).failed) == 1
