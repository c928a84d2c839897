"""Models in worker threads: loaded once, asked together, never by those who may not."""

from __future__ import annotations

import threading

import pytest

import counterpoise as cp
import tiny
from counterpoise.core.errors import InputError, ModelError
from counterpoise.text.gendered_versions import gendered_versions
from counterpoise.web import workers
from counterpoise.web.explorer import Explorer
from counterpoise.web.limits import Limits
from counterpoise.web.probing import ProbeInput
from counterpoise.web.workers import Busy, WorkerPool, load_to_probe


def wanted(text="He left."):
    return ProbeInput(gendered_versions(cp.text.Swapper("pro"), text))


def test_probes_that_wait_are_answered_in_one_call(small, monkeypatch):
    sizes, ready = [], threading.Event()
    real = workers.probe_all
    monkeypatch.setattr(
        workers, "probe_all", lambda model, asked: sizes.append(len(asked)) or real(model, asked)
    )

    def load():
        ready.wait(10)
        return small

    models = WorkerPool(Limits(together=8))
    answers = [models.ask("m", {"m": load}, wanted(f"He left {n}.")) for n in range(20)]
    answers[3].cancel()
    ready.set()
    found = [answer.result(30) for n, answer in enumerate(answers) if n != 3]
    assert sizes == [7, 8, 4]
    assert found[5].male == pytest.approx(small.pseudo_log_likelihood(["He left 6."])[0], abs=1e-5)
    models.close()


def test_one_that_breaks_the_model_does_not_take_the_others_along(small, monkeypatch):
    real = workers.probe_all

    def breaking(model, asked):
        if any("breaks" in one.versions.text for one in asked):
            raise RuntimeError("broken")
        return real(model, asked)

    monkeypatch.setattr(workers, "probe_all", breaking)
    models = WorkerPool(Limits(gather=0.2))
    good, bad, mask = (
        models.ask("m", {"m": lambda: small}, wanted(text))
        for text in ("He left.", "He breaks.", "He [MASK].")
    )
    assert good.result(30).kind == "masked"
    with pytest.raises(RuntimeError, match="broken"):
        bad.result(30)
    with pytest.raises(InputError, match="no mask"):
        mask.result(30)
    models.close()


def test_models_are_loaded_once_and_only_a_few_are_kept(small):
    loads: list[str] = []

    def loader(name):
        return lambda: loads.append(name) or small

    allowed = {name: loader(name) for name in "abc"}
    models = WorkerPool(Limits(loaded=2))
    for name in "aabbacb":
        models.ask(name, allowed, wanted()).result(30)
    assert "".join(loads) == "abcb"
    assert len(models._workers) == 2
    models.close()


def test_a_model_that_cannot_be_loaded_is_told_and_tried_again(small):
    results = [ModelError("no weights"), small]

    def load():
        one = results.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    models = WorkerPool(Limits())
    with pytest.raises(ModelError, match="no weights"):
        models.ask("m", {"m": load}, wanted()).result(30)
    assert models.ask("m", {"m": load}, wanted()).result(30).kind == "masked"
    models.close()


def test_too_many_are_sent_away(small):
    ready = threading.Event()
    models = WorkerPool(Limits(waiting=3))

    def load():
        ready.wait(10)
        return small

    for _ in range(3):
        models.ask("m", {"m": load}, wanted())
    with pytest.raises(Busy, match="too many"):
        models.ask("m", {"m": load}, wanted())
    ready.set()


def test_only_models_that_are_allowed(tmp_path):
    with pytest.raises(InputError, match="there is no model to probe '/etc'"):
        WorkerPool(Limits()).ask("/etc", {"builtin": load_to_probe}, wanted())
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("he 1 0\nshe 0 1\n")
    with pytest.raises(ModelError, match="neither a language model nor a classifier"):
        load_to_probe(str(vectors))


def test_a_function_is_imported_only_for_the_user(tmp_path, monkeypatch):
    (tmp_path / "own_rating.py").write_text(
        "def rate(texts):\n    return [len(text) / 100 for text in texts]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    model = load_to_probe("own_rating:rate", with_functions=True)
    assert model.rate(["1234567890"]).tolist() == [0.1]
    with pytest.raises(ModelError):
        load_to_probe("own_rating:rate")


def test_models_of_the_user_are_loaded_as_said(tmp_path):
    folder = str(tiny.save("llama", tmp_path / "tiny"))
    explorer = Explorer(tmp_path / "runs", [folder], device="cpu", further={"dtype": "bf16", "start": "none"})
    loaders = explorer.models()
    given = loaders["tiny"]()
    assert (given.precision, given.start.ids) == ("bfloat16", ())
    assert load_to_probe(folder, "cpu").precision == "float32"
    assert loaders["builtin"]().precision == "float32"
