"""The reference alone, against the golden perft tables and the examples of the rules page."""

from typing import Any

import pytest

from tests.kroma import golden
from tests.kroma.reference import Config, Kroma, all_variants, begin, from_position, perft

QUICK_NODES = 20_000


def play(config: Config, moves: str) -> Kroma:
    game = begin(config)
    for move in moves.split():
        game = game.after(move)
    return game


@pytest.mark.parametrize("table", golden.perft_tables(), ids=lambda t: t["position"])
def test_perft(table: dict[str, Any]) -> None:
    options = {key: table[key] for key in ("size", "influence", "symmetry", "leap")}
    quick = [nodes for nodes in table["perft"] if nodes <= QUICK_NODES]
    game = from_position(Config(**options), table["position"])
    assert game.position() == table["position"]
    assert perft(game, len(quick)) == quick


def test_there_are_72_variants() -> None:
    variants = all_variants()
    assert len({tuple(variant.items()) for variant in variants}) == 72
    sizes = [variant["size"] for variant in variants]
    assert [sizes.count(size) for size in ("standard", "basic", "baby")] == [36, 24, 12]


def test_example_of_a_position() -> None:
    game = play(Config(size="baby"), "L:purple R:yellow")
    assert game.position() == "py/py/PY/PY py/py/py/py w 0"


def test_drops_extend_the_row_at_its_ends() -> None:
    game = begin(Config(size="basic"))
    assert game.legal() == ["L:blue", "L:orange", "L:purple", "L:yellow"]
    game = game.after("L:blue")
    assert game.legal() == [f"{end}:{c}" for end in "LR" for c in ("orange", "purple", "yellow")]
    game = game.after("R:purple").after("L:yellow").after("R:orange")
    assert game.position() == "ybpo/ybpo/4/4/YBPO/YBPO ybpo/ybpo/ybpo/ybpo/ybpo/ybpo w 0"


def test_flipped_exchanges_left_and_right() -> None:
    game = play(Config(size="basic", symmetry="flipped"), "L:blue R:purple L:yellow R:orange")
    assert game.position() == "opby/opby/4/4/YBPO/YBPO opby/opby/opby/ybpo/ybpo/ybpo w 0"


def test_advanced_builds_every_row_from_the_middle_outward() -> None:
    drops = "L:purple R:yellow R:blue R:orange L:orange R:blue R:yellow R:purple"
    game = play(Config(size="basic", setup="advanced"), drops)
    assert game.placing
    assert game.seat == 0
    game = play(
        Config(size="basic", setup="advanced"), drops + " L:yellow L:purple L:blue L:orange"
    )
    assert game.position().split()[1] == "obpy/obyp/pybo/pybo/obyp/obpy"


def test_intermediate_copies_two_rows_twice() -> None:
    first = "L:purple R:yellow R:blue R:orange R:red R:green"
    second = " L:purple L:yellow L:blue L:orange L:red L:green"
    game = play(Config(setup="intermediate"), first + second)
    rows = ["grobyp"] * 2 + ["pyborg"] * 4 + ["grobyp"] * 2
    assert game.position().split()[1] == "/".join(rows)


@pytest.mark.parametrize(
    ("influence", "colours"),
    [("friendly", {"orange"}), ("public", {"orange", "purple"}), ("reversed", {"purple"})],
)
def test_example_of_influence(influence: str, colours: set[str]) -> None:
    text = "4/4/2p1/4/B2B/2O1 pybo/pybo/pybo/pybo/pybo/pybo w 0"
    game = from_position(Config(size="basic", influence=influence), text)
    assert game.enabled(0, "blue") == colours
    diagonal = {"a2-c4", "d2-b4"}
    assert diagonal & set(game.legal()) == (diagonal if "orange" in colours else set())


def test_moving_piece_counts_on_the_square_it_leaves() -> None:
    game = from_position(Config(size="baby"), "2/2/2/P1 py/py/py/py w 0")
    assert game.legal() == ["a1-a2", "a1-b1"]
    assert game.after("a1-b1").moves_of(0) == []


def test_stalemate_comes_before_the_limit() -> None:
    text = "2/y1/2/P1 py/py/py/py w 4"
    for limit in (0, 5, 100):
        config = Config(size="baby", no_capture_limit=limit)
        ended = from_position(config, text).after("a1-b1")
        assert ended.result() == {"rewards": [1.0, -1.0], "reason": "stalemate"}
