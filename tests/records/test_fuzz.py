"""Whatever stands in a file of records, checking it ends with findings, never with a crash."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.errors import InvalidRecord
from chromazoo.envs.records import check_lines, replay
from chromazoo.envs.registry import make_game
from tests.records.sampling import good
from tests.tiny.game import Game as TinyGame

GAMES = {
    "tiny": TinyGame(cards=8),
    "kroma": make_game("kroma", setup="intermediate", no_capture_limit=6),
    "basic-random": make_game("kroma", size="basic", random=True, no_capture_limit=8),
}
RECORDS = {name: good(game, 10) for name, game in GAMES.items()}

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-3, 20)
    | st.floats()
    | st.sampled_from([10**30, -(10**18), 2**63, 1e308, "", "0", "L:red", "a1-a2", "mirrored"])
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a record, the record itself included."""
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [path] + [place for key, each in inner for place in places(each, (*path, key))]


def changed(record: Any, path: tuple[Any, ...], junk: Any, how: str) -> Any:
    """Replace, remove or double what stands at a place."""
    if not path:
        return junk
    result = copy.deepcopy(record)
    parent = result
    for key in path[:-1]:
        parent = parent[key]
    if how == "replace":
        parent[path[-1]] = junk
    elif how == "remove":
        del parent[path[-1]]
    elif isinstance(parent, list):
        parent.insert(path[-1], copy.deepcopy(parent[path[-1]]))
    else:
        parent[str(path[-1]) + "2"] = junk
    return result


def check(line: str | bytes) -> bool:
    """Check a line beside a good one; tell whether it was refused."""
    report = check_lines([line], "fuzz")
    assert report.records == 1
    assert [failure.line for failure in report.failed] in ([], [1])
    json.dumps(report.as_json())
    try:
        replay(line)
    except InvalidRecord:
        assert report.failed
    else:
        assert not report.failed
    return bool(report.failed)


@pytest.mark.parametrize("name", RECORDS)
@given(data=st.data())
def test_records_with_junk_in_them(name: str, data: st.DataObject) -> None:
    record = RECORDS[name]
    top = data.draw(st.sampled_from(["config", "setup", "plies", "result", None]))
    inside = places(record) if top is None else places(record[top], (top,))
    path = data.draw(st.sampled_from(inside))
    how = data.draw(st.sampled_from(["replace", "replace", "remove", "more"]))
    broken = changed(record, path, data.draw(JUNK), how)
    check(json.dumps(broken))


@pytest.mark.parametrize("name", RECORDS)
@given(data=st.data())
def test_records_with_two_values_exchanged(name: str, data: st.DataObject) -> None:
    record = RECORDS[name]
    one, other = (data.draw(st.sampled_from(places(record)[1:])) for _ in range(2))

    def value(path: tuple[Any, ...]) -> Any:
        found = record
        for key in path:
            found = found[key]
        return found

    check(json.dumps(changed(record, one, value(other), "replace")))


@given(JUNK)
def test_any_json(junk: Any) -> None:
    assert check(json.dumps(junk))


@given(st.binary(max_size=60))
def test_any_bytes(line: bytes) -> None:
    assert check(line)


@given(st.data())
def test_damaged_bytes(data: st.DataObject) -> None:
    line = bytearray(json.dumps(RECORDS["tiny"]).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    check(bytes(line).replace(b"\n", b" "))
