import re
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from counterpoise.text import matching

letters = st.text("abcé ", min_size=1, max_size=6).map(lambda w: " ".join(w.split())).filter(bool)


@given(st.sets(letters, min_size=1, max_size=20), st.text("abcé -'_.", max_size=60))
def test_the_tree_finds_what_an_alternation_of_the_words_finds(words, text):
    longest_first = sorted(words, key=len, reverse=True)
    forms = [re.escape(w).replace(r"\ ", r"\s+") for w in longest_first]
    plain = re.compile(r"(?<![^\W_])(?:" + "|".join(forms) + r")(?![^\W_])")
    ours = [m.span() for m in matching.pattern(words).finditer(text)]
    theirs = [m.span() for m in plain.finditer(text)]
    # both start at the same places; the tree prefers more characters, the alternation longer words
    assert ours == theirs


def test_no_words_find_nothing():
    assert matching.pattern([]).search("anything") is None


def test_lower_keeps_every_character_at_its_place():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        assert len(matching.lower(character)) == 1
    assert matching.lower("İSHE") == "İshe"


def test_accents_are_found_composed_and_decomposed():
    found = matching.pattern(["fiancée", "fiance"])
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, "ma fiancée!")
        [match] = found.finditer(text)
        assert matching.key(match[0]) == "fiancée"


def test_case():
    assert matching.match_case("her", "his") == "his"
    assert matching.match_case("Her", "his") == "His"
    assert matching.match_case("HER", "his") == "HIS"
    assert matching.match_case("Best Man", "maid of honor") == "Maid of honor"
    assert matching.match_case("mein Bruder", "meine schwester") == "meine Schwester"
    assert matching.match_case("hEr", "his") == "his"
