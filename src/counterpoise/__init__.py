"""Counterpoise measures gender bias in language models, says how sure it is, lowers the bias, and measures again.

    import counterpoise as cp

    lm = cp.load()                                    # the built-in model; or a hub name, or a folder
    audit = cp.audit(lm, measures=["lpbs", "ppd"])
    audit.summary                                     # a pandas DataFrame

Everything is imported when it is first used, so that `import counterpoise` and `counterpoise --help` are quick. Only
`audit` is bound at once: it is a function that has the name of its package, and importing the package first would hide
it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from counterpoise.audit import audit
from counterpoise.core.version import __version__

if TYPE_CHECKING:
    from counterpoise import corpus, data, measures, mitigate, models, stats, studies, text, tuning
    from counterpoise.audit.compare import compare
    from counterpoise.audit.gate.gating import gate
    from counterpoise.audit.run import Run
    from counterpoise.core.errors import CounterpoiseError
    from counterpoise.integrations import training as callbacks
    from counterpoise.integrations.trackers.sending import log
    from counterpoise.mitigate.finetune.debiasing import debias
    from counterpoise.models.loading import load
    from counterpoise.studies.audits.many import audit_many

__all__ = [
    "CounterpoiseError",
    "Run",
    "__version__",
    "audit",
    "audit_many",
    "callbacks",
    "compare",
    "corpus",
    "data",
    "debias",
    "gate",
    "load",
    "log",
    "measures",
    "mitigate",
    "models",
    "stats",
    "studies",
    "text",
    "tuning",
]

# Where each public name lives: a package or module, or a name inside a module.
_PACKAGES = ("corpus", "data", "measures", "mitigate", "models", "stats", "studies", "text", "tuning")
_MODULES = {"callbacks": "counterpoise.integrations.training"}
_NAMES = {
    "CounterpoiseError": "counterpoise.core.errors",
    "Run": "counterpoise.audit.run",
    "audit_many": "counterpoise.studies.audits.many",
    "compare": "counterpoise.audit.compare",
    "debias": "counterpoise.mitigate.finetune.debiasing",
    "gate": "counterpoise.audit.gate.gating",
    "load": "counterpoise.models.loading",
    "log": "counterpoise.integrations.trackers.sending",
}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"counterpoise.{name}")
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'counterpoise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
