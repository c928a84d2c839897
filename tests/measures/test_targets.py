from __future__ import annotations

from counterpoise.measures.targets import target_problems


def test_the_text_comes_first_then_the_words(builtin):
    texts = ["[MASK] is here.", "", "[MASK] is " + "very " * 600 + "late.", "[MASK] is here."]
    found = target_problems(builtin, texts, [["he", "she"], ["he", "ꙮ"], ["he", "she"], ["ꙮ", "she"]])
    assert found[0] is None
    assert found[1] == "the text is empty"
    assert "the model takes 512" in found[2]
    assert found[3] == "'ꙮ' is not in the vocabulary"
