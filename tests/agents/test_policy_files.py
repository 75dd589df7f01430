"""Policy files: what is written is read, and a stranger's file gets one line and nothing else."""

import io
import json
import os
import pickle
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors.torch import load, save
from torch.utils._python_dispatch import TorchDispatchMode

from chromazoo.agents import load as load_agent
from chromazoo.agents import policy_heads
from chromazoo.agents.network import MOST_WEIGHTS, NETWORKS, Network
from chromazoo.agents.policy_files import checksum, dump_policy, parse_policy
from chromazoo.agents.policy_heads import LARGEST, policy_head, read_policy
from chromazoo.agents.ppo import PPOAgent, load_ppo
from chromazoo.cli.main import main
from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.registry import make_game
from tests.agents.networks import SMALL, network_for
from tests.games import EXAMPLES

GAME = EXAMPLES["baby"]
POLICY = dump_policy(network_for(GAME, "mlp"), GAME, 5)

# Good files


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tiny", "mlp"),
        ("basic-short", "kroma"),
        ("chroma-4", "chroma"),
        ("guardians-3", "guardians"),
    ],
)
def test_a_policy_file_gives_the_same_network(name: str, kind: str) -> None:
    game = EXAMPLES[name]
    network = network_for(game, kind)
    content = dump_policy(network, game, 123, {"seed": 7, "command": "chromazoo train"})
    head = policy_head(content)
    assert (head["game"], head["version"], head["digest"]) == (game.id, 0, game.digest)
    assert (head["config"], head["steps"]) == (game.options, 123)
    assert head["architecture"] == {"kind": kind, **SMALL[kind]}
    assert head["training"] == {"seed": 7, "command": "chromazoo train"}
    found = parse_policy(game, content)
    assert found.architecture == network.architecture
    assert_same_weights(found, network)
    seen = torch.from_numpy(game.observe(game.deal(range(5))))
    for a, b in zip(found(seen), network(seen), strict=True):
        assert torch.equal(a, b)
    assert dump_policy(found, game, 123, head["training"]) == content
    assert not found.training
    assert not any(weights.requires_grad for weights in found.parameters())


def assert_same_weights(one: Network, other: Network) -> None:
    """Compare names, dtypes and values, also of what is not saved."""
    for kind in ("named_parameters", "named_buffers"):
        own, due = dict(getattr(one, kind)()), dict(getattr(other, kind)())
        assert own.keys() == due.keys()
        for name, value in due.items():
            assert own[name].dtype == value.dtype
            assert torch.equal(own[name], value)


def test_every_kind_of_network_is_tried() -> None:
    assert set(SMALL) == set(NETWORKS)


