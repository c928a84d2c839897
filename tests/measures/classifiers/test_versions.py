"""Any set of versions, and names by gender and group: planted biases are found by sentiment and perturbation."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats as scipy_stats

import counterpoise as cp
from counterpoise.audit.run import Run
from counterpoise.core.errors import DataError, InputError
from counterpoise.data import NamesTable
from counterpoise.models import Classifier
from counterpoise.report.html import extreme_items
from counterpoise.report.verdicts import verdicts
from counterpoise.text import Swapper
from counterpoise.web.item_views import item_view

FIRST = ["I saw the actor in town and", "Then, on Monday,", "The waiter was new, and", "In June", "So"]
SECOND = [
    "was late.",
    "sings and dances.",
    "lost a hat.",
    "is proud.",
    "walked home with the mother of a friend.",
]
TEXTS = [f"{one} {who} {two}" for one in FIRST for two in SECOND for who in ("he", "she")]
LABELS = ["good" if "proud" in text else "bad" for text in TEXTS]


def noise(text):
    """At most .008, by the length of a text: no version has more of it than another but by chance."""
    return 0.01 * ((len(text) * 7) % 5) / 5


def towards_they(texts):
    """.2 more for they, .05 more for he."""
    return [
        0.4 + 0.2 * bool(re.search(r"\bthey\b", text)) + 0.05 * bool(re.search(r"\bhe\b", text)) + noise(text)
        for text in texts
    ]


def rows_of(result):
    return result.summary.set_index("key")


@pytest.fixture(scope="module")
def measured():
    return cp.measures.sentiment(
        Classifier.of(towards_they), TEXTS, versions=["male", "female", "they", "xe"]
    )


def test_every_number_against_the_texts_rated_one_by_one(measured):
    swapper, rows = Swapper("all"), rows_of(measured)
    by_hand = {
        to: np.array(towards_they([swapper.swap(text, to) for text in TEXTS]))
        for to in ("male", "female", "they", "xe")
    }
    for version, ratings in by_hand.items():
        assert rows.value[f"version_mean.{version}"] == pytest.approx(ratings.mean())
    they_female = scipy_stats.ttest_rel(by_hand["female"], by_hand["they"]).confidence_interval()
    row = rows.loc["version_difference.female_they"]
    assert [row.ci_low, row.ci_high] == pytest.approx([they_female.low, they_female.high])
    assert row.p_value == pytest.approx(
        scipy_stats.wilcoxon(by_hand["female"], by_hand["they"]).pvalue, rel=1e-9
    )
    means = {version: ratings.mean() for version, ratings in by_hand.items()}
    assert rows.value["largest_gap"] == pytest.approx(max(means.values()) - min(means.values()))
    assert rows.value["largest_gap"] == pytest.approx(0.2, abs=0.01)
    assert (rows[rows.index.str.startswith("version_difference")].p_value.notna()).sum() == 6


def test_the_largest_gap_is_the_headline_and_says_between_which(measured):
    assert measured.headline.key == "largest_gap"
    assert measured.headline.p_value < 0.001
    assert measured.headline.note.startswith("highest: they, lowest: ")
    assert measured.items.highest.eq("they").all()
    assert measured.items.text_they[0] == "I saw the actor in town and they were late."


def test_a_rating_that_knows_no_version_shows_none():
    """What is left is noise from the length of the texts, and a largest gap is not significant for being largest."""
    result = cp.measures.sentiment(
        Classifier.of(lambda texts: [0.5 + noise(text) for text in texts]),
        TEXTS,
        versions=["he", "she", "they", "xe", "ze"],
    )
    rows = rows_of(result)
    assert 0 < rows.value["largest_gap"] < 0.01
    assert rows.value["largest_gap_by_chance"] > 0
    flat = cp.measures.sentiment(
        Classifier.of(lambda texts: [0.5] * len(texts)), TEXTS, versions=["he", "she", "xe"]
    )
    assert flat.headline.value == 0
    assert np.isnan(rows_of(flat).p_value["largest_gap"])


def test_male_and_female_are_as_without_the_setting():
    classifier = Classifier.of(towards_they)
    for measure, settings in ((cp.measures.sentiment, {}), (cp.measures.perturbation, {"over": "terms"})):
        plain = measure(classifier, TEXTS, **settings)
        named = measure(classifier, TEXTS, versions=["male", "female"], **settings)
        assert named.summary.equals(plain.summary)
        assert named.items.equals(plain.items)


def test_the_pair_of_male_and_female_is_the_total_bias(measured):
    plain = rows_of(cp.measures.sentiment(Classifier.of(towards_they), TEXTS))
    pair, bias = rows_of(measured).loc["version_difference.male_female"], plain.loc["total_bias"]
    assert [pair.value, pair.ci_low, pair.p_value] == pytest.approx([bias.value, bias.ci_low, bias.p_value])


def test_sentences_that_are_left_are_counted():
    texts = ["He sings.", "He and she left.", "It rains."]
    result = cp.measures.sentiment(Classifier.of(towards_they), texts, versions=["male", "they"])
    rows = rows_of(result)
    assert rows.value["sentences_left.they"] == 1
    assert "sentences_left.male" not in rows.index
    assert rows.value["zero_no_term"] == 1
    assert result.items.sentences_left.tolist() == [0, 1, 0]
    assert any("1 sentence of 1 text (they)" in warning for warning in result.warnings)
    assert result.items.text_male[1] == "He and he left."
    assert result.items.text_they[1] == "He and she left."


def test_perturbation_over_versions(tmp_path):
    mine = tmp_path / "ne.yaml"
    mine.write_text(
        "subject: ne\nobject: nem\ndeterminer: nir\npossessive: nirs\nreflexive: nemself\nplural: false\n"
    )
    result = cp.measures.perturbation(
        Classifier.of(towards_they), TEXTS, terms="pro", versions=["he", "they", str(mine)]
    )
    rows = rows_of(result)
    assert result.headline.key == "largest_gap"
    assert rows.value["version_difference.he_they"] == pytest.approx(-0.15, abs=0.01)
    assert rows.value["version_difference.they_ne"] == pytest.approx(0.2, abs=0.01)
    assert rows.value["score_range"] == pytest.approx(result.items.range.mean())
    assert "score_sensitivity.word.ne" in rows.index
    assert "difference" not in rows.index
    assert result.dataset == "own, versions he, they, ne"


def test_mistakes():
    classifier = Classifier.of(towards_they)
    with pytest.raises(InputError, match=r"there is no version 'thye' .*did you mean 'they'\?"):
        cp.measures.sentiment(classifier, TEXTS, versions=["male", "thye"])
    with pytest.raises(InputError, match=r"versions needs two or more to compare, found they alone"):
        cp.measures.sentiment(classifier, TEXTS, versions=["they", "they"])
    with pytest.raises(InputError, match=r"^versions needs two or more to compare$"):
        cp.measures.sentiment(classifier, TEXTS, versions=[])
    with pytest.raises(InputError, match="the published code swaps men and women; it has no they"):
        cp.measures.sentiment(classifier, TEXTS, versions=["male", "they"], variant="published")
    with pytest.raises(InputError, match="first names have no they version"):
        cp.measures.sentiment(classifier, TEXTS, versions=["male", "they"], names=True)
    with pytest.raises(InputError, match="alone turns pairs"):
        cp.measures.sentiment(classifier, TEXTS, versions=["male", "they"], alone=True)
    with pytest.raises(DataError, match="no text of own has a term of the set all"):
        cp.measures.sentiment(classifier, ["It rains."], versions=["male", "they"])
    with pytest.raises(DataError, match="no version of the text differs"):
        cp.measures.perturbation(classifier, ["It rains."], versions=["male", "they"])


def test_every_version_is_made_once(monkeypatch):
    changes, made = Swapper.changes, []

    def counting(self, text, to):
        made.append((text, to))
        return changes(self, text, to)

    monkeypatch.setattr(Swapper, "changes", counting)
    texts = [*TEXTS[:3], "It rains.", TEXTS[0]]
    cp.measures.perturbation(Classifier.of(lambda texts: [0.5] * len(texts)), texts, versions=["he", "they"])
    assert sorted(made) == sorted({(text, to) for text in texts for to in ("he", "they")})


# ---- names by gender and group ----

NAMES = {
    ("female", "north"): ["Emily", "Anne", "Jill", "Carrie"],
    ("male", "north"): ["Greg", "Brad", "Todd", "Geoffrey"],
    ("female", "south"): ["Aisha", "Keisha", "Tamika", "Ebony"],
    ("male", "south"): ["Jamal", "Hakim", "Rasheed", "Tyrone"],
}
CELL_OF = {name.lower(): cell for cell, names in NAMES.items() for name in names}
NAMED = [text.replace(" he ", " John ").replace(" she ", " Mary ") for text in TEXTS[:20]]


@pytest.fixture(scope="module")
def names_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "names.csv"
    rows = [f"{name},{gender},{group}" for (gender, group), names in NAMES.items() for name in names]
    path.write_text("name,gender,group\n" + "\n".join(rows) + "\n")
    return path


def planted(effects):
    """Rates a text by the gender and the group of the name in it, with a little of the name and of both together."""

    def rate(texts):
        ratings = []
        for text in texts:
            name = next((word for word in re.findall(r"\w+", text.lower()) if word in CELL_OF), None)
            own = 0.002 * (sum(map(ord, name)) % 7 - 3) / 3 if name else 0.0
            both = 0.002 * ((len(text) * 13 + sum(map(ord, name or ""))) % 11 - 5) / 5
            ratings.append(0.5 + effects.get(CELL_OF.get(name), 0.0) + own + both)
        return ratings

    return Classifier.of(rate, name="planted")


@pytest.mark.parametrize("measure", ["perturbation", "sentiment"])
@pytest.mark.parametrize(
    ("effects", "gender", "group", "interaction"),
    [
        ({("female", "north"): -0.1, ("female", "south"): -0.1}, 0.1, 0.0, 0.0),
        ({("female", "south"): -0.08, ("male", "south"): -0.08}, 0.0, 0.08, 0.0),
        ({("female", "south"): -0.1}, 0.05, 0.05, -0.1),
    ],
)
def test_planted_effects_of_names_lie_within_the_intervals(
    measure, effects, gender, group, interaction, names_file
):
    result = getattr(cp.measures, measure)(planted(effects), NAMED, names_table=names_file)
    rows = rows_of(result)
    expected = {
        "gender_effect.male_female": gender,
        "group_effect.north_south": group,
        "interaction.male_female_north_south": interaction,
    }
    assert rows[(rows.level == "overall") & rows.p_value.notna()].index.tolist() == [*expected]
    for key, value in expected.items():
        row = rows.loc[key]
        assert row.ci_low <= value <= row.ci_high
        assert (row.p_adjusted < 0.05) == (value != 0)
    assert result.headlines.key.tolist() == [*expected]


def test_names_are_as_the_table_writes_them_and_pronouns_follow(names_file):
    seen = []

    def function(texts):
        seen.extend(texts)
        return [0.5] * len(texts)

    table = cp.data.read_names_table(names_file).table.iloc[:8]
    table = table.assign(gender=["neutral"] * 4 + ["male"] * 4, name=["DeShawn", *table.name[1:]])
    cp.measures.perturbation(
        Classifier.of(function), ["Mary said she was late."], names_table=NamesTable("mine", table)
    )
    assert seen[:2] == ["Mary said she was late.", "DeShawn said they were late."]
    assert seen[5] == "Greg said he was late."


def test_sentences_that_neutral_names_leave_are_counted(names_file):
    table = cp.data.read_names_table(names_file).table.iloc[:8]
    names = NamesTable("mine", table.assign(gender=["neutral"] * 4 + ["male"] * 4))
    for measure in (cp.measures.perturbation, cp.measures.sentiment):
        result = measure(
            planted({}), ["Mary came. He and she left.", "John saw his mother."], names_table=names
        )
        assert rows_of(result).value["sentences_left.neutral"] == 1
        assert any("1 sentence of 1 text (neutral)" in warning for warning in result.warnings)


def test_mistakes_with_names(names_file, tmp_path):
    classifier = planted({})
    table = cp.data.read_names_table(names_file)
    with pytest.raises(InputError, match=r"a table of names is compared over names \(over=names\)"):
        cp.measures.perturbation(classifier, NAMED, over="terms", names_table=table)
    for measure in (cp.measures.sentiment, cp.measures.perturbation):
        with pytest.raises(InputError, match="leave one of them out"):
            measure(classifier, NAMED, versions=["he", "they"], names_table=table)
    with pytest.raises(InputError, match="leave it out with a table of names"):
        cp.measures.sentiment(classifier, NAMED, names=True, names_table=table)
    with pytest.raises(InputError, match="it has no table of names"):
        cp.measures.sentiment(classifier, NAMED, variant="published", names_table=table)
    with pytest.raises(DataError, match="no first name in the text"):
        cp.measures.sentiment(classifier, ["It rains."], names_table=table)
    with pytest.raises(DataError, match=r"bad\.csv has no column 'name'"):
        cp.measures.sentiment(classifier, NAMED, names_table=_file(tmp_path, "a,b\n1,2\n"))


def _file(folder, text):
    path = folder / "bad.csv"
    path.write_text(text)
    return path


# ---- what is made of such results ----


def test_reports_comparisons_and_the_explorer_take_any_number_of_versions(tmp_path, names_file):
    settings = {"versions": ["male", "female", "they"]}
    texts = cp.data.Texts.of(TEXTS, LABELS)
    for name, function in (
        ("a", towards_they),
        ("b", lambda texts: [0.5 + 2 * noise(text) for text in texts]),
    ):
        cp.audit(
            cp.load(function),
            measures=["sentiment"],
            texts=texts,
            settings=settings,
            out=tmp_path / name,
            cache=False,
        )
    first = Run.read(tmp_path / "a")
    page = (tmp_path / "a" / "report.html").read_text()
    assert "largest gap in rating between versions" in page
    assert "male - they" in page
    result = first.results["sentiment"]
    extremes = extreme_items(result)
    assert extremes.columns.tolist() == ["item", "range"]
    assert len(extremes) > 0
    view = item_view(result.items, result)
    assert view.score == "range"
    assert view.table["range"].is_monotonic_decreasing
    compared = cp.compare(tmp_path / "a", tmp_path / "b")
    rows = compared.rows.set_index("key")
    assert np.isfinite(rows.difference["version_difference.male_they"])
    assert "look at the two intervals" in rows.note["largest_gap"]
    [verdict] = verdicts(compared)
    assert "in difference in rating, male - female" in verdict.text

    audited = cp.audit(
        planted({}),
        measures=["sentiment"],
        texts=NAMED,
        names_table=names_file,
        out=tmp_path / "names",
        cache=False,
    )
    assert "main effect of gender" in (tmp_path / "names" / "report.html").read_text()
    assert len(extreme_items(audited.results["sentiment"])) > 0
