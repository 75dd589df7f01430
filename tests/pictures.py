"""The pictures that the README shows; `python -m tests.pictures` draws them anew."""

from pathlib import Path

from chromazoo.envs.registry import make_game
from chromazoo.envs.svg import Picture, Viewer
from tests.contract.play import history, player_stream

FOLDER = Path(__file__).parent.parent / "docs"


def _moment(game_id: str, plies: int, seed: int, seat: Viewer, **options: object) -> Picture:
    """Draw a game of random play after some plies."""
    game = make_game(game_id, **options)
    state = history(game, game.deal(seed), player_stream([seed]), longest=plies)[-1]
    return game.svg(state, seat=seat)


def shown() -> dict[str, Picture]:
    """Name of the file -> the picture."""
    return {
        "kroma.svg": _moment("kroma", 20, 3, 0, setup="advanced", random=True),
        "chroma.svg": _moment("chroma", 60, 3, 1, num_players=4, power_copies=2),
        "guardians.svg": _moment("guardians", 16, 3, 2, num_players=3),
    }


if __name__ == "__main__":
    for name, picture in shown().items():
        (FOLDER / name).write_text(picture + "\n", encoding="utf-8")
