import csv
import gzip
import io
import json
import lzma
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

from counterpoise.cli.main import run as run_line
from counterpoise.cli.swap import swap
from counterpoise.core.errors import CounterpoiseError, DataError, InputError, RunError

app = typer.Typer()
app.command()(swap)
runner = CliRunner()


def run(*arguments, **options):
    result = runner.invoke(app, [str(a) for a in arguments], catch_exceptions=False, **options)
    assert result.exit_code == 0, result.output
    return result


def fails(error, match, *arguments, out=None):
    with pytest.raises(error, match=match) as raised:
        runner.invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert isinstance(raised.value, CounterpoiseError)
    assert "\n" not in str(raised.value)
    if out is not None:
        assert not out.exists()
        assert not [p for p in out.parent.iterdir() if p.name.endswith(".part")]


def zstd(data):
    buffer = pa.BufferOutputStream()
    with pa.CompressedOutputStream(buffer, "zstd") as stream:
        stream.write(data)
    return buffer.getvalue().to_pybytes()


def unzstd(data):
    return pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()


def test_standard_input_to_standard_output():
    result = run("-", "--to", "flip", input="She left.\r\nno terms\nHe's here")
    assert result.stdout_bytes == b"He left.\r\nno terms\nShe's here"
    assert "3 documents, 2 changed" in result.stderr
    assert "2 edits: she -> he 1, he -> she 1" in result.stderr


def test_quiet():
    assert run("-", "--to", "flip", "-q", input="She").stderr == ""


@pytest.mark.parametrize(
    ("suffix", "pack", "unpack"),
    [
        ("", bytes, bytes),
        (".gz", gzip.compress, gzip.decompress),
        (".xz", lzma.compress, lzma.decompress),
        (".zst", zstd, unzstd),
    ],
)
def test_compressed_files(tmp_path, suffix, pack, unpack):
    source, out = tmp_path / f"a.txt{suffix}", tmp_path / f"b.txt{suffix}"
    source.write_bytes(pack("She left. é\n".encode() * 1000))
    run(source, "--to", "male", "-o", out)
    assert unpack(out.read_bytes()) == "He left. é\n".encode() * 1000


def test_csv_changes_only_what_it_must(tmp_path):
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    plain = '3,"It ""rains""",\'x\'\r\n'
    source.write_bytes(
        ('id,review,"more"\r\n1,She left,a\r\n' + plain + '2,"Her hat,\nand he",b\r\n').encode()
    )
    run(source, "--to", "flip", "--column", "review", "-o", out)
    text = out.read_bytes().decode()
    assert text.startswith('id,review,"more"\r\n1,He left,a\r\n' + plain)
    assert list(csv.reader(io.StringIO(text, newline="")))[3] == ["2", "His hat,\nand she", "b"]


def test_tsv_with_a_version_column_and_copies(tmp_path):
    source, out = tmp_path / "a.tsv", tmp_path / "b.tsv"
    source.write_text("text\tlabel\nHe left\tpos\n")
    run(source, "--to", "mix", "--version-column", "version", "-o", out)
    assert out.read_text() == "text\tlabel\tversion\nHe left\tpos\tmale\nShe left\tpos\tfemale\n"


def test_jsonl(tmp_path):
    source, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    rows = ['{"text":"She left","n":1}', '{"text":"It rains",   "n":2}', '{"text":null}', '"He"']
    source.write_text("\n".join(rows) + "\n")
    run(source, "--to", "male", "-o", out)
    lines = out.read_text().splitlines()
    assert json.loads(lines[0]) == {"text": "He left", "n": 1}
    assert lines[1:] == rows[1:]


def test_parquet_keeps_its_columns_and_types(tmp_path):
    source, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    table = pa.table({"n": pa.array([1, 2, 3], pa.int8()), "text": ["She left", None, "it"]})
    pq.write_table(table, source)
    run(source, "--to", "cda", "-o", out)
    swapped = pq.read_table(out)
    assert swapped.schema.equals(table.schema)
    assert swapped.to_pydict() == {
        "n": [1, 1, 2, 2, 3, 3],
        "text": ["She left", "He left", None, None, "it", "it"],
    }


