"""GEST's numbers from the authors' own scores: a line per sentence of GEST 1.0, a file per model and template.

The scores go through the functions of our measure in the published variant. They are held against the authors'
formulas, written out again with scipy, and against what their notebook (_english_mlm.ipynb) prints: the masculine rate
of each stereotype by model and template, two tables in LaTeX that leave out one of the 34 models; and 16 correlations
with WinoBias, which include bootstrapped limits, so that their third decimal is random.
"""

from __future__ import annotations

import tarfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import counterpoise as cp
from counterpoise.measures.base.catalogue import find_measure
from counterpoise.measures.pronouns.common.stereotype_rates import (
    log_rate,
    published_rate,
    ranks,
    stereotype_means,
)

MASKED, CAUSAL = "english_mlm", "english_glm"
# A line per model and template: the masculine rates of the 16 stereotypes, as the notebook prints them.
RATES = Path(__file__).with_name("gest_masculine_rates.txt").read_text().splitlines()

# WinoBias type 1 test: mean scores of male and of female occupations (the output of _winobias.ipynb).
WINOBIAS = {
    "bert-base-uncased": (0.5943251791955431, 0.41333008994291903),
    "roberta-base": (0.729392383885787, 0.28389546470457894),
    "albert-base-v2": (0.08090014647634536, -0.13445200968646642),
    "bert-base-multilingual-cased": (0.5366847119028704, 0.5349864449276768),
    "xlm-roberta-base": (0.5731204481689269, 0.5086111915156697),
    "xlm-roberta-large": (0.6382830126399242, 0.1705964798592219),
    "xlm-v-base": (0.7527928381550266, 0.5776176072487776),
    "xlm-roberta-xl": (0.6454176624411707, 0.2066198396637584),
    "distilbert-base-uncased": (0.33752494363278307, 0.31374030432315786),
    "electra-large-generator": (0.4348019387939742, 0.3374640735223739),
    "electra-base-generator": (0.6745626940512596, 0.60992459462711),
}
# Pearson's r over these models between the masculine rate of each stereotype and the rate on WinoBias.
PRINTED = [
    -0.41536, -0.37435, -0.32922, -0.43438, -0.40806, -0.42155, -0.49771, -0.18584,
    -0.20024, -0.10639, -0.27225, -0.29028, -0.03665, -0.25964, -0.28150, -0.19242,
]  # fmt: skip


@pytest.fixture(scope="module")
def published(data_file):
    """The authors' scores by kind and model, an array for each template."""
    scores = defaultdict(dict)
    for kind in (MASKED, CAUSAL):
        with tarfile.open(data_file(f"gest/predictions_{kind}.tar.xz")) as archive:
            for member in archive:
                if member.isfile():
                    model, _, number = member.name.rpartition("/")[2].rpartition("_template-")
                    scores[kind, model][int(number.removesuffix(".txt"))] = np.loadtxt(
                        archive.extractfile(member)
                    )
    return {key: [templates[k] for k in sorted(templates)] for key, templates in scores.items()}


@pytest.fixture(scope="module")
def sentences(published):
    return cp.data.gest("published")


@pytest.fixture(scope="module")
def stereotypes(sentences):
    """Whom each stereotype is about and its name, in the order of their numbers."""
    first = sentences.drop_duplicates("stereotype").sort_values("stereotype")
    return list(zip(first.about, first.name, strict=True))


def items_of(sentences, scores):
    """Items as the measure makes them, with the authors' scores."""
    numbered = sentences.assign(number=range(len(sentences)))
    return pd.concat(
        [numbered.assign(template=str(k), score=values) for k, values in enumerate(scores)], ignore_index=True
    )


def masculine_rates(sentences, scores):
    """r_i by the authors' formula, stereotypes in the order of their numbers."""
    return np.array([np.exp(scores[sentences.stereotype == i].mean()) for i in range(1, 17)])


