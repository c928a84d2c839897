"""BiasCallback in real trainings of tiny models: what it logs is what an audit of the checkpoint finds."""

from __future__ import annotations

from types import SimpleNamespace

import accelerate
import pandas as pd
import pytest
import torch
import transformers

import counterpoise as cp
import few
import tiny
from counterpoise.core.errors import InputError
from counterpoise.integrations.training import cost
from counterpoise.integrations.training.measuring import Measuring
from counterpoise.measures.base.sampling import limited

TEXTS = ["She is a nurse.", "He is a doctor and he is late.", "It rains.", "The man told his wife."] * 5
STEPS = 5  # in an epoch: 20 texts in batches of 4
LIMIT = 12


def own_files():
    return {"templates": few.templates(), "pairs": few.pairs()}


def rows_of_texts(kind, tokenizer):
    encoded = tokenizer(TEXTS)
    columns = {name: encoded[name] for name in ("input_ids", "attention_mask")}
    if kind == "classifier":
        columns["labels"] = [0, 1, 0, 1] * 5
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def trainer_of(base, out, callbacks=(), *, epochs=2, kind="masked", model=None, **options):
    """A Trainer on CPU; BERT has dropout, so that its training draws random numbers at each step."""
    transformers.set_seed(1)
    auto = {
        "masked": transformers.AutoModelForMaskedLM,
        "causal": transformers.AutoModelForCausalLM,
        "classifier": transformers.AutoModelForSequenceClassification,
    }[kind]
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    collator = transformers.DataCollatorWithPadding(tokenizer)
    if kind != "classifier":
        collator = transformers.DataCollatorForLanguageModeling(tokenizer, mlm=kind == "masked")
    settings = {
        "per_device_train_batch_size": 4,
        "num_train_epochs": epochs,
        "learning_rate": 3e-3,
        "save_strategy": "epoch",
        "logging_steps": 1,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": True,
        **options,
    }
    trainer = transformers.Trainer(
        model=auto.from_pretrained(base) if model is None else model,
        args=transformers.TrainingArguments(output_dir=str(out), **settings),
        train_dataset=rows_of_texts(kind, tokenizer),
        data_collator=collator,
        processing_class=tokenizer,
        callbacks=list(callbacks),
    )
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


class Heard(transformers.TrainerCallback):
    """Hears what trackers hear."""

    def __init__(self):
        self.logs = []

    def on_log(self, args, state, control, logs=None, **_):
        self.logs.append((state.global_step, dict(logs)))


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    return {kind: tiny.save(kind, tmp_path_factory.mktemp(kind)) for kind in ("bert", "gpt2", "classifier")}


@pytest.fixture(scope="module")
def trained(bases, tmp_path_factory):
    """A masked model, measured at the start and after each epoch, and what it left."""
    out = tmp_path_factory.mktemp("trained")
    heard = Heard()
    callback = cp.callbacks.BiasCallback(
        ("ppd", "sld"), limit=LIMIT, seed=3, out=out / "bias.csv", **own_files()
    )
    trainer = trainer_of(bases["bert"], out, [heard, callback])
    trainer.train()
    return SimpleNamespace(out=out, callback=callback, trainer=trainer, heard=heard)


def audited(checkpoint, measures, data, limit=LIMIT, seed=3):
    """The overall rows of measures on a saved model, as a dictionary."""
    lm = cp.load(checkpoint, device="cpu")
    found = {}
    with limited(limit, seed):
        for name in measures:
            rows = getattr(cp.measures, name)(lm, data[name], seed=seed).overall
            found |= {
                (name, row.key): (row.value, row.ci_low, row.ci_high, row.n) for row in rows.itertuples()
            }
    return found


def curve_at(history, step):
    rows = history[history.step == step]
    return {(row.measure, row.key): (row.value, row.ci_low, row.ci_high, row.n) for row in rows.itertuples()}


def same(found, expected, tolerance=1e-5):
    assert found.keys() == expected.keys()
    for name in expected:
        assert found[name] == pytest.approx(expected[name], abs=tolerance, rel=tolerance, nan_ok=True)


def data():
    return {"ppd": few.templates(), "sld": few.pairs()}