def test_several_processes_give_the_same_bytes(tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("".join(f"He saw number {i} and told his mother.\n" for i in range(20_000)))
    outs = [tmp_path / "one.txt", tmp_path / "two.txt"]
    edits = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for out, log, processes in zip(outs, edits, (1, 2), strict=True):
        run(source, "--to", "cds", "--seed", 3, "-j", processes, "-o", out, "--edits", log)
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert edits[0].read_bytes() == edits[1].read_bytes()


def test_edits_are_an_audit_trail(tmp_path):
    source, log = tmp_path / "a.txt", tmp_path / "edits.csv"
    source.write_text("no\nsaw Her\n")
    run(source, "--to", "male", "-o", tmp_path / "b.txt", "--edits", log)
    assert log.read_text() == "document,version,start,end,old,new\n1,male,4,7,Her,Him\n"
    run(source, "--to", "male", "-o", tmp_path / "b.txt", "--edits", tmp_path / "edits.jsonl")
    row = {"document": 1, "version": "male", "start": 4, "end": 7, "old": "Her", "new": "Him"}
    assert json.loads((tmp_path / "edits.jsonl").read_text()) == row


def test_paragraphs_are_read_as_one():
    wrapped = "I lost her\nbook and saw\nher.\n\nShe left."
    assert run("-", "--to", "male", "--paragraphs", "-q", input=wrapped).stdout == (
        "I lost his\nbook and saw\nhim.\n\nHe left."
    )


def test_options_reach_the_swapper(tmp_path):
    mine = tmp_path / "mine.csv"
    mine.write_text("male,female\nwolf,sheep\n")
    assert run("-", "--to", "flip", "--terms", mine, "-q", input="a wolf").stdout == "a sheep"
    assert run("-", "--to", "flip", "--without", "count, host", "-q", input="count he").stdout == "count she"
    assert run("-", "--to", "flip", "--names", "-q", input="Mary left").stdout == "John left"
    guarded = run("-", "--to", "male", "--guard", input="She gave birth.")
    assert guarded.stdout == "She gave birth."
    assert "1 left alone" in guarded.stderr
    assert run("-", "--to", "male", "--variant", "published", "-q", input="a queen b").stdout == "a king b"


def test_another_encoding(tmp_path):
    source, out = tmp_path / "a.txt", tmp_path / "b.txt"
    source.write_bytes("fiancée é".encode("latin-1"))
    run(source, "--to", "male", "--encoding", "latin-1", "-o", out)
    assert out.read_bytes() == "fiancé é".encode("latin-1")


def test_skipping_broken_lines(tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_bytes(b'{"text": "She"}\n{"text": \n{"txt": "She"}\n\xff\n{"text": 3}\n{"text": "He"}\n')
    result = run(source, "--to", "male", "--on-error", "skip")
    assert [json.loads(line)["text"] for line in result.stdout.splitlines()] == ["He", "He"]
    assert "4 broken lines skipped" in result.stderr
    (tmp_path / "a.csv").write_bytes(b'id,text\n1,She\n2\n3,"x"y\n4,Her\n')
    result = run(tmp_path / "a.csv", "--to", "male", "--on-error", "skip")
    assert result.stdout == "id,text\n1,He\n4,Him\n"
    assert "2 broken lines skipped" in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "error", "match"),
    [
        ("a.txt", b"", DataError, "a.txt is empty"),
        ("a.txt", b"PK\x03\x04\x00\x00", DataError, "looks like a binary file .a zero byte at 4."),
        ("a.txt", b"ok\nsh\xe9\n", DataError, r"not utf-8 at byte 5 \(line 2, byte 0xe9\).*--encoding"),
        ("a.csv", b"id,review\n1,She\n", InputError, "no column 'text' .it has: id, review."),
        ("a.csv", b"id,txt\n1,She\n", InputError, "did you mean 'txt'"),
        ("a.csv", b"id,text\n1,She\n2\n", DataError, "line 3: 1 fields where the header has 2"),
        ("a.csv", b'id,text\n1,"She\n', DataError, "broken row"),
        ("a.jsonl", b'{"text": "She"}\n{"text":\n', DataError, "a.jsonl, line 2: broken JSON"),
        (
            "a.jsonl",
            b'{"txt": "She"}\n',
            DataError,
            "line 1: there is no field 'text' .there are: txt..*mean 'txt'",
        ),
        ("a.jsonl", b'{"text": 3}\n', DataError, "line 1: the text is 3, not a string"),
        ("a.parquet", b"no parquet", DataError, "a.parquet is not a Parquet file"),
        ("a.txt.gz", b"no gzip", DataError, "a.txt.gz is damaged after line 0"),
        (
            "a.txt.gz",
            gzip.compress(b"She\n" * 9999, mtime=0)[:40],
            DataError,
            "a.txt.gz is damaged after line",
        ),
        ("a.txt.xz", b"no xz", DataError, "a.txt.xz is damaged after line 0"),
        ("a.txt.zst", b"no zst", DataError, "a.txt.zst is damaged after line 0"),
    ],
)
def test_bad_input_is_one_clear_line_and_leaves_no_output(tmp_path, name, content, error, match):
    source = tmp_path / name
    source.write_bytes(content)
    out = tmp_path / f"out.{name.split('.', 1)[1]}"
    fails(error, match, source, "--to", "flip", "-o", out, "--edits", tmp_path / "e.csv", out=out)
    assert not (tmp_path / "e.csv").exists()


