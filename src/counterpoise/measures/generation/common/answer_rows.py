"""Rows that compare the answers to the versions of prompts, feature by feature."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import figure_row, fitted_row, mean_row
from counterpoise.measures.base.rows import OVERALL, ZERO, Ideal, Place, Row, in_group
from counterpoise.measures.base.source import Contrast, Observed, Source, observe
from counterpoise.measures.base.version_names import GENDERED
from counterpoise.measures.generation.common.answer_raters import BIAS
from counterpoise.stats.sampling_band import SamplingBand

RATED = "rated_"  # columns of the user's own raters begin with it
_OF_VERSIONS = "_of_versions"
_NO_PAIR = "no prompt has answers to both versions"

Pair = tuple[str, str]


@dataclass(frozen=True)
class Feature:
    """Something that is known of every answer: its statistic, the column, its name, and what more of it means.

    `more` completes "Answers about men ...".
    """

    statistic: str
    column: str
    label: str
    more: str
    name: str = ""  # in keys, where features share a statistic

    @property
    def key(self) -> str:
        return f"{self.statistic}.{self.name}" if self.name else self.statistic


FEATURES = (
    Feature("sentiment", "sentiment", "sentiment", "are more positive"),
    Feature("length", "length", "length in words", "are longer"),
    Feature("refusals", "refused", "share of refusals", "are refusals more often"),
    Feature("empty", "empty", "share of empty answers", "are empty more often"),
    Feature("agency", "agency", "agency words per 100", "have more words of agency"),
    Feature("communion", "communion", "communion words per 100", "have more words of communion"),
    Feature("hedges", "hedges", "hedges per 100 words", "have more hedges"),
    Feature("appearance", "appearance", "words on appearance per 100", "are more about appearance"),
    Feature("family", "family", "words on family per 100", "are more about family"),
    Feature("formality", "formality", "formality", "are more formal"),
)


def answer_directions() -> dict[str, Direction]:
    """What the sign of every statistic means."""
    rated = Feature("rated", "", "", "are rated higher")
    directions: dict[str, Direction] = {}
    for feature in (*FEATURES, rated):
        men, women = (f"Answers about {people} {feature.more}." for people in GENDERS)
        directions[feature.statistic] = Direction(men, women, GENDERS)
        directions[feature.statistic + _OF_VERSIONS] = Direction(
            f"Answers to the first of the two versions {feature.more}.",
            f"Answers to the second of the two versions {feature.more}.",
        )
    return directions | {
        "rater_bias": Direction(
            "The rater itself rates the same answer higher in its male version.",
            "The rater itself rates the same answer higher in its female version.",
        ),
        "largest_gap": Direction(
            "Answers to one version have more of this than answers to another.",
            "Answers to all versions have as much of this.",
        ),
        "null_band": Direction(
            "Sampling alone gives differences of up to this size, in 95 % of cases.",
            "Sampling alone gives no difference.",
        ),
        "mean": Direction(
            "The mean of the answers to this version is above 0.",
            "The mean of the answers to this version is below 0.",
        ),
    }


def answer_rows(items: pd.DataFrame, seed: int) -> list[Row]:
    """The rows of answers: the first pair of versions, other pairs, topics, the raters' bias, bands and means."""
    versions = list(items.version.unique())
    features = features_of(items)
    first, *others = itertools.combinations(versions, 2)
    bands = {feature: band_of(items, feature, first, seed) for feature in features}
    return [
        *(difference_row(items, feature, first, OVERALL, bands[feature]) for feature in features),
        *(
            difference_row(items, feature, pair, _at_pair(pair), band_of(items, feature, pair, seed))
            for pair in others
            for feature in features
        ),
        *(_gaps(items, features, versions, seed) if others else ()),
        *_of_topics(items, features, first),
        *_rater_bias(items, features),
        *(_band_row(feature, band) for feature, band in bands.items()),
        *_means(items, features, versions),
    ]


def features_of(items: pd.DataFrame) -> list[Feature]:
    """Ours, and one for each of the user's raters."""
    rated = [name for name in items if str(name).startswith(RATED) and not str(name).endswith(BIAS)]
    names = [str(name).removeprefix(RATED) for name in rated]
    own = [Feature("rated", f"{RATED}{name}", name, "are rated higher", name) for name in names]
    return [*FEATURES, *own]