def test_the_curve_is_what_audits_of_the_checkpoints_find(trained, bases):
    history = trained.callback.history
    assert history.columns.tolist() == ["step", "epoch", "measure", "key", "value", "ci_low", "ci_high", "n"]
    assert sorted(set(history.step)) == [0, STEPS, 2 * STEPS]
    assert history.epoch[history.step == STEPS].tolist() == [1.0] * (len(history) // 3)
    for step in (0, STEPS, 2 * STEPS):
        folder = trained.out / f"checkpoint-{step}" if step else bases["bert"]
        same(curve_at(history, step), audited(folder, ("ppd", "sld"), data()))
    values = history[(history.measure == "sld") & (history.key == "sld")].value
    assert values.nunique() == 3, "training should have changed the model"


def test_the_trainer_logs_the_rows_to_whoever_listens(trained):
    entries = [entry for entry in trained.trainer.state.log_history if "bias/sld.sld" in entry]
    rows = trained.callback.history.query("measure == 'sld' and key == 'sld'")
    assert [entry["step"] for entry in entries] == rows.step.tolist()
    for name, column in (
        ("bias/sld.sld", "value"),
        ("bias/sld.sld_ci_low", "ci_low"),
        ("bias/sld.sld_ci_high", "ci_high"),
    ):
        assert [entry[name] for entry in entries] == rows[column].tolist()
    told = [(step, logs) for step, logs in trained.heard.logs if "bias/ppd.appd" in logs]
    assert [step for step, _ in told] == [0, STEPS, 2 * STEPS]  # a callback before ours, as trackers are
    assert "loss" not in told[0][1]


def test_the_file_has_the_same_curve(trained):
    pd.testing.assert_frame_equal(
        pd.read_csv(trained.out / "bias.csv"), trained.callback.history, check_dtype=False, rtol=1e-12
    )


def test_every_n_steps_and_at_the_last(bases, tmp_path):
    callback = cp.callbacks.BiasCallback("sld", every=4, limit=LIMIT, seed=3, pairs=few.pairs())
    trainer_of(
        bases["gpt2"], tmp_path, [callback], kind="causal", save_strategy="steps", save_steps=4
    ).train()
    assert sorted(set(callback.history.step)) == [0, 4, 8, 10]
    for step in (4, 8):
        found = audited(tmp_path / f"checkpoint-{step}", ("sld",), data())
        same(curve_at(callback.history, step), found)


@pytest.mark.slow
@pytest.mark.parametrize(("base", "kind"), [("bert", "masked"), ("gpt2", "causal")])
def test_training_is_the_same_to_the_bit_with_the_callback(base, kind, bases, tmp_path):
    def weights(name, callbacks):
        trainer = trainer_of(bases[base], tmp_path / name, callbacks, kind=kind, save_strategy="no", epochs=1)
        trainer.train()
        losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
        return trainer.model.state_dict(), losses

    callback = cp.callbacks.BiasCallback(("ppd", "sld"), every=2, limit=LIMIT, **own_files())
    (with_it, losses_with), (without, losses_without) = weights("with", [callback]), weights("without", [])
    assert len(set(callback.history.step)) == 4
    assert losses_with == losses_without
    assert all(torch.equal(with_it[name], without[name]) for name in without)


@pytest.fixture
def own_accelerator(monkeypatch):
    """Accelerate keeps the precision of a training for all that follow in the process."""
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "no")
    yield
    accelerate.state.AcceleratorState._reset_state(reset_partial_state=True)


def test_mixed_precision_is_measured_as_its_checkpoint_is_loaded(bases, tmp_path, own_accelerator):
    callback = cp.callbacks.BiasCallback("sld", limit=LIMIT, seed=3, pairs=few.pairs())
    trainer = trainer_of(bases["gpt2"], tmp_path, [callback], kind="causal", epochs=1, bf16=True)
    trainer.train()
    same(curve_at(callback.history, STEPS), audited(tmp_path / f"checkpoint-{STEPS}", ("sld",), data()))
    assert hasattr(trainer.model, "_original_forward"), "the training should have computed in bf16"
    assert trainer.model.forward != trainer.model._original_forward


@pytest.mark.slow
def test_every_point_takes_the_same_items(bases, tmp_path, monkeypatch):
    items, results = [], Measuring.results

    def remember(self, *arguments):
        found = results(self, *arguments)
        items.append([tuple(result.items[list(result.identity)].itertuples(index=False)) for result in found])
        return found

    monkeypatch.setattr(Measuring, "results", remember)
    callback = cp.callbacks.BiasCallback(("ppd", "sld"), every=2, limit=LIMIT, **own_files())
    trainer_of(bases["bert"], tmp_path, [callback], epochs=1, save_strategy="no").train()
    assert len(items) == 4
    assert all(point == items[0] for point in items)
    assert [len(of_measure) for of_measure in items[0]] == [LIMIT, LIMIT]