@pytest.mark.slow
def test_an_output_that_was_there_survives_a_failure(tmp_path):
    source, out = tmp_path / "a.txt", tmp_path / "b.txt"
    source.write_bytes(b"she\n" * 200_000 + b"\xff")
    out.write_text("precious")
    fails(DataError, "not utf-8 at byte 800000", source, "--to", "flip", "-o", out, "-j", 2)
    assert out.read_text() == "precious"


def test_wrong_options(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("text\nshe\n")
    fails(InputError, "there is no method 'mael'", source, "--to", "mael")
    fails(InputError, "there is no set of terms 'al'", source, "--to", "male", "--terms", "al")
    fails(InputError, "there is no format 'xls'", source, "--to", "male", "--format", "xls")
    fails(InputError, "there is no encoding 'utf-9'", source, "--to", "male", "--encoding", "utf-9")
    fails(InputError, "there is no variant 'paper'", source, "--to", "male", "--variant", "paper")
    fails(InputError, "it has no flip", source, "--to", "flip", "--variant", "published")
    fails(InputError, "in the format of the input, csv", source, "--to", "male", "-o", tmp_path / "b.jsonl")
    fails(InputError, "is the input; write to another file", source, "--to", "male", "-o", source)
    fails(InputError, "cannot be read from standard input", "-", "--to", "male", "--format", "parquet")
    fails(DataError, "cannot read .*missing.txt: No such file", tmp_path / "missing.txt", "--to", "male")
    fails(InputError, "written to a folder; name one with -o", tmp_path, "--to", "male")
    fails(CounterpoiseError, "cannot write", source, "--to", "male", "-o", tmp_path / "no" / "b.csv")


def test_help_shows_the_examples():
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    assert "counterpoise swap reviews.csv" in result.output


@pytest.fixture
def folder_of_files(tmp_path):
    """Files in two formats, one of them in a folder below, and one that is no text."""
    source = tmp_path / "in"
    (source / "deep").mkdir(parents=True)
    for number in range(4):
        (source / f"{number}.txt").write_text("".join(f"She has hat {n}.\n" for n in range(number + 3)))
    (source / "deep" / "a.csv").write_text("id,text\n1,He left\n")
    (source / "notes.pdf").write_bytes(b"\0")
    return source


@pytest.mark.parametrize("processes", [1, 2])
def test_a_folder_is_as_its_files_one_by_one(tmp_path, folder_of_files, processes):
    result = run(folder_of_files, "--to", "cds", "--seed", 3, "-j", processes, "-o", tmp_path / "out")
    assert "19 documents" in result.stderr
    written = sorted(path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.*"))
    assert [str(path) for path in written] == ["0.txt", "1.txt", "2.txt", "3.txt", "deep/a.csv"]
    for path in written:
        alone = tmp_path / f"alone{path.suffix}"
        run(folder_of_files / path, "--to", "cds", "--seed", 3, "-o", alone)
        assert (tmp_path / "out" / path).read_bytes() == alone.read_bytes()


def test_several_files_by_name(tmp_path, folder_of_files):
    run(folder_of_files / "0.txt", folder_of_files / "deep", "--to", "male", "-o", tmp_path / "out")
    assert (tmp_path / "out" / "0.txt").read_text().startswith("He has hat 0.")
    assert (tmp_path / "out" / "a.csv").read_text() == "id,text\n1,He left\n"


def test_mistakes_with_several_files(tmp_path, folder_of_files):
    one, out = folder_of_files / "0.txt", tmp_path / "out"
    fails(InputError, "written to a folder", folder_of_files, "--to", "flip")
    fails(InputError, "written to a folder", one, "-", "--to", "flip", "-o", out)
    fails(
        InputError, "--edits is for one file", folder_of_files, "--to", "flip", "-o", out, "--edits", "e.csv"
    )
    fails(InputError, "lies in", folder_of_files, "--to", "flip", "-o", folder_of_files / "out")
    fails(InputError, "two files 0.txt", folder_of_files, one, "--to", "flip", "-o", out)
    fails(InputError, "for folders and lists", one, "--to", "flip", "-o", out, "--engine", "ray")
    fails(
        InputError, "there is no engine 'rai'", folder_of_files, "--to", "flip", "-o", out, "--engine", "rai"
    )
    fails(InputError, "add --engine ray", folder_of_files, "--to", "flip", "-o", out, "--address", "a:1")
    (tmp_path / "empty").mkdir()
    fails(DataError, "has no file of texts", tmp_path / "empty", "--to", "flip", "-o", out)


def test_other_pronouns_and_what_is_left_alone():
    result = run("-", "--to", "they", input="She walks her dog, doesn't she?\nHe and she left.")
    assert result.stdout == "They walk their dog, don't they?\nHe and she left."
    assert "1 sentence left alone: pronouns or verbs that can be read in two ways" in result.stderr
    assert run("-", "--to", "xe", "-q", input="She walks her dog.").stdout == "Xe walks xyr dog."


def test_neutral():
    result = run("-", "--to", "neutral", "-q", input="A waitress saw her mother and father with Mrs Hill.")
    assert result.stdout == "A server saw their parents with Mx Hill."


def test_pronouns_of_ones_own_and_mistakes_in_them(tmp_path):
    mine = tmp_path / "ae.yaml"
    mine.write_text(
        "subject: ae\nobject: aer\ndeterminer: aer\npossessive: aers\nreflexive: aerself\nplural: false\n"
    )
    log = tmp_path / "edits.csv"
    run("-", "--to", mine, "-o", tmp_path / "out.txt", "--edits", log, input="She hurt herself.")
    assert log.read_text().splitlines()[1:] == ["0,ae,0,3,She,Ae", "0,ae,9,16,herself,aerself"]
    mine.write_text("subject: ae")
    text = tmp_path / "text.txt"
    text.write_text("She left.")
    fails(InputError, "ae.yaml: no object", text, "--to", mine)
    fails(InputError, "did you mean 'they'", text, "--to", "thye")
    fails(InputError, "first names have no they version", text, "--to", "they", "--names")
    fails(InputError, "it has no they", text, "--to", "they", "--variant", "published")


def test_only_ordinary_files_are_written_to(tmp_path):
    """A renamed file would remove a device or a pipe, and whatever a link stands for."""
    source = tmp_path / "a.txt"
    source.write_text("She left.\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "other.txt").write_text("other")
    (tmp_path / "link").symlink_to("other.txt")
    (tmp_path / "device").symlink_to(os.devnull)
    (tmp_path / "folder").mkdir()
    before = {path.name: path.lstat().st_mode for path in tmp_path.iterdir()}
    for name, why in (
        ("pipe", "is not an ordinary file; - is standard output"),
        ("link", "is a symbolic link; name an ordinary file; - is standard output"),
        ("device", "is a symbolic link"),
        ("folder", "is a folder; name a file"),
    ):
        place = tmp_path / name
        fails(RunError, rf"^cannot write {place}: it {why}", source, "--to", "male", "-o", place)
        fails(RunError, f"it {why}", source, "--to", "male", "-o", tmp_path / "b.txt", "--edits", place)
    assert {path.name: path.lstat().st_mode for path in tmp_path.iterdir()} == before
    assert (tmp_path / "other.txt").read_text() == "other"


@pytest.mark.parametrize(
    ("stream", "arguments", "message"),
    [
        ("stdin", ["swap", "-", "--to", "male"], "standard input is closed; name a file"),
        ("stdin", ["corpus", "-"], "standard input is closed; name a file"),
        ("stdout", ["swap", "a.txt", "--to", "male"], "standard output is closed; name a file to write to"),
    ],
)
def test_a_closed_stream_is_one_line(stream, arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("She left.\n")
    monkeypatch.setattr(sys, stream, None)
    assert run_line(arguments) == 2
    assert capsys.readouterr().err == f"counterpoise: {message}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_of_two_columns_of_one_name_none_is_chosen(tmp_path):
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("a,a,text\nshe,she,she\n")
    fails(InputError, "has several columns called 'a'", source, "--to", "male", "--column", "a", "-o", out)
    run(source, "--to", "male", "-o", out)
    assert out.read_text() == "a,a,text\nshe,she,he\n"
