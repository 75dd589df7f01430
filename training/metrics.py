"""What is measured while a policy learns: one row an update, as CSV and for TensorBoard."""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from chromazoo.envs.files import write_atomic

Row = dict[str, float]


class MetricsLog:
    """The rows so far, kept in a CSV file and in TensorBoard's format.

    The CSV file is replaced as a whole, so it can be read at any moment, and after a resumption it
    holds no row twice.

    Attributes:
        rows: Name of the column -> value, one mapping an update; `steps` is in each.
    """

    def __init__(self, path: Path, tensorboard: Path, rows: Iterable[Row] = ()) -> None:
        """Open the log.

        Args:
            path: The CSV file.
            tensorboard: The folder for TensorBoard.
            rows: The rows of a run that is resumed.
        """
        self.path = path
        self.rows = list(rows)
        after = int(self.rows[-1]["steps"]) + 1 if self.rows else None
        self._writer = SummaryWriter(str(tensorboard), purge_step=after)
        if self.rows:
            self._write()

    def add(self, row: Mapping[str, float]) -> None:
        """Add a row; `steps` must be in it."""
        self.rows.append(dict(row))
        self._write()
        for name, value in row.items():
            if name != "steps":
                self._writer.add_scalar(name, value, int(row["steps"]))
        self._writer.flush()

    def close(self) -> None:
        """Close TensorBoard's file."""
        self._writer.close()

    def _write(self) -> None:
        """Write the CSV file; a column that a row lacks is empty there."""
        columns = dict.fromkeys(["steps", "seconds", *(name for row in self.rows for name in row)])
        text = io.StringIO()
        table = csv.DictWriter(text, list(columns), lineterminator="\n")
        table.writeheader()
        table.writerows(self.rows)
        write_atomic(self.path, text.getvalue())