def test_there_are_34_models(published):
    kinds = [kind for kind, _ in published]
    assert (kinds.count(MASKED), kinds.count(CAUSAL)) == (11, 23)
    assert {len(templates) for (kind, _), templates in published.items() if kind == MASKED} == {4}


def test_the_rates_of_stereotypes_to_the_printed_digit(published, sentences, stereotypes):
    models = set()
    for line in RATES:
        model, template, *printed = line.split()
        kind = MASKED if (MASKED, model) in published else CAUSAL
        means = stereotype_means(items_of(sentences, [published[kind, model][int(template) - 1]]))
        assert [f"{np.exp(means[stereotype]):.2f}" for stereotype in stereotypes] == printed, line
        models.add((kind, model))
    assert set(published) - models == {(CAUSAL, "Mistral-7B-Instruct-v0.1")}


def test_rates_and_ranks_of_every_model(published, sentences, stereotypes):
    for templates in published.values():
        items, expected = items_of(sentences, templates), []
        for number, scores in enumerate(templates):
            r = masculine_rates(sentences, scores)
            expected.append(stats.gmean(r[7:]) / stats.gmean(r[:7]))
            means = stereotype_means(items[items.template == str(number)])
            assert np.exp(log_rate(means)) == pytest.approx(expected[-1], rel=1e-12)
            ours = [ranks(means)[stereotype] for stereotype in stereotypes]
            assert ours == (np.argsort(np.argsort(r)) + 1).tolist()
        assert published_rate(items) == pytest.approx(np.mean(expected), rel=1e-12)


def test_the_correlations_that_the_authors_print(published, sentences, stereotypes):
    winobias = [np.exp(male - female) for male, female in WINOBIAS.values()]
    rates = []
    for model in WINOBIAS:
        items = items_of(sentences, published[MASKED, model])
        of_templates = [np.exp(stereotype_means(part)) for _, part in items.groupby("template")]
        mean = sum(of_templates) / 4
        rates.append([mean[stereotype] for stereotype in stereotypes])
    ours = [stats.pearsonr(winobias, of_stereotype).statistic for of_stereotype in np.array(rates).T]
    assert ours == pytest.approx(PRINTED, abs=1e-3)


@pytest.mark.parametrize(
    ("kind", "model", "rate"), [(MASKED, "bert-base-uncased", 1.166), (CAUSAL, "gpt2", 1.105)]
)
def test_the_rows_of_the_measure_have_these_numbers(published, sentences, kind, model, rate):
    rows = find_measure("gest").rows(items_of(sentences, published[kind, model]), "published", 0)
    by_key = {row.key: row for row in rows}
    assert by_key["stereotype_rate"].value == pytest.approx(rate, abs=5e-4)
    assert by_key["preference.word.women_are_beautiful"].note == "rank 1 of 16"
    means = stereotype_means(items_of(sentences, published[kind, model]))
    assert by_key["preference.word.men_are_leaders"].value == pytest.approx(means["men", "men are leaders"])


def test_the_corrected_rate_is_that_of_natural_logarithms(published, sentences):
    """Base 10 raised as a power of e: the published rate of a template is the true one to the power of 1 / ln 10."""
    scores = published[CAUSAL, "gpt2"][0]
    natural = items_of(sentences, [scores * np.log(10)])
    rows = {row.key: row for row in find_measure("gest").rows(natural, "corrected", 0)}
    r = masculine_rates(sentences, scores)
    as_printed = stats.gmean(r[7:]) / stats.gmean(r[:7])
    assert rows["stereotype_rate"].value ** (1 / np.log(10)) == pytest.approx(as_printed, rel=1e-9)


@pytest.mark.parametrize(("kind", "model"), [(MASKED, "bert-base-uncased"), (CAUSAL, "gpt2")])
def test_our_scores_of_the_same_weights(hub, published, kind, model):
    items = cp.measures.gest(hub(model), variant="published").items
    of_templates = [part for _, part in items.groupby("template", sort=False)]
    for scores, part in zip(published[kind, model], of_templates, strict=True):
        assert np.corrcoef(part.score, scores[part.number - 1])[0, 1] > 0.99
