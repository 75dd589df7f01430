"""Golden records of Guardians with something changed, which the reader must refuse."""

from typing import Any

import pytest

from chromazoo.envs.records import replay
from tests.contract import golden

RECORDS = golden.records("guardians")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"marks": [0, 0]}, "marks"),
        ({"last_cards": [1, 2]}, "last_cards"),
        ({"reason": "shared"}, "reason"),
        ({"rewards": [0.0, 0.0]}, "rewards"),
    ],
)
def test_records_with_another_result_are_refused(change: dict[str, Any], why: str) -> None:
    record = next(record for record in RECORDS if record["config"]["num_players"] == 2)
    replay(record)
    with pytest.raises(ValueError, match=f"result: {why}"):
        replay({**record, "result": {**record["result"], **change}})


def test_records_with_another_order_of_seats_are_refused() -> None:
    """In the record of a duel each seat chooses twice: 0, 0, 1, 1."""
    record = next(record for record in RECORDS if record["config"]["duel"])
    plies = record["plies"]
    assert [ply["player"] for ply in plies[:4]] == [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"ply 1: player: 0 was expected, not 1"):
        replay({**record, "plies": [plies[0], plies[2], plies[1], *plies[3:]]})
