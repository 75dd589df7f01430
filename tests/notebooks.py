"""The notebooks with their outputs; `python -m tests.notebooks [NAME ...]` runs and writes them.

What stays in the files is what a reader looks at: text and pictures, without execution counts,
times and the like, so that a change of a notebook shows what has changed.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
PICTURES = ("image/svg+xml", "image/png")


def paths() -> list[Path]:
    """List the notebooks."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> Any:
    """Read a notebook."""
    return nbformat.read(path, as_version=4)


def tidied(notebook: Any) -> Any:
    """Return a notebook without what a reader does not look at."""
    found = nbformat.from_dict(notebook)
    found.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(found.cells):
        cell.id = f"cell-{number:02d}"
        cell.metadata = nbformat.from_dict(
            {name: value for name, value in cell.metadata.items() if name == "nbmake"}
        )
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = _joined([_tidied_output(output) for output in cell.outputs])
    return found


def _joined(outputs: list[Any]) -> list[Any]:
    """Join printed texts that follow one another, however they were cut when they were sent."""
    found: list[Any] = []
    for output in outputs:
        before = found[-1] if found else None
        if before and output.output_type == before.output_type == "stream":
            before.text += output.text
        else:
            found.append(output)
    return found


def _tidied_output(output: Any) -> Any:
    """Keep of an output what is shown: of a picture no other form."""
    if "execution_count" in output:
        output.execution_count = None
    if "metadata" in output:
        output.metadata = {}
    for kind in PICTURES:
        if kind in output.get("data", {}):
            output.data = {kind: output.data[kind]}
            break
    return output


def pictures(notebook: Any) -> list[str]:
    """List the pictures among the outputs: SVG, or PNG in base64."""
    return [
        output.data[kind]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        for kind in PICTURES
        if kind in output.get("data", {})
    ]


def write(notebook: Any, path: Path) -> None:
    """Write a notebook."""
    nbformat.validate(notebook)
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or [path.stem for path in paths()]:
        path = FOLDER / f"{name}.ipynb"
        notebook = read(path)
        NotebookClient(notebook, timeout=None, kernel_name="python3").execute(cwd=FOLDER)
        write(tidied(notebook), path)
