"""BiasEvaluator on real models of sentence-transformers: the numbers are those of the measures on the saved model."""

from __future__ import annotations

import csv
import math

import pytest
import torch

import counterpoise as cp
import tiny

sentence_transformers = pytest.importorskip("sentence_transformers")
models = pytest.importorskip("sentence_transformers.models")
evaluation = pytest.importorskip("sentence_transformers.evaluation")
losses = pytest.importorskip("sentence_transformers.losses")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.save("encoder", tmp_path_factory.mktemp("encoder") / "encoder")


def encoder_of(folder, pooling="mean", *more):
    modules = [models.Transformer(str(folder)), models.Pooling(32, pooling), *more]
    return sentence_transformers.SentenceTransformer(modules=modules, device="cpu")


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_the_metrics_are_the_measures_of_the_encoder(pooling, folder, tmp_path):
    model = encoder_of(folder, pooling, models.Normalize())
    evaluator = cp.callbacks.BiasEvaluator()
    metrics = evaluator(model)
    model.save(str(tmp_path / "saved"))
    encoder = cp.load(tmp_path / "saved", device="cpu")
    for measure in (cp.measures.seat, cp.measures.weat_contextual):
        rows = measure(encoder).overall
        assert len(rows) in (6, 3)
        for row in rows.itertuples():
            name = f"bias_{measure.__name__}_{row.key}"
            found = [metrics[name], metrics[f"{name}_ci_low"], metrics[f"{name}_ci_high"]]
            assert found == pytest.approx([row.value, row.ci_low, row.ci_high], abs=1e-5)
    seat = cp.measures.seat(encoder).overall.value
    assert evaluator.primary_metric == "bias_seat_mean_absolute"
    assert not evaluator.greater_is_better
    assert metrics[evaluator.primary_metric] == pytest.approx(sum(map(abs, seat)) / 6, abs=1e-5)


def test_steps_after_the_pooling_count(folder):
    """Files with such a step cannot be loaded by cp.load; in memory the model encodes by itself."""
    torch.manual_seed(0)
    dense = models.Dense(32, 8)
    measures = ("seat",)
    with_dense = cp.callbacks.BiasEvaluator(measures)(encoder_of(folder, "mean", dense))
    without = cp.callbacks.BiasEvaluator(measures)(encoder_of(folder))
    assert with_dense.keys() == without.keys()
    assert with_dense["bias_seat_d.weat6"] != pytest.approx(without["bias_seat_d.weat6"], abs=1e-3)


def test_a_table_of_all_evaluations_is_written(folder, tmp_path):
    evaluator = cp.callbacks.BiasEvaluator("seat", name="")
    model = encoder_of(folder)
    first = evaluator(model, str(tmp_path / "eval"), epoch=1, steps=4)
    evaluator(model, str(tmp_path / "eval"), epoch=2, steps=8)
    with (tmp_path / "eval" / "bias_evaluation_results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["epoch"], row["steps"]) for row in rows] == [("1", "4"), ("2", "8")]
    assert float(rows[0]["seat_d.weat7"]) == first["seat_d.weat7"]


def test_an_error_costs_a_warning(folder, tmp_path, capsys):
    model = encoder_of(folder)
    with torch.no_grad():
        model[0].auto_model.embeddings.word_embeddings.weight.fill_(math.nan)
    evaluator = cp.callbacks.BiasEvaluator("seat")
    metrics = evaluator(model)
    assert math.isnan(metrics["bias_seat_mean_absolute"])
    assert "training goes on" in capsys.readouterr().err


class NoEvaluator(evaluation.SentenceEvaluator):
    def __call__(self, model, output_path=None, epoch=-1, steps=-1):
        self.primary_metric = "nothing"
        return {"nothing": 0.0}


@pytest.mark.slow
def test_amid_a_training(folder, tmp_path):
    """The weights are the same as with an evaluator that does nothing, and the metrics are logged."""
    datasets = pytest.importorskip("datasets")
    texts = ["A man left.", "It rains.", "She is a nurse.", "The bus is late."] * 2
    pairs = datasets.Dataset.from_dict({"anchor": texts, "positive": texts[1:] + texts[:1]})

    def trained(name, evaluator):
        torch.manual_seed(0)
        model = encoder_of(folder)
        arguments = sentence_transformers.SentenceTransformerTrainingArguments(
            output_dir=str(tmp_path / name),
            num_train_epochs=2,
            per_device_train_batch_size=4,
            eval_strategy="epoch",
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            disable_tqdm=True,
        )
        trainer = sentence_transformers.SentenceTransformerTrainer(
            model=model,
            args=arguments,
            train_dataset=pairs,
            loss=losses.MultipleNegativesRankingLoss(model),
            evaluator=evaluator,
        )
        trainer.train()
        return trainer

    with_it, without = trained("with", cp.callbacks.BiasEvaluator("seat")), trained("without", NoEvaluator())
    weights, plain = with_it.model.state_dict(), without.model.state_dict()
    assert all(torch.equal(weights[name], plain[name]) for name in plain)
    values = [
        entry["eval_bias_seat_d.weat6"]
        for entry in with_it.state.log_history
        if "eval_bias_seat_d.weat6" in entry
    ]
    assert len(values) == 2
    assert values[0] != values[1]
    now = cp.callbacks.measure(with_it.model).set_index("key").value["d.weat6"]
    assert values[1] == pytest.approx(now, abs=1e-5)


def test_the_callback_measures_an_encoder_in_training_too(folder):
    model = encoder_of(folder)
    model.train()
    table = cp.callbacks.measure(model, measures="seat")
    assert model.training
    assert len(table) == 6
