"""A model against a suite of measures; the run folder.

The package is callable: `counterpoise.audit(model)` runs an audit, and `counterpoise.audit.Run` is the class of runs.
A room and its main function share a name here, and Python lets an attribute be only one of them.
"""

import sys
import types
from typing import Any

from counterpoise.audit.auditing import Audit, audit
from counterpoise.audit.request import AuditRequest
from counterpoise.audit.run import Run, RunOptions

__all__ = ["Audit", "AuditRequest", "Run", "RunOptions", "audit"]


class _CallableRoom(types.ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Audit:
        return audit(*args, **options)


_CallableRoom.__call__.__doc__ = audit.__doc__
sys.modules[__name__].__class__ = _CallableRoom
