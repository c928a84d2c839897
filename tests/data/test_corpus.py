import hashlib

import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError, InputError
from counterpoise.data.corpus import Corpus

HEADER = "id,comment_text,toxic,severe_toxic,obscene,threat,insult,identity_hate\n"


@pytest.fixture
def jigsaw(tmp_path, monkeypatch):
    folder = tmp_path / "jigsaw"
    folder.mkdir()
    rows = 'a,"You\nfool",1,0,0,0,1,0\nb,Thanks,0,0,0,0,0,0\nc,Die,1,1,0,1,0,0\n'
    (folder / "train.csv").write_text(HEADER + rows)
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path))


def test_parts_of_jigsaw_by_name(jigsaw):
    assert Corpus.of("jigsaw:toxic").texts == ("You\nfool", "Die")
    assert list(Corpus.of("jigsaw:severe_toxic").blocks()) == [b"Die\n"]
    assert Corpus.of("jigsaw:toxic").name == "jigsaw:toxic"
    with pytest.raises(
        InputError, match=r"there is no label of Jigsaw's comments 'toxik'.*did you mean 'toxic'"
    ):
        Corpus.of("jigsaw:toxik")
    with pytest.raises(DataError, match="none that is labelled obscene"):
        Corpus.of("jigsaw:obscene")


def test_without_jigsaw_it_is_said_how_to_get_it(no_data):
    with pytest.raises(DataError, match=r"Jigsaw toxic comments.* is not at hand: log in at"):
        Corpus.of("jigsaw:toxic")


def test_the_table_of_the_thesis():
    """Barza 2023, table 4; combined is the mean of the three, to the last digit that is printed."""
    table = cp.data.jigsaw_thesis().set_index("corpus")
    assert table.loc["jigsaw:severe_toxic"].tolist() == [5.33, 3.80, 4.10, 4.41]
    means = table[["occupations", "benevolent", "hostile"]].mean(axis=1)
    assert means.tolist() == pytest.approx(table.combined.tolist(), abs=0.006)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match=r"cannot read .*missing.txt"):
        Corpus.of(tmp_path / "missing.txt")
    (tmp_path / "a.txt").write_text("He left.")
    with pytest.raises(InputError, match="there is no format 'docx'"):
        Corpus.of(tmp_path / "a.txt", format="docx")
    with pytest.raises(InputError, match="there is no way to treat errors 'ignore'"):
        Corpus.of(tmp_path / "a.txt", on_error="ignore")


def test_the_fingerprint_is_that_of_the_text():
    one, same, other = (Corpus.of(texts).fingerprint for texts in (["a", "b"], ["a", "b"], ["ab"]))
    assert one == same != other


def test_the_fingerprint_of_a_file_is_that_of_its_bytes(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("He left.\n")
    corpus = Corpus.of(path)
    assert corpus.fingerprint == hashlib.sha256(path.read_bytes()).hexdigest()
    assert corpus.resolved().fingerprint == corpus.fingerprint
    folder = Corpus.of(tmp_path)
    assert folder.fingerprint == hashlib.sha256(corpus.fingerprint.encode() + b"\0").hexdigest()


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_a_byte_order_mark_is_no_text(tmp_path, name):
    content = {"a.txt": "He left.", "a.csv": "text\nHe left.", "a.jsonl": '{"text": "He left."}'}
    (tmp_path / name).write_text(content[name] + "\n", encoding="utf-8-sig")
    corpus = Corpus.of(tmp_path / name)
    assert [text.strip() for text in corpus.documents()] == ["He left."]
    assert b"".join(corpus.blocks()) == b"He left.\n"


def test_neither_a_file_nor_a_dataset(tmp_path, monkeypatch):
    with pytest.raises(
        DataError, match=r"there is no file gapp, and no corpus of that name .*did you mean 'gap'"
    ):
        Corpus.of("gapp")
    with pytest.raises(InputError, match="a text must be a string, not int: one of them is 1"):
        Corpus.of([1])  # type: ignore[list-item]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gap").write_text("He left.\n")
    assert list(Corpus.of("./gap").documents()) == ["He left.\n"]  # a path, not a name
