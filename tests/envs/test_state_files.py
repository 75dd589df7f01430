"""State files of strangers: damage of any kind is one line of ours, and nothing is unpacked."""

import io
import json
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.npz import npz
from tests.contract.play import assert_same, mixed
from tests.games import EXAMPLES, FAST

GAMES = {name: EXAMPLES[name] for name in ("tiny", "kroma", "chroma", "guardians", *FAST)}
WRONG: dict[str, bytes] = {
    "text": b"hello",
    "nothing": b"",
    "magic alone": b"\x93NUMPY",
    "format 2": b"\x93NUMPY\x02\x00",
    "no header": b"\x93NUMPY\x01\x00\x10\x00{'descr': '<i4'}",
    "half a header": b"\x93NUMPY\x01\x00\xff\xff{",
    "a deep header": b"\x93NUMPY\x01\x00\x10\x27" + b"(" * 10_000,
}


def members(content: bytes) -> dict[str, bytes]:
    """Unpack a file: name of the member -> its bytes."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: list[tuple[str, bytes]], how: int = zipfile.ZIP_STORED) -> bytes:
    """Pack members, be their names new or not."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", how) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return buffer.getvalue()


def changed(content: bytes, **changes: bytes) -> bytes:
    """Put other bytes in place of an array's, or beside them."""
    named = {f"{name}.npy": part for name, part in changes.items()}
    return packed(list({**members(content), **named}.items()))


