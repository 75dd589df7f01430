"""What is measured while a policy learns: one row an update, as CSV and for TensorBoard."""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.files import write_atomic

Row = dict[str, float]


class MetricsLog:
    """The rows so far, kept in a CSV file and in TensorBoard's format.

    Rows are added at the end of the CSV file. With a new column, and when a run is resumed, the
    file is replaced as a whole, so it holds no row twice.

    Attributes:
        rows: Name of the column -> value, one mapping an update; `steps` is in each.
    """

    def __init__(self, path: Path, tensorboard: Path, rows: Iterable[Row] = ()) -> None:
        """Open the log.

        Args:
            path: The CSV file.
            tensorboard: The folder for TensorBoard.
            rows: The rows of a run that is resumed.

        Raises:
            OSError: the files cannot be written.
        """
        self.path = path
        self.rows = list(rows)
        self._columns: list[str] = []
        after = int(self.rows[-1]["steps"]) + 1 if self.rows else 0
        self._writer = SummaryWriter(str(tensorboard), purge_step=after)
        if self.rows:
            self._rewrite()

    def add(self, row: Mapping[str, float]) -> None:
        """Add a row; `steps` must be in it.

        Raises:
            OSError: the files cannot be written.
        """
        self.rows.append(dict(row))
        if set(row) <= set(self._columns):
            with open(self.path, "a", encoding="utf-8", newline="") as file:
                file.write(self._lines(self.rows[-1:]))
        else:
            self._rewrite()
        for name, value in row.items():
            if name != "steps":
                self._writer.add_scalar(name, value, int(row["steps"]))
        self._writer.flush()

    def close(self) -> None:
        """Close TensorBoard's file."""
        self._writer.close()

    def _rewrite(self) -> None:
        """Write the whole CSV file."""
        named = ["steps", "seconds", *(name for row in self.rows for name in row)]
        self._columns = list(dict.fromkeys(named))
        header = ",".join(self._columns) + "\n"
        write_atomic(self.path, header + self._lines(self.rows))

    def _lines(self, rows: Iterable[Row]) -> str:
        """Write rows as CSV; a column that a row lacks is empty there."""
        text = io.StringIO()
        csv.DictWriter(text, self._columns, lineterminator="\n").writerows(rows)
        return text.getvalue()


def parse_rows(values: object, steps: int) -> list[Row]:
    """Read the rows that a checkpoint keeps.

    Args:
        values: JSON types.
        steps: How many steps the run was trained.

    Returns:
        The rows.

    Raises:
        InvalidFile: they are no rows of such a run.
    """
    if not isinstance(values, list):
        raise InvalidFile("metrics: no list of rows")
    last = -1
    for row in values:
        numbers = isinstance(row, dict) and all(type(v) in (int, float) for v in row.values())
        if not numbers or type(row.get("steps")) is not int or not last < row["steps"] <= steps:
            raise InvalidFile(f"metrics: {row!r:.80} is no row, or in the wrong place")
        last = row["steps"]
    return values
