"""Archives of arrays: the same bytes for the same arrays, nothing pickled, nothing unpacked."""

import io
import re
import struct
import tracemalloc
import warnings
import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.npz import npz, read_npz

ARRAYS = {"b": np.arange(6, dtype=np.int8).reshape(2, 3), "file": np.zeros((), np.uint64)}
WHOLE = npz(ARRAYS)


def test_arrays_come_back() -> None:
    assert npz(ARRAYS) == WHOLE
    with np.load(io.BytesIO(WHOLE), allow_pickle=False) as archive:
        assert archive.files == list(ARRAYS)
        found = {name: archive[name] for name in archive.files}
    for arrays in (found, read_npz(WHOLE, "some")):
        assert list(arrays) == list(ARRAYS)
        for name, array in ARRAYS.items():
            assert arrays[name].dtype == array.dtype
            assert np.array_equal(arrays[name], array)
    columns = np.asfortranarray(ARRAYS["b"])
    assert np.array_equal(read_npz(npz({"b": columns}), "some")["b"], ARRAYS["b"])
    assert read_npz(npz({}), "some") == {}


def test_objects_are_not_pickled() -> None:
    objects = np.array([{}])
    with pytest.raises(ValueError, match="Object arrays"):
        npz({"mine": objects})
    buffer = io.BytesIO()
    np.savez(buffer, mine=objects, allow_pickle=True)
    with pytest.raises(InvalidFile, match=r"^some: "):
        read_npz(buffer.getvalue(), "some")


def test_what_is_compressed_is_not_unpacked() -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, mine=np.zeros(2**24, np.uint8))
    content = buffer.getvalue()
    tracemalloc.start()
    with pytest.raises(InvalidFile, match="some: array 'mine' is compressed"):
        read_npz(content, "some")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**20


def nested(depth: int) -> bytes:
    """An archive of arrays, of which each has all of the next one, head and all, as its data."""
    data, listing = bytes(1000), []
    for number in range(depth):
        start = io.BytesIO()
        header = {"descr": "|u1", "fortran_order": False, "shape": (len(data),)}
        np.lib.format.write_array_header_1_0(start, header)
        whole, name = start.getvalue() + data, f"{number}.npy".encode()
        sizes = zlib.crc32(whole), len(whole), len(whole), len(name), 0
        data = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 0x21, *sizes) + name + whole
        listing.append((name, sizes, len(data)))
    entries = b"".join(
        struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 0x21, *sizes, 0, 0, 0, 0, place)
        + name
        for name, sizes, length in listing
        for place in [len(data) - length]
    )
    counts = depth, depth, len(entries), len(data), 0
    return data + entries + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *counts)


def test_arrays_within_each_other_are_refused() -> None:
    assert read_npz(nested(1), "some")["0"].shape == (1000,)
    with pytest.raises(InvalidFile, match="some: its arrays together are longer than it"):
        read_npz(nested(20), "some")


def test_no_array_is_there_twice() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as archive, zipfile.ZipFile(buffer, "w") as other:
        for _ in range(2):
            with warnings.catch_warnings(action="ignore"):
                other.writestr("b.npy", archive.read("b.npy"))
    with pytest.raises(InvalidFile, match="some: an array is there twice"):
        read_npz(buffer.getvalue(), "some")


def complaint(content: bytes) -> str:
    """Tell what is wrong with an archive; nothing, if nothing is found."""
    try:
        read_npz(content, "some")
    except InvalidFile as error:
        return str(error)
    return ""


@given(st.data())
def test_damage_is_one_line(data: st.DataObject) -> None:
    content = bytearray(WHOLE)
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(WHOLE) - 1)) :]
    else:
        for place in data.draw(st.lists(st.integers(0, len(WHOLE) - 1), min_size=1, max_size=4)):
            content[place] = data.draw(st.integers(0, 255))
    assert re.fullmatch(r"(some: .+)?", complaint(bytes(content)))