@pytest.mark.slow
@pytest.mark.parametrize("out", ["bias.jsonl", None])
def test_a_resumed_training_goes_on_with_the_curve(out, bases, tmp_path):
    def callback():
        path = tmp_path / out if out else None
        return cp.callbacks.BiasCallback("sld", limit=LIMIT, out=path, pairs=few.pairs())

    whole = callback()
    trainer_of(bases["bert"], tmp_path / "training", [whole]).train()
    resumed = callback()
    trainer = trainer_of(bases["bert"], tmp_path / "training", [resumed])
    trainer.train(resume_from_checkpoint=str(tmp_path / "training" / f"checkpoint-{STEPS}"))
    order = ["step", "measure", "key"]  # the Trainer sorts its log
    curves = [of.history.sort_values(order, ignore_index=True) for of in (resumed, whole)]
    pd.testing.assert_frame_equal(*curves, check_dtype=False, rtol=1e-5, atol=1e-5)
    if out:
        lines = (tmp_path / out).read_text().splitlines()
        assert len(lines) == len(whole.history)
        assert len(list(tmp_path.glob("bias*"))) == 1


def test_an_error_costs_a_warning_and_its_points(bases, tmp_path, monkeypatch, capsys):
    table = Measuring.table

    def fails_once_trained(self, model, tokenizer):
        found = table(self, model, tokenizer)
        if any(weights.grad is not None for weights in model.parameters()) or len(seen):
            raise ZeroDivisionError("the measure broke")
        seen.append(True)
        return found

    seen = []
    monkeypatch.setattr(Measuring, "table", fails_once_trained)
    callback = cp.callbacks.BiasCallback("sld", every=2, limit=LIMIT, pairs=few.pairs())
    trainer = trainer_of(bases["bert"], tmp_path, [callback], epochs=1, save_strategy="no")
    trainer.train()
    assert trainer.state.global_step == STEPS
    assert trainer.model.training
    assert set(callback.history.step) == {0}
    warnings = [line for line in capsys.readouterr().err.splitlines() if "training goes on" in line]
    assert warnings == [
        "counterpoise: the bias at step 2 was not measured, and training goes on: ZeroDivisionError: the measure broke"
    ]


def test_a_measure_without_its_data_costs_one_warning(bases, tmp_path, capsys, no_data):
    callback = cp.callbacks.BiasCallback("winobias", every=2)
    trainer = trainer_of(bases["bert"], tmp_path, [callback], epochs=1, save_strategy="no")
    trainer.train()
    assert trainer.state.global_step == STEPS
    assert callback.history.empty
    assert capsys.readouterr().err.count("training goes on") == 1


