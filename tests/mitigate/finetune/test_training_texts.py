"""What is trained on: swapped as the method says, with the text that each was made from beside it."""

from __future__ import annotations

import gzip
import json

import pytest

from counterpoise.core.errors import DataError, InputError
from counterpoise.data.corpus import Corpus
from counterpoise.mitigate.finetune.recipes import RECIPES, Recipe, preset_recipe
from counterpoise.mitigate.finetune.training_texts import neutral_sentences, swap_texts, training_corpus
from counterpoise.text.versions import coin

CORPUS = Corpus("mine", tuple(f"He left, and John saw {i} trains." for i in range(40)))


def test_methods():
    flipped = swap_texts(CORPUS, Recipe(method="flip"))
    assert flipped.texts[0] == "She left, and John saw 0 trains."
    assert flipped.changed == 40
    both = swap_texts(CORPUS, Recipe(method="cda"))
    assert both.texts[:2] == (CORPUS.texts[0], flipped.texts[0])
    assert both.originals[:2] == (CORPUS.texts[0],) * 2
    some = swap_texts(CORPUS, Recipe(method="cds"), seed=1)
    assert set(some.texts) <= {*CORPUS.texts, *flipped.texts}
    assert 8 < some.changed < 32
    assert (
        some
        == swap_texts(CORPUS, Recipe(method="cds"), seed=1)
        != swap_texts(CORPUS, Recipe(method="cds"), seed=2)
    )
    nothing = swap_texts(CORPUS, Recipe(method="none"))
    assert nothing.texts == nothing.originals == CORPUS.texts
    assert "John" not in swap_texts(CORPUS, Recipe(method="flip", names=True)).texts[0]


def test_the_guard():
    absurd = Corpus("mine", ("She gave birth.", *["He left."] * 20))
    treated = swap_texts(absurd, Recipe(method="flip", guard=True))
    assert treated.texts[:2] == ("She gave birth.", "She left.")
    assert treated.guarded == 1


def test_the_authors_text(data_file):
    data_file("bec-pro/gap_flipped.tsv.xz")
    gap = Corpus("gap", ("He left.",) * 20)
    assert len(swap_texts(gap, RECIPES["published"]).texts) == 4454


def test_presets():
    """The differences between the paper and the authors' code, each by itself."""
    paper, published = RECIPES["paper"], RECIPES["published"]
    assert (paper.settings.learning_rate, published.settings.learning_rate) == (5e-5, 2e-5)
    assert paper.settings.batch_size == published.settings.batch_size == 1
    assert paper.settings.weight_decay == published.settings.weight_decay == 0.0
    assert paper.settings.precision == published.settings.precision == "float32"
    assert paper.settings.warmup > 0 == published.settings.warmup
    assert (paper.method, published.method) == ("cds", "flip")
    assert paper.settings.epochs == published.settings.epochs == 3
    assert published.masking.attended_padding
    assert not paper.masking.attended_padding
    with pytest.raises(InputError, match=r"there is no preset 'papr'.*did you mean 'paper'"):
        preset_recipe("papr")
    with pytest.raises(InputError, match="there is no method 'mix'"):
        Recipe(method="mix")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("texts", "method", "message"),
    [
        (("He left.",) * 3, "cds", "the corpus mine has 3 sentences"),
        (("It rains.",) * 30, "flip", "no text of the corpus mine has a gendered word"),
        ((" ".join(["He left."] * 30),), "cds", "the coin of cds leaves every text"),
    ],
)
def test_nothing_to_swap(texts, method, message):
    seed = next(seed for seed in range(20) if not coin(seed, 0))
    with pytest.raises(DataError, match=message):
        swap_texts(Corpus("mine", texts), Recipe(method=method), seed=seed)


TEXTS = ["He left.", "She stayed. It rains."]


def test_files(tmp_path):
    (tmp_path / "mine.txt").write_text("He left.\n\nShe stayed. It rains.\n")
    (tmp_path / "mine.csv").write_text('id,review\n1,He left.\n2,"She stayed. It rains."\n')
    with gzip.open(tmp_path / "mine.jsonl.gz", "wt") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in TEXTS)
    for name, column in [("mine.txt", "text"), ("mine.csv", "review"), ("mine.jsonl.gz", "text")]:
        corpus = training_corpus(tmp_path / name, column)
        assert corpus.texts == tuple(TEXTS) == training_corpus(TEXTS).texts
        assert corpus.name == name
        assert corpus.count_sentences() == 3
    assert training_corpus(Corpus.of(tmp_path / "mine.txt")).texts == tuple(TEXTS)
    assert training_corpus(TEXTS).name == "own"


def test_neutral_sentences():
    corpus = Corpus("mine", tuple(f"The train {i} is late. He left the train {i}." for i in range(30)))
    found = neutral_sentences(corpus, 10, seed=1)
    assert len(found) == 10
    assert not any("He" in sentence for sentence in found)
    assert found == neutral_sentences(corpus, 10, seed=1) != neutral_sentences(corpus, 10, seed=2)
    with pytest.raises(DataError, match="mine has no sentence without a gendered word"):
        neutral_sentences(Corpus("mine", ("He left.",)), 10, seed=0)


def test_bad_input(tmp_path):
    (tmp_path / "empty.txt").touch()
    (tmp_path / "blank.txt").write_text("\n  \n")
    for source, message in [
        (tmp_path / "empty.txt", "empty.txt is empty"),
        (tmp_path / "blank.txt", "blank.txt has no text"),
        ([], "the corpus has no text"),
        ("gapp", "no corpus of that name .*did you mean 'gap'"),
    ]:
        with pytest.raises(DataError, match=message):
            training_corpus(source)
    with pytest.raises(InputError, match="a text must be a string, not int"):
        training_corpus([1])  # type: ignore[list-item]