def npy(array: Any) -> bytes:
    """Write an array as the bytes of an npy file."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def head(game: Any, /, **changes: Any) -> bytes:
    """Write what a file of the game says of itself."""
    told = {"game": game.id, "version": game.version, "config": game.options, **changes}
    return npy(np.frombuffer(json.dumps(told).encode(), np.uint8))


def refused(game: Any, content: bytes) -> str:
    """Tell why a file is refused, in one short line."""
    with pytest.raises(InvalidFile) as caught:
        game.loads(content, "strange.npz")
    why = str(caught.value)
    assert why.startswith("strange.npz: ")
    assert "\n" not in why
    assert len(why) < 160
    return why.removeprefix("strange.npz: ")


@pytest.mark.parametrize("name", GAMES)
def test_all_stages_come_back(name: str) -> None:
    game = GAMES[name]
    state = mixed(game, 30)
    whole = game.dumps(state)
    assert_same(game.loads(whole), state)
    assert_same(game.loads(packed(sorted(members(whole).items()))), state)  # in another order


@pytest.mark.parametrize("name", GAMES)
def test_members_that_are_no_arrays_are_refused(name: str) -> None:
    game = GAMES[name]
    whole = game.dumps(game.deal(np.arange(3)))
    for member in members(whole):
        for junk in WRONG.values():
            why = refused(game, changed(whole, **{member.removesuffix(".npy"): junk}))
            assert why.startswith("not a saved state, or damaged (")


@pytest.mark.parametrize("name", GAMES)
def test_members_are_the_head_and_the_arrays_each_once(name: str) -> None:
    game = GAMES[name]
    whole = game.dumps(game.deal(np.arange(3)))
    parts = members(whole)
    for member in parts:
        if member != "chromazoo.npy":
            less = [part for part in parts.items() if part[0] != member]
            assert refused(game, packed(less)) == f"{member} is missing"
        with pytest.warns(UserWarning, match="Duplicate name"):
            twice = packed([*parts.items(), (member, parts[member])])
        assert refused(game, twice) == "a part of it is there twice"
    why = refused(game, changed(whole, junk=npy(np.zeros(3))))
    assert why == "'junk.npy' is no part of a saved state"
    refused(game, packed([*parts.items(), ("folder/", b"")]))
    refused(game, packed([*parts.items(), ("n" * 1000 + "\n", b"")]))


@pytest.mark.parametrize("name", GAMES)
def test_arrays_are_of_as_many_games_each(name: str) -> None:
    game = GAMES[name]
    state = game.deal(np.arange(3))
    whole = game.dumps(state)
    for key, array in state.arrays.items():
        for wrong in (array[:2], array[[0, 1, 2, 2]], array[None], array.astype("S1"), array[0]):
            assert "is of a wrong shape or dtype" in refused(
                game, changed(whole, **{key: npy(wrong)})
            )


@pytest.mark.parametrize("name", GAMES)
def test_arrays_are_as_long_as_they_say(name: str) -> None:
    game = GAMES[name]
    whole = game.dumps(game.deal(np.arange(3)))
    for member, content in members(whole).items():
        key = member.removesuffix(".npy")
        for wrong in (content + b"\0", content[:-1]):
            assert refused(game, changed(whole, **{key: wrong})) == (
                f"array {key!r} is not as long as it says"
            )


def test_nothing_is_unpacked() -> None:
    """Eight million games of zeros would fit some kilobytes, and fill gigabytes."""
    game = GAMES["tiny"]
    games, like = 2**23, game.deal([0]).arrays
    seat = npy(np.zeros(games, np.int8))
    plain = members(game.dumps(game.deal([0])))
    stranger = {f"{name}.npy": npy(np.zeros((0, *like[name].shape[1:]))) for name in like}
    claims = {**stranger, "chromazoo.npy": plain["chromazoo.npy"], "seat.npy": seat}
    bomb = packed(list(claims.items()), zipfile.ZIP_DEFLATED)
    junk = packed([*plain.items(), ("junk.npy", bytes(2**23))])
    del seat, claims
    for content in (bomb, junk, packed([("chromazoo.npy", head(game)), ("seat.npy", bomb)])):
        tracemalloc.start()
        why = refused(game, content)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**20, why
    for how in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert refused(game, packed(list(plain.items()), how)) == "array 'chromazoo' is compressed"


def test_headers_are_looked_at_before_data() -> None:
    game = GAMES["tiny"]
    whole = game.dumps(game.deal(np.arange(2**16)))
    wrong = changed(whole, stream=npy(np.zeros(2**16, np.int64)))
    tracemalloc.start()
    assert refused(game, wrong) == "array 'stream' is of a wrong shape or dtype"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**18


def test_the_head_comes_first_and_is_quoted_briefly() -> None:
    game = GAMES["kroma"]
    due = game.dumps(game.deal([1]))
    other = GAMES["chroma"].dumps(GAMES["chroma"].deal([1]))
    assert refused(game, other) == "a state of game 'chroma', not 'kroma'"
    for key, found, why in (
        ("game", "x" * 5000, "a state of game 'xxx"),
        ("game", "two\nlines", r"a state of game 'two\nlines', not 'kroma'"),
        ("version", [9] * 5000, "a state of version [9, 9"),
        ("config", {}, "a state of a game with other options"),
        ("config", {**game.options, "size": "y" * 5000}, "a state of another config: size is 'yyy"),
    ):
        assert refused(game, changed(due, chromazoo=head(game, **{key: found}))).startswith(why)
    assert refused(game, changed(due, chromazoo=head(game, game=" " * 2**17))) == (
        "not a saved state"
    )
    assert refused(game, changed(due, chromazoo=npy(np.zeros(3)))) == "not a saved state"


def test_long_options_are_read_again() -> None:
    names = [f"{number}" * 9000 for number in range(10, 30)]
    game = type(GAMES["chroma"])(wheel={"names": names, "compatible": [[0, 1]]})
    state = game.deal([1, 2])
    assert_same(game.loads(game.dumps(state)), state)


def test_what_numpy_packs_is_read() -> None:
    game = GAMES["kroma"]
    state = mixed(game, 5)
    text = np.load(io.BytesIO(members(game.dumps(state))["chromazoo.npy"]))
    for order in "CF":
        arrays = {name: np.array(array, order=order) for name, array in state.arrays.items()}
        assert_same(game.loads(npz({**arrays, "chromazoo": text})), state)