def test_an_agent_of_a_file_calculates_in_double_precision(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(POLICY)
    sampling = load_agent(f"ppo:{path}", GAME)
    assert isinstance(sampling, PPOAgent)
    assert not sampling.greedy
    greedy = load_ppo(GAME, f"{path}?greedy")
    assert greedy.greedy
    assert next(greedy.network.parameters()).dtype == torch.float64


def test_a_link_to_a_policy_is_a_policy(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(POLICY)
    (tmp_path / "link").symlink_to("a.safetensors")
    assert read_policy(tmp_path / "link") == POLICY


def test_heads_without_words_on_the_training_are_read() -> None:
    head = policy_head(POLICY)
    del head["training"]
    assert policy_head(with_head(head))["training"] == {}


# Files that are no policies of the game


def with_head(head: Any) -> bytes:
    """The same weights under another head, a text or what is written as one."""
    text = head if isinstance(head, str) else json.dumps(head)
    return save(load(POLICY), {"chromazoo": text})


def changed(**changes: Any) -> bytes:
    """Other entries in the head."""
    return with_head(policy_head(POLICY) | changes)


def with_weights(change: Callable[[dict[str, torch.Tensor]], Any]) -> bytes:
    """Other tensors, under a head with their checksum."""
    weights = load(POLICY)
    change(weights)
    head = policy_head(POLICY) | {"sha256": checksum(weights)}
    return save(weights, {"chromazoo": json.dumps(head)})


def with_first(change: Callable[[torch.Tensor], torch.Tensor]) -> bytes:
    """Another first tensor."""
    return with_weights(lambda weights: weights.update({FIRST: change(weights[FIRST])}))


def with_value(value: float) -> bytes:
    """One weight changed, in the middle of a tensor."""

    def change(tensor: torch.Tensor) -> torch.Tensor:
        changed = tensor.clone()
        changed.view(-1)[tensor.numel() // 2] = value
        return changed

    return with_first(change)


def raw(header: bytes, data: bytes = b"") -> bytes:
    """A file of a header as it stands."""
    return struct.pack("<Q", len(header)) + header + data


def with_table(change: Callable[[dict[str, Any]], Any], more: bytes = b"") -> bytes:
    """Another table of tensors, over the same data."""
    length = int.from_bytes(POLICY[:8], "little")
    table = json.loads(POLICY[8 : 8 + length])
    change(table)
    return raw(json.dumps(table).encode(), POLICY[8 + length :] + more)


def with_entry(**changes: Any) -> bytes:
    """Other words on the first tensor in the table."""
    return with_table(lambda table: table[FIRST].update(changes))


def replaced(old: bytes, new: bytes) -> bytes:
    """The header with a text exchanged, once."""
    length = int.from_bytes(POLICY[:8], "little")
    header = POLICY[8 : 8 + length]
    assert old in header
    return raw(header.replace(old, new, 1), POLICY[8 + length :])


def padded(spaces: int) -> bytes:
    """The same file with spaces behind its header, as safetensors allows."""
    length = int.from_bytes(POLICY[:8], "little")
    return raw(POLICY[8 : 8 + length] + b" " * spaces, POLICY[8 + length :])


class Calls:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


class InFolder(Calls):
    """The same, in whatever folder the process is."""

    def __init__(self) -> None:
        super().__init__(Path("executed"))


def torch_save() -> bytes:
    """What torch.save makes, with a call in it."""
    buffer = io.BytesIO()
    torch.save({"weights": InFolder(), **load(POLICY)}, buffer)
    return buffer.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    """A zip archive of one file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


FIRST = min(load(POLICY))
MATRIX = "policy_head.weight"
CONTROLS = "\x1b]0;title\x07\x1b[2J\x9b31m\r\nmore\u202e\u2028end"
NESTED = "[" * 5000 + "]" * 5000
DTYPES = (
    torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8, torch.bool,
    torch.complex64, torch.float8_e4m3fn,
)  # fmt: skip
WRONG = {
    "format": [None, 5, "chromazoo-policy/9", "x" * 10**5, CONTROLS],
    "game": [[], None, "chess", CONTROLS],
    "version": ["0", 1, -1, 0.0, True, 2**63, 10**4000],
    "digest": [5, "0" * 16, "x" * 10**5, CONTROLS],
    "config": [[], "baby", {"size": "huge"}, {"engine": "compiled"}, {CONTROLS: 1}, {"size": {}},
        {"size": "baby", "leap": "x" * 10**5}, {"piece_rows": 10**400}],
    "architecture": [None, "mlp", [], {"kind": []}, {"kind": {}}, {"kind": None}, {"kind": 5},
        {"kind": "os.system"}, {"kind": CONTROLS}, {"kind": "mlp", "width": []},
        {"kind": "mlp", "width": 13, "depth": 2}, {"kind": "mlp", "width": 0},
        {"kind": "mlp", "width": -12}, {"kind": "mlp", "width": 12.0},
        {"kind": "mlp", "width": True},
        {"kind": "mlp", "width": 10**30}, {"kind": "mlp", "width": 12, "depth": 16},
        {"kind": "mlp", "width": 4096, "depth": 16}, {"kind": "mlp", "width": "x" * 10**5},
        {"kind": "mlp", "game": "kroma"}, {"kind": "mlp", "x" * 10**5: 1}, {"kind": "chroma"},
        {"kind": "kroma", "width": 4096, "channels": 4096, "keys": 4096}, {}],
    "steps": ["5", -1, 1.0, True, None, 2**63],
    "sha256": [[], None, "", "0" * 64, CONTROLS],
    "training": [[], None, "x"],
}  # fmt: skip

DAMAGES: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "one byte": lambda: b"\0",
    "zeros": lambda: bytes(1000),
    "pickle": lambda: pickle.dumps(InFolder()),
    "pickle in protocol 0": lambda: pickle.dumps(InFolder(), 0),
    "pickle before": lambda: pickle.dumps(InFolder()) + POLICY,
    "pickle behind": lambda: POLICY + pickle.dumps(InFolder()),
    "torch.save": torch_save,
    "zip": lambda: zipped("policy.safetensors", POLICY),
    "zip bomb": lambda: zipped("policy.safetensors", bytes(10**8)),
    "zip behind": lambda: POLICY + zipped("data.pkl", pickle.dumps(InFolder())),
    "pickle as the head": lambda: with_head(pickle.dumps(InFolder(), 0).decode()),
    "huge header": lambda: b"\xff" * 8 + POLICY[8:],
    "header of half the space": lambda: struct.pack("<Q", 2**63) + POLICY[8:],
    "header as long as the file": lambda: struct.pack("<Q", len(POLICY)) + POLICY[8:],
    "header to the end": lambda: struct.pack("<Q", len(POLICY) - 8) + POLICY[8:],
    "header of a megabyte": lambda: padded(2**20),
    "no header": lambda: struct.pack("<Q", 0) + POLICY[8:],
    "longer": lambda: POLICY + b"\0",
    "a weight changed": lambda: POLICY[:-3] + bytes([POLICY[-3] ^ 1]) + POLICY[-2:],
    "no head": lambda: save(load(POLICY)),
    "no metadata": lambda: raw(b"{}"),
    "metadata no mapping": lambda: raw(b'{"__metadata__": []}'),
    "metadata null": lambda: raw(b'{"__metadata__": null}'),
    "metadata no texts": lambda: raw(b'{"__metadata__": {"chromazoo": {}}}'),
    "header a list": lambda: raw(b"[]"),
    "header a number": lambda: raw(b"5"),
    "header null": lambda: raw(b"null"),
    "header not UTF-8": lambda: replaced(b"kroma", b"kr\xffma"),
    "header in UTF-16": lambda: raw(json.dumps({"__metadata__": {}}).encode("utf-16")),
    "header with a mark": lambda: raw(b"\xef\xbb\xbf" + POLICY[8:]),
    "header nested": lambda: raw(NESTED.encode()),
    "head no JSON": lambda: with_head("{"),
    "head no mapping": lambda: with_head("[1]"),
    "head a text": lambda: with_head('"format"'),
    "head null": lambda: with_head("null"),
    "head nested": lambda: with_head(NESTED),
    "head nested in an entry": lambda: with_head(
        json.dumps(policy_head(POLICY)).replace('"steps": 5', f'"steps": {NESTED}')
    ),
    "training nested": lambda: changed(training=json.loads('{"why":' * 20 + "1" + "}" * 20)),
    "config nested": lambda: changed(config=json.loads('{"size":' * 40 + "1" + "}" * 40)),
    "a name twice in the head": lambda: replaced(rb"\"steps\": 5", rb"\"steps\": 5, \"steps\": 5"),
    "a head twice": lambda: replaced(b'"chromazoo":', b'"chromazoo":"{}","chromazoo":'),
    "a tensor twice": lambda: replaced(
        f'"{FIRST}":'.encode(), f'"{FIRST}":{{}},"{FIRST}":'.encode()
    ),
    "a number without end": lambda: replaced(rb"\"steps\": 5", rb"\"steps\": 1e999"),
    "a number too long to read": lambda: replaced(
        rb"\"steps\": 5", rb"\"steps\": 5" + b"0" * 5000
    ),
    "infinity": lambda: replaced(rb"\"steps\": 5", rb"\"steps\": Infinity"),
    "a number not finite in the training": lambda: changed(training={"score": float("nan")}),
    "half a surrogate pair": lambda: changed(digest="\ud800"),
    **{f"{name} {number}": (lambda name=name, value=value: changed(**{name: value}))
        for name, values in WRONG.items() for number, value in enumerate(values)},
    **{f"no {name}": (lambda name=name: with_head(
        {key: value for key, value in policy_head(POLICY).items() if key != name}
    )) for name in WRONG if name != "training"},
    **{f"weights {dtype}": (lambda dtype=dtype: with_first(lambda tensor: tensor.to(dtype)))
        for dtype in DTYPES},
    "integers in the guise of weights": lambda: with_entry(dtype="I32"),
    "an unknown dtype": lambda: with_entry(dtype="O"),
    "a dtype in the machine's words": lambda: with_entry(dtype="float32"),
    "a dtype that is none": lambda: with_entry(dtype=None),
    "no dtype": lambda: with_table(lambda table: table[FIRST].pop("dtype")),
    "a weight not a number": lambda: with_value(float("nan")),
    "a weight infinite": lambda: with_value(float("inf")),
    "a weight infinite below": lambda: with_value(float("-inf")),
    "a tensor without dimensions": lambda: with_first(torch.sum),
    "an empty tensor": lambda: with_first(lambda tensor: tensor[:0]),
    "another shape": lambda: with_first(lambda tensor: tensor[None]),
    "flat": lambda: with_weights(
        lambda weights: weights.update({MATRIX: weights[MATRIX].flatten()})
    ),
    "turned": lambda: with_table(lambda table: [
        entry["shape"].reverse() for name, entry in table.items() if name != "__metadata__"
    ]),
    "a row more": lambda: with_first(lambda tensor: torch.cat([tensor, tensor[:1]])),
    "a tensor more": lambda: with_weights(lambda weights: weights.update(more=torch.zeros(1))),
    "an empty tensor more": lambda: with_weights(
        lambda weights: weights.update(more=torch.zeros(0, 2**40))
    ),
    "the scale too": lambda: with_weights(
        lambda weights: weights.update(scale=torch.zeros(GAME.num_features))
    ),
    "a tensor with a strange name": lambda: with_weights(
        lambda weights: weights.update({CONTROLS: torch.zeros(1)})
    ),
    "a tensor missing": lambda: with_weights(lambda weights: weights.pop(FIRST)),
    "no tensors": lambda: with_weights(dict.clear),
    "a tensor under another name": lambda: with_weights(
        lambda weights: weights.update({f"{FIRST}.": weights.pop(FIRST)})
    ),
    "a negative size": lambda: with_entry(shape=[-1]),
    "two negative sizes": lambda: with_entry(shape=[-3, -4]),
    "a size with a fraction": lambda: with_entry(shape=[12.0]),
    "a size beyond 64 bits": lambda: with_entry(shape=[2**64]),
    "sizes whose product overflows": lambda: with_entry(shape=[2**32, 2**32]),
    "sizes that want gigabytes": lambda: with_entry(shape=[2**20, 2**12]),
    "no shape": lambda: with_entry(shape=None),
    "a negative offset": lambda: with_entry(data_offsets=[-4, 44]),
    "an offset beyond the end": lambda: with_entry(data_offsets=[0, 2**40]),
    "offsets in the wrong order": lambda: with_entry(data_offsets=[48, 0]),
    "one offset": lambda: with_entry(data_offsets=[0]),
    "overlapping tensors": lambda: with_table(lambda table: [
        entry.update(data_offsets=[0, entry["data_offsets"][1] - entry["data_offsets"][0]])
        for name, entry in table.items() if name != "__metadata__"
    ]),
    "a hole": lambda: with_table(lambda table: table.update(
        more={"dtype": "F32", "shape": [1], "data_offsets": [len(POLICY), len(POLICY) + 4]}
    ), bytes(len(POLICY))),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_policies_are_refused_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    damage: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "policy.safetensors"
    path.write_bytes(DAMAGES[damage]())
    with pytest.raises(InvalidFile) as refused:
        load_ppo(GAME, str(path))
    told = str(refused.value)
    assert told.startswith(f"{path}: ")
    assert told.isprintable()
    assert len(told) < len(str(path)) + 600
    assert refuse_at_the_command_line(capfd, f"ppo:{path}").startswith(f"chromazoo: {path}: ")
    assert os.listdir(tmp_path) == ["policy.safetensors"], "something was executed"


def refuse_at_the_command_line(capfd: pytest.CaptureFixture[str], agent: str) -> str:
    """Name an agent that must be refused: status 2 and one printable line."""
    capfd.readouterr()
    status = main(["sample", "kroma", "--set", "size=baby", "--games", "1", "--agent", agent])
    out, err = capfd.readouterr()
    assert (status, out) == (2, "")
    assert err.endswith("\n")
    assert err[:-1].isprintable()
    return err


def test_the_damages_are_needed(tmp_path: Path) -> None:
    # A pickle is executed by whoever unpickles it, and the undamaged file is a policy.
    pickle.loads(pickle.dumps(Calls(tmp_path / "executed")))
    assert (tmp_path / "executed").exists()
    assert_same_weights(parse_policy(GAME, POLICY), network_for(GAME, "mlp"))
    assert_same_weights(parse_policy(GAME, changed()), network_for(GAME, "mlp"))
    assert_same_weights(parse_policy(GAME, with_weights(dict)), network_for(GAME, "mlp"))
    assert_same_weights(parse_policy(GAME, with_table(dict)), network_for(GAME, "mlp"))
    assert_same_weights(parse_policy(GAME, padded(1000)), network_for(GAME, "mlp"))


def test_why_a_policy_does_not_fit_is_told() -> None:
    for damage, why in {
        "digest 1": rf"digest is {'0' * 16}, that of this game {GAME.digest}",
        "version 1": "a policy for kroma v1, not for kroma v0",
        "game 2": "a policy for chess v0, not for kroma v0",
        "a weight not a number": "no finite numbers",
        "a weight changed": "checksum",
        "a tensor missing": f"lacks '{FIRST}'",
        "a tensor more": "none for 'more'",
        "another shape": rf"{FIRST} is \[1, \d+\], not \[\d+\]",
        "architecture 17": r"\d+,\d+,\d+ weights",
        "architecture 7": "no network 'os.system'; the kinds are mlp",
        "pickle": "not a policy file, or damaged",
    }.items():
        with pytest.raises(InvalidFile, match=why):
            parse_policy(GAME, DAMAGES[damage]())


def test_policies_of_other_boards_are_refused(tmp_path: Path) -> None:
    (tmp_path / "p.safetensors").write_bytes(POLICY)
    load_ppo(make_game("kroma", size="baby", influence="public"), str(tmp_path / "p.safetensors"))
    other = make_game("kroma", size="basic", leap=False)
    with pytest.raises(InvalidFile, match="size=baby, leap=True, this game has") as caught:
        load_ppo(other, str(tmp_path / "p.safetensors"))
    assert str(caught.value).endswith("(at a shell: --set size=baby --set leap=true)")
    with pytest.raises(InvalidFile, match="not for tiny"):
        load_ppo(EXAMPLES["tiny"], str(tmp_path / "p.safetensors"))


# Memory and time


def test_no_prefix_is_a_policy() -> None:
    header = 8 + int.from_bytes(POLICY[:8], "little")
    lengths = {*range(0, header + 40), *range(header, len(POLICY), 97), len(POLICY) - 1}
    for length in lengths:
        with pytest.raises(InvalidFile):
            parse_policy(GAME, POLICY[:length])


@pytest.mark.parametrize(
    "damage", ["architecture 17", "architecture 22", "zip bomb", "huge header"]
)
def test_what_a_file_claims_takes_no_memory(damage: str) -> None:
    content = DAMAGES[damage]()
    with Counting() as tensors, pytest.raises(InvalidFile):
        parse_policy(GAME, content)
    assert tensors.bytes < 2**22
    tracemalloc.start()
    try:
        with pytest.raises(InvalidFile):
            parse_policy(GAME, content)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


class Counting(TorchDispatchMode):
    """Adds up the bytes of all tensors that are made in memory."""

    bytes = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        if isinstance(made, torch.Tensor) and made.device.type != "meta":
            self.bytes += made.nbytes
        return made


def test_tensors_are_counted() -> None:
    with Counting() as tensors:
        torch.nn.Linear(100, 100)
    assert tensors.bytes >= 4 * 100 * 100


def test_the_largest_network_has_room_in_a_file() -> None:
    assert 4 * MOST_WEIGHTS + 2**20 + 8 <= LARGEST


def test_files_too_long_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "long.safetensors"
    with path.open("wb") as file:
        file.write(POLICY)
        file.truncate(2**40)  # a terabyte that takes no place
    with pytest.raises(InvalidFile, match="1,099,511,627,776 bytes, of at most"):
        read_policy(path)
    assert "bytes" in refuse_at_the_command_line(capfd, f"ppo:{path}")
    monkeypatch.setattr(policy_heads, "LARGEST", len(POLICY))
    path.write_bytes(POLICY)
    assert read_policy(path) == POLICY
    path.write_bytes(POLICY + b"\0")
    with pytest.raises(InvalidFile, match="at most"):
        read_policy(path)


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices with names are POSIX")
def test_what_is_no_file_is_not_waited_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nothing")
    (tmp_path / "folder" / "policy.safetensors").mkdir(parents=True)
    (tmp_path / "run").mkdir()
    os.mkfifo(tmp_path / "run" / "policy.safetensors")
    (tmp_path / "stopped" / "checkpoints" / "step-5").mkdir(parents=True)
    os.mkfifo(tmp_path / "stopped" / "checkpoints" / "step-5" / "policy.safetensors")
    (tmp_path / "bare").mkdir()
    places = [*tmp_path.iterdir(), Path("/dev/zero"), Path("/dev/null"), Path("/dev/tty")]
    assert len(places) == 11
    for path in places:
        with pytest.raises(InvalidFile) as refused:
            load_ppo(GAME, str(path))
        assert str(path) in str(refused.value)
        refuse_at_the_command_line(capfd, f"ppo:{path}")


def test_a_name_of_control_characters_is_shown_without_them(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a\x1b[2J\nb"
    path.write_bytes(b"no policy")
    assert r"a\x1b[2J b" in refuse_at_the_command_line(capfd, f"ppo:{path}")


def test_a_folder_that_may_not_be_looked_into_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        if str(path).endswith("policy.safetensors"):
            raise PermissionError(13, "Permission denied", str(path))
        return original(path, *arguments, **options)

    original = os.stat
    monkeypatch.setattr(os, "stat", denied)
    with pytest.raises(InvalidFile):
        load_ppo(GAME, str(tmp_path))
    with pytest.raises(InvalidFile, match="Permission denied"):
        load_ppo(GAME, str(tmp_path / "policy.safetensors"))


# Any damage


def read_or_refused(content: bytes) -> Network | None:
    """Read what may be a policy; None where it is refused, as it must be, by `InvalidFile`."""
    try:
        return parse_policy(GAME, content)
    except InvalidFile as error:
        told = str(error)
    assert told.isprintable()
    assert len(told) < 600
    return None


@given(st.data())
def test_no_damage_goes_unnoticed(data: st.DataObject) -> None:
    content = bytearray(POLICY)
    header = 8 + int.from_bytes(POLICY[:8], "little")
    for _ in range(data.draw(st.integers(1, 3))):
        end = data.draw(st.sampled_from([8, header, len(content)]))
        content[data.draw(st.integers(0, end - 1))] ^= data.draw(st.integers(1, 255))
    network = read_or_refused(bytes(content))
    # Bytes of the head that say nothing about the weights, such as the steps, may differ.
    if network is not None:
        assert_same_weights(network, network_for(GAME, "mlp"))


@given(st.data())
def test_pieces_that_are_cut_out_put_in_or_doubled_are_noticed(data: st.DataObject) -> None:
    places = st.integers(0, len(POLICY))
    start, end = sorted((data.draw(places), data.draw(places)))
    piece = data.draw(st.one_of(st.just(b""), st.just(POLICY[start:end]), st.binary(max_size=20)))
    place = data.draw(places)
    content = data.draw(
        st.sampled_from(
            [POLICY[:start] + piece + POLICY[end:], POLICY[:place] + piece + POLICY[place:]]
        )
    )
    network = read_or_refused(content)
    if network is not None:
        assert_same_weights(network, network_for(GAME, "mlp"))


NAMES = st.text(max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(WRONG)), JSON)
@example("architecture", {"kind": "mlp", "width": 12, "depth": True})
def test_any_entry_of_the_head_may_be_anything(name: str, value: Any) -> None:
    network = read_or_refused(changed(**{name: value}))
    if network is not None:
        assert_same_weights(network, network_for(GAME, "mlp"))


@given(st.sampled_from(["dtype", "shape", "data_offsets"]), JSON)
def test_any_entry_of_the_table_may_be_anything(name: str, value: Any) -> None:
    network = read_or_refused(with_entry(**{name: value}))
    if network is not None:
        assert_same_weights(network, network_for(GAME, "mlp"))


@given(st.binary(max_size=200))
def test_junk_is_refused(content: bytes) -> None:
    assert read_or_refused(content) is None
    assert read_or_refused(raw(content)) is None
