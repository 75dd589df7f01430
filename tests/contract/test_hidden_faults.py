"""Games with one planted fault each, which the checks of hidden information must find."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.chroma.hidden_faults import CHROMA
from tests.contract.hidden_faults import BatchCheck, HiddenFaults, SingleCheck
from tests.faults import fails
from tests.guardians.hidden_faults import GUARDIANS

TABLES = {"chroma": CHROMA, "guardians": GUARDIANS}


def cases(rows: Callable[[HiddenFaults], Iterable[tuple[Any, ...]]]) -> list[Any]:
    """Every table with each of its rows, which hold faults and checks."""
    return [
        pytest.param(table, *row, id="-".join([game, *(part.__name__ for part in row)]))
        for game, table in TABLES.items()
        for row in rows(table)
    ]


@pytest.mark.parametrize(
    ("table", "check"), cases(lambda table: [(check,) for check in table.checks])
)
def test_batches_without_faults_pass(table: HiddenFaults, check: BatchCheck) -> None:
    table.check_all(table.game, check)
    assert check in {each for _, each in table.in_batches}


@pytest.mark.parametrize(
    ("table", "check"),
    cases(lambda table: dict.fromkeys((check,) for _, check in table.in_single_games)),
)
def test_single_games_without_faults_pass(table: HiddenFaults, check: SingleCheck) -> None:
    check(table.game)


@pytest.mark.parametrize(("table", "fault", "check"), cases(lambda table: table.in_batches))
def test_faults_in_batches_are_found(
    table: HiddenFaults, fault: type[Any], check: BatchCheck
) -> None:
    assert fails(lambda: table.check_all(fault, check), table.found_by)


@pytest.mark.parametrize(("table", "fault", "check"), cases(lambda table: table.in_single_games))
def test_faults_in_single_games_are_found(
    table: HiddenFaults, fault: type[Any], check: SingleCheck
) -> None:
    assert fails(lambda: check(fault), table.found_by)