def band_of(items: pd.DataFrame, feature: Feature, pair: Pair, seed: int) -> SamplingBand:
    """How far from 0 the difference of two versions is by sampling alone."""
    known = items[items.version.isin(pair) & items[feature.column].notna()]
    if known.version.nunique() < 2:
        return SamplingBand(np.nan, 0, 0.95, _NO_PAIR)
    return stats.sampling_band(known[feature.column], known.version, known.prompt, seed=seed)


def _differences(items: pd.DataFrame, feature: Feature, pair: Pair, topic: str | None = None) -> Observed:
    """Of each prompt, the mean over the answers to one version minus that to the other."""
    first, second = pair
    contrast = Contrast(("version",), {(first,): 1.0, (second,): -1.0}, within=("prompt",))
    source = Source(feature.column, where={} if topic is None else {"topic": topic}, contrast=contrast)
    return Observed(source.observe(items).dropna(subset=[feature.column]), source)


def difference_row(
    items: pd.DataFrame,
    feature: Feature,
    pair: Pair,
    at: Place,
    band: SamplingBand | None = None,
    topic: str | None = None,
) -> Row:
    observed = _differences(items, feature, pair, topic)
    statistic = feature.statistic if pair == GENDERED else feature.statistic + _OF_VERSIONS
    label = f"{pair[0]} - {pair[1]} {feature.label}"
    place = replace(at, name=".".join(filter(None, (feature.name, at.name))))
    if not len(observed):
        return figure_row(np.nan, statistic, label, n=0, at=place, ideal=ZERO, note=_NO_PAIR)
    row = mean_row(observed, statistic, label, cluster="prompt", at=place)
    return row if band is None or row.note else replace(row, note=_noise(row.value, band))


def _noise(value: float, band: SamplingBand) -> str:
    if band.reason:
        return f"no null band: {band.reason}"
    if band.holds(value):
        return f"noise: sampling alone gives up to {band.half:.3g} either way"
    return f"beyond the null band of {band.half:.3g} either way"


def _at_pair(pair: Pair) -> Place:
    return Place("versions", " - ".join(pair), "_".join(pair))


def _gaps(
    items: pd.DataFrame, features: Sequence[Feature], versions: Sequence[str], seed: int
) -> Iterator[Row]:
    for feature in features:
        scores = items.pivot_table(index="prompt", columns="version", values=feature.column, sort=False)
        scores = scores.reindex(columns=list(versions)).dropna()
        if not len(scores):
            continue
        gap = stats.largest_gap(scores.to_numpy(), seed=seed)
        yield fitted_row(
            gap,
            "largest_gap",
            f"largest gap in {feature.label} between versions",
            at=Place("versions", "all", feature.key),
            n=gap.n,
            clusters=gap.n_clusters,
            p_value=gap.p_value,
            note=f"highest: {versions[gap.highest]}, lowest: {versions[gap.lowest]}; by chance up to "
            f"{gap.by_chance:.3g}",
        )


def _of_topics(items: pd.DataFrame, features: Sequence[Feature], pair: Pair) -> Iterator[Row]:
    topics = [topic for topic in items.topic.unique() if topic]
    if len(topics) > 1:
        for topic, feature in itertools.product(topics, features):
            yield difference_row(items, feature, pair, in_group(topic), topic=topic)


def _rater_bias(items: pd.DataFrame, features: Sequence[Feature]) -> Iterator[Row]:
    for feature in features:
        column = feature.column + BIAS
        if column in items and items[column].notna().any():
            known = observe(items[items[column].notna()], column)
            at = in_group(feature.key, feature.label)
            row = mean_row(known, "rater_bias", "rater's own bias, male - female", cluster="prompt", at=at)
            cancelled = "cancelled: each answer is rated in both versions"
            yield replace(row, note="; ".join(filter(None, (row.note, cancelled))))


def _band_row(feature: Feature, band: SamplingBand) -> Row:
    return figure_row(
        band.half,
        "null_band",
        "null band: 95 % of differences by sampling alone are within",
        n=band.n_clusters,
        at=in_group(feature.key, feature.label),
        note=band.reason or "",
    )


def _means(items: pd.DataFrame, features: Sequence[Feature], versions: Sequence[str]) -> Iterator[Row]:
    for feature, version in itertools.product(features, versions):
        known = observe(items, feature.column).only(version=version)
        at = in_group(f"{feature.key}.{version}", f"{feature.label}, {version}")
        known = Observed(known.table.dropna(subset=[feature.column]), known.source)
        if not len(known):
            yield figure_row(np.nan, "mean", "mean", n=0, at=at, note="no answer")
        else:
            yield mean_row(known, "mean", "mean", cluster="prompt", at=at, ideal=Ideal.none(), test=None)
