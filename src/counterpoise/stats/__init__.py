"""Arrays in, numbers out: tests, intervals, effect sizes, corrections, power. Knows nothing about language."""

from counterpoise.stats.auc import auc, bootstrap_aucs, power_mean
from counterpoise.stats.bootstrapping import bootstrap, bootstrap_difference
from counterpoise.stats.clusters import ClusterT, cluster_t
from counterpoise.stats.comparisons import FriedmanResult, McNemarResult, friedman, mcnemar
from counterpoise.stats.contingency import effect_size_r, odds_ratio
from counterpoise.stats.corrections import adjust, stars
from counterpoise.stats.correlations import Correlation, correlation, correlation_table, correlation_test
from counterpoise.stats.crossed import CrossedEstimate, crossed_estimate, crossed_t
from counterpoise.stats.directions import PrincipalDirection, principal_direction
from counterpoise.stats.effects import (
    EffectSize,
    cliffs_delta,
    cohens_d,
    effect_size_weat,
    effect_size_weat_interval,
    hedges_g,
)
from counterpoise.stats.equality import EqualValues, equal_values
from counterpoise.stats.factorial import crossed_contrast
from counterpoise.stats.mixed import MixedEstimate, crossed_mixed_model
from counterpoise.stats.permutations import PermutationResult, permutation_test, sign_flip_test
from counterpoise.stats.pooling import PooledEffect, random_effects
from counterpoise.stats.power import (
    items_needed,
    power_to_detect,
    smallest_detectable,
    smallest_detectable_correlation,
    smallest_detectable_t,
    smallest_detectable_weat,
    smallest_difference,
)
from counterpoise.stats.ratios import bootstrap_ratio
from counterpoise.stats.repeated import LargestGap, PairDifference, largest_gap, pairwise_differences
from counterpoise.stats.resampling import BootstrapResult
from counterpoise.stats.sampling_band import SamplingBand, sampling_band
from counterpoise.stats.shares import Share, cohens_h, share
from counterpoise.stats.signed_rank import WilcoxonResult, wilcoxon, wilcoxon_from_v
from counterpoise.stats.strata import StratifiedT, stratified_t
from counterpoise.stats.subsampling import SubsampleCurve, subsample_curve
from counterpoise.stats.vector_association import (
    AssociationResult,
    association_test,
    association_test_of,
    similarity,
    target_associations,
)

__all__ = [
    "AssociationResult",
    "BootstrapResult",
    "ClusterT",
    "Correlation",
    "CrossedEstimate",
    "EffectSize",
    "EqualValues",
    "FriedmanResult",
    "LargestGap",
    "McNemarResult",
    "MixedEstimate",
    "PairDifference",
    "PermutationResult",
    "PooledEffect",
    "PrincipalDirection",
    "SamplingBand",
    "Share",
    "StratifiedT",
    "SubsampleCurve",
    "WilcoxonResult",
    "adjust",
    "association_test",
    "association_test_of",
    "auc",
    "bootstrap",
    "bootstrap_aucs",
    "bootstrap_difference",
    "bootstrap_ratio",
    "cliffs_delta",
    "cluster_t",
    "cohens_d",
    "cohens_h",
    "correlation",
    "correlation_table",
    "correlation_test",
    "crossed_contrast",
    "crossed_estimate",
    "crossed_mixed_model",
    "crossed_t",
    "effect_size_r",
    "effect_size_weat",
    "effect_size_weat_interval",
    "equal_values",
    "friedman",
    "hedges_g",
    "items_needed",
    "largest_gap",
    "mcnemar",
    "odds_ratio",
    "pairwise_differences",
    "permutation_test",
    "power_mean",
    "power_to_detect",
    "principal_direction",
    "random_effects",
    "sampling_band",
    "share",
    "sign_flip_test",
    "similarity",
    "smallest_detectable",
    "smallest_detectable_correlation",
    "smallest_detectable_t",
    "smallest_detectable_weat",
    "smallest_difference",
    "stars",
    "stratified_t",
    "subsample_curve",
    "target_associations",
    "wilcoxon",
    "wilcoxon_from_v",
]
