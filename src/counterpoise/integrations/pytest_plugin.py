"""The pytest plugin: rules about a model's bias as tests.

    @pytest.mark.bias("abs(ppd.appd)", below=0.3)
    def test_pronouns(): ...

The model is the one that the fixture `bias_model` returns; it is audited once per session, with the measures that the
markers name. A test fails if its rule fails, and also if the items at hand cannot tell, unless the ini option
`bias_cannot_tell` is `skip`. Where no test has the marker, nothing is imported or run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from counterpoise.core.errors import CounterpoiseError

if TYPE_CHECKING:
    from counterpoise.audit.auditing import Audit
    from counterpoise.audit.gate.rules import Rule

_MARKER = "bias"
_FIXTURE = "bias_audit"
_LIMITS = {"below": "<", "above": ">", "at_most": "<=", "at_least": ">="}
_HELP = (
    'bias(rule, below=None, above=None, at_most=None, at_least=None): the row of an audit, such as "ppd.appd" or '
    '"abs(ppd.appd)", must keep these limits; or a whole rule, such as "ppd.appd <= 0.3"'
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("counterpoise")
    group.addoption(
        "--bias-model", metavar="MODEL", help="the model that tests with the marker bias are about"
    )
    parser.addini("bias_model", "the model that tests with the marker bias are about", default="")
    parser.addini("bias_cannot_tell", "fail or skip a test whose rule cannot be told", default="fail")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _HELP)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Reads the markers, so that a mistake in one is reported before any audit, and asks for the audit."""
    for item in items:
        if item.get_closest_marker(_MARKER) is not None and isinstance(item, pytest.Function):
            try:
                _rules_of(item)
            except CounterpoiseError as error:
                raise pytest.UsageError(f"{item.nodeid}: {error}") from None
            if _FIXTURE not in item.fixturenames:
                item.fixturenames.append(_FIXTURE)


@pytest.fixture(scope="session")
def bias_model(request: pytest.FixtureRequest) -> Any:
    """The model to audit, as `counterpoise.load` takes it; define a fixture of this name for one made in Python."""
    name = request.config.getoption("--bias-model") or request.config.getini("bias_model")
    if not name:
        pytest.fail(
            "which model is to be audited? Say it with --bias-model, with bias_model in the ini file, or with a "
            "session fixture bias_model",
            pytrace=False,
        )
    return name


@pytest.fixture(scope="session")
def bias_options() -> dict[str, Any]:
    """Further arguments of `counterpoise.audit`, such as `texts`; define a fixture of this name to give some."""
    return {}


@pytest.fixture(scope="session")
def bias_audit(request: pytest.FixtureRequest, bias_model: Any, bias_options: dict[str, Any]) -> Audit:
    """The audit of the model, made once per session, with the measures that markers and options name."""
    from counterpoise.audit import audit

    options = dict(bias_options)
    named = [options.pop("measures", None) or []]
    named.append([rule.measure for item in request.session.items for rule in _rules_of(item)])
    measures = list(dict.fromkeys(measure for names in named for measure in names))
    try:
        return audit(bias_model, measures=measures or None, **options)
    except CounterpoiseError as error:
        pytest.fail(f"the audit did not run: {error}", pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Checks the rules of a test before the test itself runs."""
    if item.get_closest_marker(_MARKER) is not None and isinstance(item, pytest.Function):
        _check(item)


def _check(item: pytest.Function) -> None:
    from counterpoise.audit.gate.gating import gate
    from counterpoise.report.gate_text import sentence

    audit: Any = item.funcargs[_FIXTURE]
    try:
        result = gate(audit, _rules_of(item))
    except CounterpoiseError as error:
        pytest.fail(str(error), pytrace=False)
    failed = [sentence(check) for check in result.checks if check.outcome == "fails"]
    unsure = [sentence(check) for check in result.checks if check.outcome == "cannot tell"]
    if unsure and not failed and item.config.getini("bias_cannot_tell") == "skip":
        pytest.skip("; ".join(unsure))
    if failed or unsure:
        pytest.fail("\n".join([*failed, *unsure]), pytrace=False)


def _rules_of(item: pytest.Item) -> list[Rule]:
    """The rules in the markers of a test."""
    from counterpoise.audit.gate.rules import Rule

    return [Rule.parse(text) for marker in item.iter_markers(_MARKER) for text in _rule_texts(marker)]


def _rule_texts(marker: pytest.Mark) -> list[str]:
    """What a marker says, as rules.

    >>> _rule_texts(pytest.mark.bias("ppd.appd", below=0.3, at_least=-0.1).mark)
    ['ppd.appd < 0.3', 'ppd.appd >= -0.1']
    >>> _rule_texts(pytest.mark.bias("ppd.appd <= 0.3").mark)
    ['ppd.appd <= 0.3']
    """
    from counterpoise.core.errors import InputError, unknown

    for name in marker.kwargs:
        if name not in _LIMITS:
            raise unknown("limit of the marker bias", name, _LIMITS)
    if len(marker.args) != 1:
        raise InputError("the marker bias takes one row or rule, and its limits by name")
    [text] = marker.args
    if not marker.kwargs:
        return [text]
    return [f"{text} {_LIMITS[name]} {limit}" for name, limit in marker.kwargs.items()]
