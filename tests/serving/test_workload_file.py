"""Files of request lengths: people's own and published formats are read; others are refused by kind, with the row."""

from __future__ import annotations

import csv
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.serving import workload_errors as errors
from lab.serving import workload_file
from lab.serving.workload import Lengths, pack, unpack
from lab.serving.workload_columns import OUTPUT, PROMPT
from lab.serving.workload_csv import DELIMITERS
from lab.serving.workload_file import Reading, read_file


def pairs(read: Reading) -> list[tuple[int, int]]:
    """The requests of a file."""
    numbers = list(unpack(read.workload.packed))
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def packed(text: str) -> bytes:
    """The data as gzip."""
    return gzip.compress(text.encode(), mtime=0)


@pytest.mark.parametrize(
    "text",
    [
        "prompt_tokens,output_tokens\n7,2\n30,40\n",
        "7,2\n30,40",
        "\ufeffPrompt_Tokens , Output_Tokens\r\n7,2\r\n\r\n 30 ,+40.0\r\n",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,7,2\n2023-11-16 18:17:04.03,30,40\n",
        '"output_tokens","model","prompt_tokens"\n"2","a,b","7"\n40,c,30\n',
        "prompt_tokens;output_tokens\r\n7;2\r\n30;40\r\n",
        "7;2\n30;40",
        "prompt_tokens\toutput_tokens\n7\t2\n30\t40\n",
        '"output_tokens";"model";"prompt_tokens"\n2;"a, b, c";7\n40;"c; d";30\n',
        "sep=;\r\nprompt_tokens;output_tokens\r\n7;2\r\n30;40\r\n",
        "arrived_at,num_prefill_tokens,num_decode_tokens\n0.1,7,2\n0.2,30,40\n",
        '{"timestamp": 0, "input_length": 7, "output_length": 2, "h": []}\n\n{"output_length":40,"input_length":30}',
        '{"prompt_tokens": "7", "completion_tokens": 2.0}\n{"prompt_tokens": 30, "completion_tokens": 40}\n',
    ],
)
def test_a_file_is_read(text: str) -> None:
    """With and without names, other columns and the byte order mark of spreadsheets; with commas, semicolons or tabs;
    as JSON lines; packed and unpacked."""
    for data in (text.encode(), packed(text)):
        assert read_file(data, "mine").workload == pack("mine", [Lengths(7, 2), Lengths(30, 40)])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("model;prompt_tokens;output_tokens;stop\nqwen;512;338;['</s>', 'User:']\n", [(512, 338)]),
        (
            "model;prompt_tokens;output_tokens;stop\nqwen;512;338;['</s>', 'User:']\nllama;100;20;['</s>', 'User:']\n",
            [(512, 338), (100, 20)],
        ),
        ("prompt_tokens,output_tokens,text\n12,5,say; 'yes'; now\n", [(12, 5)]),
        ("prompt_tokens;output_tokens;n, t, top_p, stop\n12;5;1, 0.7, 1, x\n", [(12, 5)]),
        ('prompt_tokens\toutput_tokens\tparams\n512\t338\t{"t": 0.7, "stop": ["a", "b"]}\n', [(512, 338)]),
        ("instruction,input,output,prompt_tokens,output_tokens\nGive tips,,Eat well,12,25\n", [(12, 25)]),
        ("prompt,prompt_tokens,output_tokens\nHello,3,25\n", [(3, 25)]),
        ("input,output,prompt_tokens,completion_tokens,total_tokens\na,b,3,25,28\n", [(3, 25)]),
    ],
)
def test_other_columns_mislead_nobody(text: str, found: list[tuple[int, int]]) -> None:
    """Neither by their texts, nor by names that could be lengths if better names are there."""
    assert pairs(read_file(text.encode())) == found


FIELDS = st.text("ab1 ,;\t'\"[]{}:|", max_size=12)


@given(st.lists(st.tuples(FIELDS, FIELDS), max_size=4), st.sampled_from(DELIMITERS), st.sampled_from([1, 0]))
def test_whatever_other_columns_hold(others: list[tuple[str, str]], delimiter: str, place: int) -> None:
    """In their names and below: a file from Python's csv writer is read, with any delimiter."""
    lengths = [["prompt_tokens", "output_tokens"], ["12", "5"]]
    rows = [[*lengths[i], *(other[i] for other in others)] for i in (0, 1)]
    lines: list[str] = []

    class Lines:
        def write(self, line: str) -> None:
            lines.append(line)

    csv.writer(Lines(), delimiter=delimiter).writerows([row[2 * place :] + row[: 2 * place] for row in rows])
    assert pairs(read_file("".join(lines).encode())) == [(12, 5)]


