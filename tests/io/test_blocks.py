import gzip
import io

import pytest

from counterpoise.core.errors import DataError, InputError
from counterpoise.io.blocks import BLOCK_BYTES, fold, read_blocks, text_blocks
from counterpoise.io.record_types import RecordOptions


def blocks(data: bytes, path: str = "a.txt", **options) -> list[bytes]:
    return list(read_blocks(RecordOptions(path, **options), io.BytesIO(data)))


def test_plain_text_comes_as_it_is_in_blocks_that_end_with_a_line():
    lines = [b"line %d of a text\n" % n for n in range(150_000)]
    found = blocks(b"".join(lines))
    assert len(found) > 1
    assert b"".join(found) == b"".join(lines)
    assert all(block.endswith(b"\n") for block in found)
    assert max(map(len, found)) < BLOCK_BYTES + 100


def test_signs_beyond_ascii_end_words_and_letters_become_small():
    assert fold("Ärzte—und „Frauen“ …").decode() == "ärzte und  Frauen  ."
    assert fold("ΟΔΟΣ İx").decode() == "οδος i̇x"


def test_all_formats_give_a_document_a_line():
    wanted = [b"He left.\nShe  stayed.\n"]
    assert blocks(b'id,text\n1,He left.\n2,"She \n stayed."\n', "a.csv") == [b"He left.\nShe   stayed.\n"]
    assert blocks(b'{"text": "He left."}\n{"text": "She  stayed."}\n', "a.jsonl") == wanted
    assert blocks(b"He\nleft.\n\nShe\nstayed.\n", paragraphs=True) == [b"He left. \nShe stayed. \n"]
    assert list(text_blocks(["He left.", "She\r\n\nstayed."])) == [b"He left.\nShe stayed.\n"]


def test_other_encodings():
    assert blocks("Élodie\n".encode("latin-1"), encoding="latin-1") == ["élodie\n".encode()]
    assert blocks(b"\xef\xbb\xbfHe\n") == [b"He\n"]


def test_a_wrong_encoding_is_named_with_its_line_or_skipped():
    data = b"good\nbad \xe9\nfine \xc3\xa9\n"
    with pytest.raises(DataError, match=r"a.txt: not utf-8 at byte 9 \(line 2, byte 0xe9\)"):
        blocks(data)
    options = RecordOptions("a.txt", on_error="skip")
    assert list(read_blocks(options, io.BytesIO(data))) == ["good\nfine é\n".encode()]
    assert options.broken == 1


@pytest.mark.parametrize(
    ("data", "path", "error", "message"),
    [
        (b"", "a.txt", DataError, "a.txt is empty"),
        (b"", "-", DataError, "standard input is empty"),
        (b"ab\0c", "a.txt", DataError, "a.txt looks like a binary file"),
        (b"a,b\n1,2\n", "a.csv", InputError, "a.csv has no column 'text'"),
    ],
)
def test_bad_files_are_one_line(data, path, error, message):
    with pytest.raises(error, match=message) as raised:
        blocks(data, path)
    assert "\n" not in str(raised.value)


def test_a_damaged_archive_is_one_line():
    packed = gzip.compress(b"He left.\n" * 100_000)[:-200]
    with pytest.raises(DataError, match=r"a.txt.gz is damaged after line"):
        list(read_blocks(RecordOptions("a.txt.gz"), gzip.GzipFile(fileobj=io.BytesIO(packed))))
