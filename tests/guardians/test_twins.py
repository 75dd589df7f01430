"""The pair of games with which leaks are looked for."""

from tests.guardians.hidden_faults import twins
from tests.guardians.reference import Config, begin


def test_the_twins_differ_by_a_hand() -> None:
    games = [begin(Config(num_players=3), line.setup) for line in twins()]
    assert len(twins()[0].plies) == len(twins()[1].plies) >= 18
    assert games[0].hands[2] == games[1].hands[2]
    assert games[0].hands[:2] != games[1].hands[:2]