TRACES = [
    ("TIMESTAMP,ContextTokens,GeneratedTokens", "ContextTokens", "GeneratedTokens"),
    ("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type", "Request tokens", "Response tokens"),
    ("arrived_at,num_prefill_tokens,num_decode_tokens", "num_prefill_tokens", "num_decode_tokens"),
    ("timestamp,input_length,output_length,hash_ids", "input_length", "output_length"),
    ("prompt_tokens,completion_tokens,total_tokens", "prompt_tokens", "completion_tokens"),
    ("prompt_len,output_len", "prompt_len", "output_len"),
    ("request_id,arrival_timestamp,batch_size,prompt_size,token_size", "prompt_size", "token_size"),
]


@pytest.mark.parametrize(("header", "prompt", "output"), TRACES)
@pytest.mark.parametrize("kind", [*DELIMITERS, "json"])
def test_traces_as_they_are_published(header: str, prompt: str, output: str, kind: str) -> None:
    """Azure, BurstGPT, Vidur, Mooncake, OpenAI's usage, vLLM's benchmarks, Splitwise; the reading names the columns."""
    names = header.split(",")
    row = {name: {prompt: 374, output: 44}.get(name, 7) for name in names}
    if kind == "json":
        text = f"{json.dumps(row)}\n" * 2
    else:
        text = "".join(f"{kind.join(map(str, line))}\n" for line in (names, row.values(), row.values()))
    read = read_file(text.encode())
    assert pairs(read) == [(374, 44)] * 2
    assert (read.columns.prompt, read.columns.output, read.skipped) == (prompt, output, 0)


def test_a_file_without_names_has_none_to_tell() -> None:
    """The names are empty, so that the page says which column is which."""
    assert (read_file(b"1,2\n").columns.prompt, read_file(b"1,2\n").columns.output) == ("", "")


def test_requests_that_failed_are_counted() -> None:
    """They are left out, whatever prompt they had."""
    header = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    rows = ["5,ChatGPT,472,18,490,Conversation log\n", "185,ChatGPT,1360,0,1360,Conversation log\n"]
    read = read_file((header + rows[0] * 3 + rows[1] + "9,GPT-4,0,0,0,API log\n").encode())
    assert (pairs(read), read.skipped) == ([(472, 18)] * 3, 2)
    with pytest.raises(errors.AllFailedError) as refused:
        read_file((header + rows[1] * 2).encode())
    assert refused.value.numbers == {"skipped": 2}


LIMIT = csv.field_size_limit()


