"""All kinds of runs. A new kind is a file beside this one and an entry here."""

from __future__ import annotations

from counterpoise.web.kinds.audits import AUDIT
from counterpoise.web.kinds.base import RunKind
from counterpoise.web.kinds.comparisons import COMPARISON
from counterpoise.web.kinds.corpora import CORPUS
from counterpoise.web.kinds.debiased import DEBIAS
from counterpoise.web.kinds.many import CURVE, MODELS
from counterpoise.web.kinds.studies import STUDY

# Audits of many models are a study too, so they come before it.
KINDS: dict[str, RunKind] = {
    kind.name: kind for kind in (AUDIT, CORPUS, CURVE, MODELS, STUDY, DEBIAS, COMPARISON)
}
MARKERS = tuple(dict.fromkeys(kind.marker for kind in KINDS.values()))
