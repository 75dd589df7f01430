"""Files are whole or not there."""

import os
import re
from pathlib import Path

import pytest

from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.files import atomic, read_file, write_atomic
from tests.games import EXAMPLES


def names(folder: Path) -> list[str]:
    """List a folder, hidden files too."""
    return sorted(os.listdir(folder))


def test_text_and_bytes_are_written(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_atomic(path, "naïve\n")
    assert path.read_bytes() == "naïve\n".encode()
    write_atomic(str(path), b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert names(path.parent) == ["file.txt"]


def test_folders_are_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as refused:
        write_atomic(tmp_path / "new" / "folder" / "file.txt", "")
    assert refused.value.strerror == "no such folder"
    assert refused.value.filename == str(tmp_path / "new" / "folder")
    game = EXAMPLES["tiny"]
    with pytest.raises(FileNotFoundError, match="no such folder"):
        game.save(game.deal([1]), tmp_path / "new" / "state.npz")
    assert names(tmp_path) == []


def test_a_name_alone_is_of_the_folder_in_which_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_atomic("file", b"new")
    assert names(tmp_path) == ["file"]


def test_the_name_is_taken_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with atomic(path) as file:
        file.write(b"some")
        assert not path.exists()
        assert [name.startswith(".file.") for name in names(tmp_path)] == [True]
    assert path.read_bytes() == b"some"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("old", [b"old", None])
def test_an_exception_leaves_the_old_file(
    tmp_path: Path, error: type[BaseException], old: bytes | None
) -> None:
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)
    before = names(tmp_path)

    def write() -> None:
        with atomic(path) as file:
            file.write(b"half of the new")
            raise error

    with pytest.raises(error):
        write()
    assert names(tmp_path) == before
    assert old is None or path.read_bytes() == old


def test_a_failed_rename_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError, match="file"):
        write_atomic(tmp_path / "file", b"new")
    assert names(tmp_path) == ["file"]


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(OSError, match="file"):
        write_atomic(tmp_path / "file" / "below", b"new")
    assert names(tmp_path) == ["file"]


def test_others_may_read_it(tmp_path: Path) -> None:
    write_atomic(tmp_path / "file", b"")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"some")
    assert read_file(path) == read_file(str(path)) == read_file(path, 4) == b"some"
    with pytest.raises(InvalidFile, match=re.escape(f"{path}: 4 bytes, of at most 3")):
        read_file(path, 3)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "none")


def test_what_may_never_begin_or_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.symlink(tmp_path / "pipe", tmp_path / "link")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "link", Path("/dev/zero")):
        with pytest.raises(InvalidFile, match=re.escape(f"{path}: no regular file")):
            read_file(path)
    game = EXAMPLES["tiny"]
    with pytest.raises(InvalidFile, match="no regular file"):
        game.load(tmp_path / "pipe")
