import json

import pandas as pd
import pytest

from counterpoise.core.errors import InputError
from counterpoise.text import clean
from counterpoise.text.edits import apply
from counterpoise.text.published import PublishedTerms
from counterpoise.text.swap import Swapper

AUTHORS = {
    "term_dict": {"boy": "girl", "bloke": "girl", "gentleman": "lady", "lord": "lady"},
    "pron_dict": {"he": "she", "him": "her", "his": "her"},
    "weat_dict": {"him": "her", "his": "hers"},
    "only_f2m": {"gentleman": "damsel"},
    "only_m2f": {"beard": "hair"},
    "only_cover": ["womb"],
}


@pytest.fixture
def authors(tmp_path):
    path = tmp_path / "term_lists.json"
    path.write_text(json.dumps(AUTHORS))
    return path


def test_what_their_code_did(authors):
    swapper = Swapper(authors, variant="published")
    assert (
        swapper.swap("her cat saw her and a girl", "male") == "her cat saw his and a girl"
    )  # first and last missed
    assert (
        swapper.swap("a girl girl left", "male") == "a bloke girl left"
    )  # last pair wins, second neighbour missed
    assert swapper.swap("the lady and a damsel left", "male") == "the lord and a gentleman left"
    assert swapper.swap("a gentleman with a beard left", "female") == "a lady with a hair left"
    assert swapper.swap("in the womb he sat", "remove") == "in the sat"


def test_their_weat_set_makes_her_him(authors):
    swapper = Swapper(f"{authors}#weat", variant="published")
    assert swapper.swap("saw her book and his hat", "male") == "saw him book and his hat"
    assert swapper.swap("saw her book and his hat", "female") == "saw her book and hers hat"


def test_edits_give_the_swap(authors):
    swapper = Swapper(authors, variant="published")
    text = "and he saw a girl  with a beard and the boy he knew"
    for to in ("male", "female", "remove"):
        assert apply(text, swapper.edits(text, to)) == swapper.swap(text, to)


def test_there_is_no_flip(authors):
    with pytest.raises(InputError, match="it has no flip"):
        Swapper(authors, variant="published").swap("a", "flip")


# Jentzsch & Turan's own lists on the 25,000 IMDB test reviews: derived from their code, not printed.
WITHOUT_ANY_TERM = {"pro": 8654, "weat": 6667, "all": 4221}


@pytest.mark.parametrize("name", ["pro", "weat", pytest.param("all", marks=pytest.mark.slow)])
def test_reviews_without_any_term(data_file, reviews, name):
    terms = PublishedTerms.of(f"{data_file('jentzsch-turan/term_lists.json')}#{name}")
    if name == "all":
        assert (len(terms.to_female), len(terms.to_male), len(terms.removed)) == (341, 341, 685)
    assert sum(terms.swap(review, "remove") == review for review in reviews) == WITHOUT_ANY_TERM[name]


@pytest.fixture(scope="module")
def reviews(data_file):
    table = pd.read_csv(data_file("imdb/imdb_50k_labelled.csv.xz"))
    return [clean(review) for review in table.loc[table["split"] == "test", "review"]]
