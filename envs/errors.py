"""The exceptions of Chromazoo: each is one clear line, what was wrong and what would be right."""


def on_one_line(text: str) -> str:
    r"""Join the lines of a text, and escape what a terminal might obey: it may quote a stranger.

    White space of any kind becomes spaces.

    Args:
        text: The text.

    Returns:
        One line that can be printed.

    >>> print(on_one_line("no \x1b[2J here"))
    no \x1b[2J here
    """
    line = " ".join(line.strip() for line in text.splitlines())
    return printable("".join(" " if char.isspace() else char for char in line))


def printable(text: str) -> str:
    r"""Escape what a terminal might obey, but for line feeds.

    >>> printable("a\x1b[2J\nb")
    'a\\x1b[2J\nb'
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )


class ChromazooError(ValueError):
    """Base of every error that Chromazoo raises on purpose.

    It is a `ValueError`, so callers who know nothing of Chromazoo catch it as one. The command line
    prints its text as one line and exits with status 2.
    """

    def __init__(self, text: str = "") -> None:
        """Store the text on one line, whatever it quotes: arrays are written on several.

        Args:
            text: What was wrong, where, and what would be right.
        """
        super().__init__(on_one_line(text))


class InvalidConfig(ChromazooError):
    """An unknown option, a value out of range, or options that contradict each other."""


class InvalidRenderMode(InvalidConfig, TypeError):
    """An unknown render mode.

    It is a `TypeError` too: Stable-Baselines3's `make_vec_env` asks every environment for
    `rgb_array`, and goes on without a mode where it meets one.
    """


class InvalidArgument(ChromazooError):
    """An argument of the wrong kind or shape, or a call at the wrong time."""


class InvalidSetup(ChromazooError):
    """A set-up that does not fit the game: a wrong deck, illegal drops, a missing key."""


class InvalidPosition(ChromazooError):
    """A text that is not a position of the game."""


class InvalidMove(ChromazooError):
    """A text that names no action of the game."""


class InvalidChance(ChromazooError):
    """A recorded chance outcome that is missing, not due, or impossible.

    Attributes:
        row: The game of the batch for which it was given (from 0).
        why: What is wrong with it, in words.
    """

    def __init__(self, row: int, why: str) -> None:
        """Store for which game the outcome was given.

        Args:
            row: The game of the batch (from 0).
            why: What is wrong with it, in words.
        """
        super().__init__(f"game {row}: {why}")
        self.row = row
        self.why = on_one_line(why)

    def __reduce__(self) -> tuple[type["InvalidChance"], tuple[int, str]]:
        """Pickle by the arguments, so that it crosses process borders whole."""
        return type(self), (self.row, self.why)


class InvalidRecord(ChromazooError):
    """A game record that does not follow `chromazoo-record/1` or does not fit its game.

    Attributes:
        why: What is wrong, and what was expected.
        ply: How many plies could be replayed, which is the number (from 0) of the one that is at
            fault; None if play could not begin.
    """

    def __init__(self, why: str, ply: int | None = None) -> None:
        """Store where the record is wrong.

        Args:
            why: What is wrong, and what was expected.
            ply: The ply at fault (from 0), None before play.
        """
        super().__init__(why if ply is None else f"ply {ply}: {why}")
        self.why = on_one_line(why)
        self.ply = ply

    def __reduce__(self) -> tuple[type["InvalidRecord"], tuple[str, int | None]]:
        """Pickle by the arguments, so that it crosses process borders whole."""
        return type(self), (self.why, self.ply)


class InvalidFile(ChromazooError):
    """A file that is not what it should be: damaged, of another game, or of another version."""


class InvalidAgent(ChromazooError):
    """An agent that does not do what agents do."""


class UnknownName(ChromazooError):
    """A name that no game, agent or preset has."""


class IllegalAction(ChromazooError):
    """An action that is not legal for the seat that took it.

    Attributes:
        row: The game of the batch in which it happened (from 0).
        seat: The seat that was to decide.
        action: The action index that was given.
    """

    def __init__(self, row: int, seat: int, action: int, why: str) -> None:
        """Store where the action was taken.

        Args:
            row: The game of the batch (from 0).
            seat: The seat that was to decide.
            action: The action index that was given.
            why: What is wrong with it, in words.
        """
        super().__init__(f"illegal action in game {row}: seat {seat} took {action} ({why})")
        self.row = row
        self.seat = seat
        self.action = action
        self.why = on_one_line(why)

    def __reduce__(self) -> tuple[type["IllegalAction"], tuple[int, int, int, str]]:
        """Pickle by the arguments, so that it crosses process borders whole."""
        return type(self), (self.row, self.seat, self.action, self.why)
