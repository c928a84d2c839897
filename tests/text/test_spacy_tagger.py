import importlib.util

import pytest

from counterpoise.core.errors import InputError
from counterpoise.text.swap import Swapper

HAS_SPACY = importlib.util.find_spec("spacy") is not None


@pytest.mark.skipif(HAS_SPACY, reason="needs no spaCy")
def test_without_spacy_one_clear_line():
    with pytest.raises(InputError, match="spaCy is not installed"):
        Swapper(pronouns="en_core_web_sm")


@pytest.mark.skipif(not HAS_SPACY, reason="needs spaCy")
def test_with_spacy():
    try:
        swapper = Swapper("pro", pronouns="en_core_web_sm")
    except InputError as error:
        pytest.skip(f"needs spaCy: {error}")
    assert swapper.swap("Her cat saw her.", "male") == "His cat saw him."
