"""A card merged into one that is there: what is not ours stays to the character."""

from __future__ import annotations

import pytest
import yaml

from counterpoise.core.errors import DataError
from counterpoise.report.card import BEGIN, END
from counterpoise.report.card_merging import merge_card

SECTION = f"{BEGIN}\n## Ours\n{END}"
METRIC = {"type": "ppd", "value": 0.5, "args": {"counterpoise": "1"}}
OURS = {"task": {"type": "other"}, "dataset": {"type": "x", "name": "x"}, "metrics": [METRIC]}
INDEX = [{"name": "ours", "results": [OURS]}]
OTHER = {
    "task": {"type": "other"},
    "dataset": {"type": "y", "name": "y"},
    "metrics": [{"type": "f1", "value": 1}],
}


def metadata(card):
    return yaml.safe_load(card.replace("\r\n", "\n").split("---\n")[1])


@pytest.mark.parametrize(
    "card",
    [
        "",
        "Text without an end of line",
        "---\n---\nText\n",
        "---\nlicense: mit\n---",
        "\ufeff---\nlicense: mit # why\n\n---\nText\n",
        "---\r\nlicense: mit\r\n---\r\nText\r\n",
        "---\nmodel-index: []  # none yet\nlicense: mit\n---\n",
        "---\nlicense: mit\nmodel-index:\n---\n",
        "---\nmodel-index:\n  - name: n\n    results: [{task: {}, metrics: [{value: 1}]}]\n  # end\n\n# c\na: 1\n---\n",
        "# Title\n\n---\n\nA rule is no metadata.\n",
    ],
)
def test_merging_twice_is_merging_once_and_nothing_is_lost(card):
    merged = merge_card(card, SECTION, INDEX)
    assert merge_card(merged, SECTION, INDEX) == merged
    assert metadata(merged)["model-index"][0]["results"][-1] == OURS
    kept = [
        line
        for line in card.splitlines()
        if not line.lstrip("- ").startswith(("model-index", "name", "results"))
    ]
    kept = [line for line in kept if "task" not in line]
    position = 0
    for line in kept:  # every other line, in its order
        position = merged.index(line, position) + len(line)
    assert ("\r\n" in card) == ("\r\n" in merged)
    assert "\n" not in merged.replace("\r\n", "") or "\r\n" not in card


def test_our_earlier_results_and_section_are_replaced_and_only_they():
    first = merge_card("---\na: 1\n---\nBefore.\n", SECTION, [{"name": "n", "results": [OTHER, OURS]}])
    mixed = {**OURS, "metrics": [METRIC, {"type": "theirs", "value": 2}]}
    first = first.replace(yaml.safe_dump(OURS, sort_keys=False), "")
    again = merge_card(
        first + "After.\n", SECTION.replace("Ours", "Newer"), [{"name": "n", "results": [mixed]}]
    )
    assert again.split("---\n", 2)[2] == f"Before.\n\n{SECTION.replace('Ours', 'Newer')}\nAfter.\n"
    assert metadata(again)["model-index"][0]["results"] == [OTHER, mixed]
    gone = merge_card(again, SECTION, [])
    assert metadata(gone)["model-index"][0]["results"] == [OTHER, {**mixed, "metrics": mixed["metrics"][1:]}]
    assert "model-index" not in merge_card(merge_card("", SECTION, INDEX), SECTION, [])


@pytest.mark.parametrize(
    "card",
    [
        "---\n{a: 1}\n---\n",  # in braces: nothing can be added below
        "---\nmodel-index: &x\n- name: n\n  results: [{metrics: [{value: 1}]}]\nother: *x\n---\n",
        "---\nmodel-index: text\n---\n",
        "---\n- a\n---\n",
        "---\na: [\n---\n",
        f"{END} {BEGIN}",
        f"{BEGIN}{BEGIN}{END}",
    ],
)
def test_what_cannot_be_merged_is_refused(card):
    with pytest.raises(DataError):
        merge_card(card, SECTION, INDEX)
