"""Rules as people write them, typed and in YAML."""

from __future__ import annotations

import pytest

from counterpoise.audit.gate.rule_files import collect_rules, read_rules
from counterpoise.audit.gate.rules import Rule
from counterpoise.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("lpbs.spearman <= 0.3", Rule("lpbs", "spearman", "<=", 0.3)),
        ("ppd.appd.word.truck_driver>-1e-2", Rule("ppd", "appd.word.truck_driver", ">", -0.01)),
        ("abs(ppd.appd) < .1", Rule("ppd", "appd", "<", 0.1, absolute=True)),
        ("abs(sld.share - 50) <= 5", Rule("sld", "share", "<=", 5, absolute=True, center=50)),
        ("abs(sld.share + 2) >= +5", Rule("sld", "share", ">=", 5, absolute=True, center=-2)),
        ("change( ppd.appd ) <= 0", Rule("ppd", "appd", "<=", 0, change=True)),
        ("change(abs(a.b - 1)) < 2", Rule("a", "b", "<", 2, absolute=True, center=1, change=True)),
        (
            "lpbs.word.krankenpflegerin_für_kinder <= 1",
            Rule("lpbs", "word.krankenpflegerin_für_kinder", "<=", 1),
        ),
    ],
)
def test_parse_and_write_back(text, rule):
    assert Rule.parse(text) == rule
    assert Rule.parse(str(rule)) == rule


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ppd <= 0.3",
        "ppd.appd",
        "ppd.appd == 0.3",
        "ppd.appd <= nan",
        "ppd.appd <= 0.3 0.4",
        "ppd.appd - 50 <= 5",
        "abs(change(ppd.appd)) <= 1",
        "change(ppd.appd <= 1",
        "change(abs(ppd.appd) <= 1",
        "0.3 >= ppd.appd",
        "__import__('os').x <= 1",
        "ppd.appd <= 1e999",
    ],
)
def test_what_is_no_rule_is_said_in_one_line(text):
    with pytest.raises(InputError, match="is no rule") as error:
        Rule.parse(text)
    assert "\n" not in str(error.value)


def test_a_file_by_measure_and_key(tmp_path):
    path = tmp_path / "gate.yaml"
    path.write_text(
        "baseline: runs/main\nmargin: 0.02\nstrict: true\nrules:\n"
        "  ppd:\n    appd: [x <= 0.5, abs(x) <= 0.6]\n    p_neutral: '>= 0.01'\n"
        "  sld:\n    share_stereotyped.about_men: abs(x - 50) <= 10\n"
    )
    file = read_rules(path)
    assert [str(rule) for rule in file.rules] == [
        "ppd.appd <= 0.5",
        "abs(ppd.appd) <= 0.6",
        "ppd.p_neutral >= 0.01",
        "abs(sld.share_stereotyped.about_men - 50) <= 10",
    ]
    assert (file.baseline, file.margin, file.strict) == (tmp_path / "runs" / "main", 0.02, True)
    both = collect_rules(["lpbs.spearman <= 0.3"], path)
    assert [str(rule) for rule in both.rules][-1] == "lpbs.spearman <= 0.3"
    assert both.strict


def test_a_file_with_a_list(tmp_path):
    path = tmp_path / "gate.yaml"
    path.write_text("rules:\n  - lpbs.spearman <= 0.3\n  - abs(ppd.appd) <= 0.1\n")
    assert [rule.key for rule in read_rules(path).rules] == ["spearman", "appd"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have an entry `rules`"),
        ("- a.b <= 1", "must have an entry `rules`"),
        ("margin: 1", "has no entry `rules`"),
        ("rules: []", "has no rules"),
        ("rules: {}", "has no rules"),
        ("rules: [1]", "must be a rule or a condition such as 'x <= 0.3', not 1"),
        (
            "rules: {ppd: {appd: 0.3}}",
            "rules.ppd.appd must be a rule or a condition such as 'x <= 0.3', not 0.3",
        ),
        ("rules: {ppd: x <= 0.3}", "rules.ppd must be a rule or a condition"),
        ("rules: {ppd: {appd: y <= 0.3}}", "write it with an x for the row"),
        ("rules: {ppd: {appd: x = 0.3}}", "'ppd.appd = 0.3' is no rule"),
        (
            "rules: [a.b <= 1]\nmargins: 2",
            "margins is not known; a file of rules has rules, baseline, margin, strict",
        ),
        ("rules: [a.b <= 1]\nmargin: -2", "margin should be greater than or equal to 0, not -2"),
        ("rules: [a.b <= 1]\nstrict: 2", "strict should be a valid boolean, not 2"),
        ("rules: [a.b <= 1", "is not YAML"),
    ],
)
def test_mistakes_in_a_file_are_one_line_with_its_name(text, message, tmp_path):
    path = tmp_path / "gate.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_rules(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    with pytest.raises(InputError, match="cannot read"):
        read_rules(tmp_path / "nothing.yaml")