def test_ctrl_c_still_stops(bases, tmp_path, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Measuring, "table", pressed)
    with pytest.raises(KeyboardInterrupt):
        trainer_of(bases["bert"], tmp_path, [cp.callbacks.BiasCallback("sld")]).train()


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "warned"), [(10.0, True), (0.1, False)])
def test_the_cost_is_told_where_it_is_high(seconds, warned, bases, tmp_path, monkeypatch, capsys):
    """By a clock of our own: a step takes 10 s, a point of the curve what is given."""
    now = [0.0]

    class Step(transformers.TrainerCallback):
        def on_step_end(self, *_, **__):
            now[0] += 10.0

    table = Measuring.table

    def slow(self, *arguments):
        now[0] += seconds
        return table(self, *arguments)

    monkeypatch.setattr(cost, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(Measuring, "table", slow)
    callback = cp.callbacks.BiasCallback("sld", every=2, limit=LIMIT, pairs=few.pairs())
    trainer_of(bases["bert"], tmp_path, [Step(), callback], epochs=1, save_strategy="no").train()
    lines = [line for line in capsys.readouterr().err.splitlines() if "of the training time" in line]
    # After 2 of 5 steps: 10 s, and two fifths of the 10 s before training, beside 20 s.
    expected = (
        "counterpoise: measuring the bias takes 70% of the training time, more than 5%: measure less often (every=2) "
        "or take fewer items (limit=12), or choose fewer measures"
    )
    assert lines == ([expected] if warned else [])


def test_only_the_first_process_measures(bases):
    callback = cp.callbacks.BiasCallback("sld", limit=LIMIT)
    state = transformers.TrainerState(is_world_process_zero=False, max_steps=2)
    callback.on_train_begin(None, state, transformers.TrainerControl(), model=None)
    callback.on_epoch_end(None, state, transformers.TrainerControl(), model=None)
    assert callback.history.empty


def test_a_model_in_parts_is_not_measured(bases, tmp_path, capsys):
    """As DeepSpeed marks weights of which each process has a part."""
    callback = cp.callbacks.BiasCallback("sld", limit=LIMIT)
    trainer = trainer_of(bases["bert"], tmp_path, [callback], epochs=1, save_strategy="no")
    next(trainer.model.parameters()).ds_id = 0
    trainer.train()
    assert callback.history.empty
    assert "a part of the weights only" in capsys.readouterr().err


def test_a_classifier(bases, tmp_path, data_file):
    data_file("eec")
    callback = cp.callbacks.BiasCallback(limit=40)
    trainer_of(bases["classifier"], tmp_path, [callback], kind="classifier", epochs=1).train()
    with limited(40):
        rows = cp.measures.eec_sentiment(cp.load(tmp_path / f"checkpoint-{STEPS}", device="cpu")).overall
    found = callback.history[callback.history.step == STEPS]
    assert found.value.tolist() == pytest.approx(rows.value.tolist(), abs=1e-5)
    assert found.n.tolist() == rows.n.tolist()


def test_an_adapter_in_training(bases, tmp_path):
    peft = pytest.importorskip("peft")
    base = transformers.AutoModelForMaskedLM.from_pretrained(bases["bert"])
    model = peft.get_peft_model(base, peft.LoraConfig(target_modules=["query", "value"], r=2))
    callback = cp.callbacks.BiasCallback("sld", limit=LIMIT, seed=3, pairs=few.pairs())
    trainer_of(bases["bert"], tmp_path, [callback], epochs=1, model=model, learning_rate=0.1).train()
    same(curve_at(callback.history, 0), audited(bases["bert"], ("sld",), data()), 1e-4)
    lm = cp.models.MaskedLM(
        model.merge_and_unload(), transformers.AutoTokenizer.from_pretrained(bases["bert"]), name="m"
    )
    with limited(LIMIT, 3):
        expected = cp.measures.sld(lm, few.pairs(), seed=3).overall.value.tolist()
    found = callback.history[callback.history.step == STEPS].value.tolist()
    assert found == pytest.approx(expected, abs=1e-4, rel=1e-4)
    assert found != pytest.approx(callback.history[callback.history.step == 0].value.tolist(), rel=1e-3)


class BertForMaskedLM(transformers.BertForMaskedLM):
    """Makes a tensor when it is first asked, and keeps it, as some models do with positions."""

    kept = None

    def forward(self, input_ids=None, attention_mask=None, labels=None):
        if self.kept is None:
            self.kept = torch.ones(1)
        output = super().forward(input_ids, attention_mask, labels=labels)
        output.logits = output.logits * self.kept
        if output.loss is not None:
            output.loss = output.loss + 0.0 * output.logits.sum()
        return output


def test_what_a_model_keeps_while_it_is_asked_can_be_trained_with(bases, tmp_path):
    model = BertForMaskedLM.from_pretrained(bases["bert"])
    callback = cp.callbacks.BiasCallback("sld", limit=LIMIT, pairs=few.pairs())
    trainer_of(bases["bert"], tmp_path, [callback], epochs=1, model=model, save_strategy="no").train()
    assert not model.kept.is_inference()
    assert set(callback.history.step) == {0, STEPS}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": "step"}, "every must be 'epoch' or a number of steps, not 'step'"),
        ({"every": 0}, "every must be"),
        ({"measures": "pdp"}, "there is no measure 'pdp'.*did you mean 'ppd'"),
        ({"limit": 1}, "limit must be a number of items, at least 2"),
        ({"out": "bias.txt"}, "out must end in .csv or .jsonl"),
        ({"rows": "some"}, "there is no choice of rows 'some'"),
        ({"pairs": "mine.csv"}, "say which measures the files and settings are for"),
        ({"measures": "ppd", "pairs": "mine.csv"}, "--pairs is for .*, not for a measure of this audit"),
    ],
)
def test_a_mistake_is_told_before_the_training(options, message):
    with pytest.raises(InputError, match=message):
        cp.callbacks.BiasCallback(**options)