@pytest.mark.parametrize(
    ("data", "kind", "numbers"),
    [
        (b"", errors.NoRowsError, {}),
        (b"\n \n", errors.NoRowsError, {}),
        (b"prompt_tokens,output_tokens\n", errors.NoRowsError, {}),
        (b"sep=;\n", errors.NoRowsError, {}),
        (b"\xff\xfe1\x00", errors.NotTextError, {}),
        (b"1,2\n\x00,3", errors.NotTextError, {}),
        (b"\x89PNG\r\n\x1a\n\x00\x00", errors.NotTextError, {}),
        (b"PK\x03\x04\x14\x00", errors.NotTextError, {}),
        (b'1,"2\n', errors.QuotesError, {"row": 1}),
        (b'prompt_tokens,output_tokens,text\n1,2,"a"\n3,4,"b\n5,6,c\n', errors.QuotesError, {"row": 3}),
        (b'1,2\n\n3,"4" x\n', errors.QuotesError, {"row": 3}),
        (b'"1,2', errors.QuotesError, {"row": 1}),
        (b"1,2\n1," + b"9" * (LIMIT + 1), errors.FieldTooLongError, {"row": 2, "limit": LIMIT}),
        (b'1,2\n1,"' + b"a\n" * LIMIT, errors.FieldTooLongError, {"row": 2, "limit": LIMIT}),
        (b"1,2,3\n", errors.NamesError, {"row": 1, "columns": 3}),
        (b"7\n", errors.NamesError, {"row": 1, "columns": 1}),
        (b"a,b\n1,2\n", errors.NamesError, {"row": 1, "columns": 2}),
        (b"1|2\n", errors.NamesError, {"row": 1, "columns": 1}),
        (b"\nprompt_tokens,output_tokens,prompt_tokens\n1,2,3\n", errors.NamesError, {"row": 2, "columns": 3}),
        (b'{"a": 1}\n', errors.NamesError, {"row": 1, "columns": 1}),
        (b'[{"prompt_tokens": 1}]\n', errors.NamesError, {"row": 1, "columns": 1}),
        (b"1,2\n\n1,2,3\n", errors.ColumnsError, {"row": 3, "columns": 3, "expected": 2}),
        (b'{"prompt_tokens": 1,\n', errors.NotJSONError, {"row": 1}),
        (b'{"prompt_tokens": 1, "output_tokens": 2}\n3,4\n', errors.NotJSONError, {"row": 2}),
        (b'{"a":' * 100_000, errors.NotJSONError, {"row": 1}),
        (b"1;2\n3;1,5\n", errors.NotACountError, {"row": 2, "column": 2}),
        (b"sep=;\nprompt_tokens;output_tokens\n1;x\n", errors.NotACountError, {"row": 3, "column": 2}),
        (b"1,2\n3,many\n", errors.NotACountError, {"row": 2, "column": 2}),
        (b"1,2\n,4\n", errors.NotACountError, {"row": 2, "column": 1}),
        (b"1,2\n1.5,4\n", errors.NotACountError, {"row": 2, "column": 1}),
        (b"1,2\n1e3,4\n", errors.NotACountError, {"row": 2, "column": 1}),
        ("1,2\n\u0663,4\n".encode(), errors.NotACountError, {"row": 2, "column": 1}),
        (b"1,2\n99999999999,4\n", errors.NotACountError, {"row": 2, "column": 1}),
        (b"prompt,prompt_tokens,output\n1,2,text\n", errors.NotACountError, {"row": 2, "column": 3}),
        (
            b'{"prompt_len": 1, "output_len": 2}\n{"prompt_len": 1, "output_len": [3]}\n',
            errors.NotACountError,
            {"row": 2, "column": "output_len"},
        ),
        (
            b'{"prompt_len": 1, "output_len": true}\n',
            errors.NotACountError,
            {"row": 1, "column": "output_len"},
        ),
        (b'{"prompt_len": 1, "output_len": 2}\n{}\n', errors.NotACountError, {"row": 2, "column": "prompt_len"}),
        (b"1,2\n3,-4\n", errors.BelowOneError, {"row": 2, "column": 2}),
        (b"0,2\n", errors.BelowOneError, {"row": 1, "column": 1}),
    ],
)
def test_a_file_is_refused(data: bytes, kind: type[errors.WorkloadError], numbers: dict[str, int | str]) -> None:
    """By its kind of error, with the place; the same if it is packed."""
    for given_data in (data, gzip.compress(data, mtime=0)):
        with pytest.raises(kind) as refused:
            read_file(given_data)
        assert type(refused.value) is kind
        assert refused.value.numbers == numbers


def test_a_long_text_is_read_up_to_the_limit() -> None:
    """The test above refuses one more character."""
    text = "prompt_tokens,output_tokens,text\n12,5," + "a" * LIMIT
    assert pairs(read_file(text.encode())) == [(12, 5)]


@pytest.mark.parametrize("damaged", [b"\x1f\x8b", packed("1,2\n" * 999)[:-9], packed("1,2\n")[:-1] + b"\xff"])
def test_a_damaged_gzip_file_is_refused(damaged: bytes) -> None:
    """A file that is cut off, and a file with a wrong checksum."""
    with pytest.raises(errors.NotUnpackedError):
        read_file(damaged)


def test_unpacking_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file may unpack to any size; reading stops at the limit."""
    monkeypatch.setattr(workload_file, "MAX_UNPACKED", 1_000_000)
    assert len(pairs(read_file(gzip.compress(b"1,2\n" + b"\n" * 999_996, mtime=0)))) == 1
    with pytest.raises(errors.UnpackedTooLargeError) as refused:
        read_file(gzip.compress(b"1,2\n" + b"\n" * 999_997, mtime=0))
    assert refused.value.numbers == {"limit": 1}


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its bytes before decoding, and by its rows at the first row too many, failed requests included."""
    assert (workload_file.MAX_BYTES, workload_file.MAX_ROWS) == (100_000_000, 100_000)
    monkeypatch.setattr(workload_file, "MAX_BYTES", 2_000_000)
    with pytest.raises(errors.FileTooLargeError) as refused:
        read_file(b"\xff" * 2_000_001)
    assert refused.value.numbers == {"megabytes": 3, "limit": 2}
    monkeypatch.setattr(workload_file, "MAX_ROWS", 2)
    assert read_file(b"1,2\n1,2\n").workload.requests == 2
    for row in (b"1,2\n", b"1,0\n"):
        with pytest.raises(errors.TooManyRowsError) as many:
            read_file(b"1,2\n" + row + b"1,2\nx,y\n")
        assert many.value.numbers == {"limit": 2}


def test_names_are_told_once() -> None:
    """No name is in both lists."""
    assert len({*PROMPT, *OUTPUT}) == len(PROMPT) + len(OUTPUT)
