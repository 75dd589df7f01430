"""The pair of games with which leaks are looked for."""

from tests.chroma.hidden_faults import twins


def test_the_twins_hide_what_was_passed() -> None:
    assert [ply for ply, _ in twins()[0].plies] == ["c1+gift@e4", "gift:1", "give:c5"]
    assert twins()[1].plies == [("c1+gift@e4", None), ("gift:1", "c17"), ("give:c5", None)]
