"""Classifiers from anywhere: functions, scikit-learn, transformers, names of functions, ONNX; and what is refused."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import counterpoise as cp
import tiny
from counterpoise.core.errors import CounterpoiseError, FunctionError, InputError, ModelError
from counterpoise.models.named_functions import import_function, is_function_name

TEXTS = ["he is good", "she is bad", "he sings well", "she left early", "a good man", "a bad woman"]
LABELS = [1, 0, 1, 0, 1, 0]


def fitted(estimator=None, labels=LABELS):
    return make_pipeline(TfidfVectorizer(), estimator or LogisticRegression()).fit(TEXTS, labels)


def tiny_classifier(labels=("negative", "positive")):
    torch.manual_seed(0)
    tokenizer = tiny.wordpiece()
    shape = {
        **tiny.SHAPE,
        "vocab_size": len(tokenizer),
        "pad_token_id": 0,
        "id2label": dict(enumerate(labels)),
    }
    model = transformers.BertForSequenceClassification(
        transformers.BertConfig(**shape, num_labels=len(labels))
    )
    return model.eval(), tokenizer


@pytest.mark.parametrize(
    ("labels", "positive", "column"),
    [
        ([1, 0, 1, 0, 1, 0], None, 1),
        ([1.0, 0.0, 1.0, 0.0, 1.0, 0.0], None, 1),
        ([True, False] * 3, None, 1),
        (["pos", "neg"] * 3, None, 1),
        (["good", "poor"] * 3, "Good", 0),
        (["a", "b", "c"] * 2, "c", 2),
    ],
)
def test_ratings_of_scikit_learn_are_the_probability_of_the_positive_label(labels, positive, column):
    pipeline = fitted(labels=labels)
    classifier = cp.load(pipeline, positive=positive)
    assert classifier.rate(TEXTS) == pytest.approx(pipeline.predict_proba(TEXTS)[:, column], abs=1e-15)
    wanted = [
        str(int(label)) if isinstance(label, float) else str(label) for label in pipeline.predict(TEXTS)
    ]
    assert classifier.predict(TEXTS) == wanted


@pytest.mark.slow
def test_the_same_pipeline_is_the_same_in_another_process():
    """Else a run would not resume: scikit-learn keeps an address in its vectorizers."""
    code = (
        "from sklearn.feature_extraction.text import TfidfVectorizer\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from counterpoise.models.estimators import classifier_of_object\n"
        "pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(['he', 'she'], [0, 1])\n"
        "print(classifier_of_object(pipeline, None, None).fingerprint)"
    )
    done = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert done[0] == done[1]
    assert cp.load(fitted()).fingerprint != cp.load(fitted(labels=LABELS[::-1])).fingerprint


def test_measures_and_audits_take_what_load_takes(tmp_path):
    pipeline = fitted()
    result = cp.measures.sentiment(pipeline, TEXTS)
    he, she = pipeline.predict_proba(["he is good", "she is good"])[:, 1]
    assert result.items.bias.iloc[0] == pytest.approx(he - she)
    path = tmp_path / "texts.csv"
    pd.DataFrame({"review": TEXTS}).to_csv(path, index=False)
    read = cp.audit(pipeline, measures=["sentiment"], texts=cp.data.read_texts(path, "review"))
    listed = cp.audit(pipeline, measures=["sentiment"], texts=TEXTS)
    from_file = cp.audit(pipeline, measures=["sentiment"], texts=path, columns={"text": "review"})
    for audit in (read, listed, from_file):
        assert audit.results["sentiment"].items.bias.tolist() == result.items.bias.tolist()


def test_texts_given_in_python_are_part_of_the_options_of_a_run(tmp_path):
    audit = cp.audit(fitted(), measures=["sentiment"], texts=TEXTS, out=tmp_path / "run")
    assert audit.run.manifest["options"]["texts"].startswith("given in Python, ")
    assert audit.run.manifest["kind"] == "classifier"
    with pytest.raises(CounterpoiseError, match="holds a run with texts"):
        cp.audit(fitted(), measures=["sentiment"], texts=TEXTS[:4], out=tmp_path / "run")


def test_a_transformers_pipeline_and_a_model_with_its_tokenizer():
    model, tokenizer = tiny_classifier()
    pipeline = transformers.pipeline("text-classification", model=model, tokenizer=tokenizer, device="cpu")
    with torch.no_grad():
        logits = [model(**tokenizer(text, return_tensors="pt")).logits[0] for text in TEXTS]
    wanted = [float(row.double().softmax(-1)[1]) for row in logits]
    for given in (pipeline, (model, tokenizer)):
        assert cp.load(given).rate(TEXTS) == pytest.approx(wanted, abs=1e-6)
        assert cp.measures.sentiment(given, TEXTS).items.shape[0] == len(TEXTS)


def test_language_models_at_hand_are_taken_too(small):
    sentence = ["He is a nurse."]
    again = cp.load((small.model, small.tokenizer))
    assert again.pseudo_log_likelihood(sentence) == pytest.approx(small.pseudo_log_likelihood(sentence))
    assert cp.load(small) is small


class NoProbabilities:
    def fit(self): ...
    def predict(self): ...


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (42, "int cannot be measured: give a function"),
        (None.__class__, "is a class; give an object of it"),
        (pd.DataFrame({"text": TEXTS}), "DataFrame cannot be measured"),
        (LogisticRegression, "LogisticRegression is a class; give an object of it, or a function"),
        (NoProbabilities(), "NoProbabilities gives no probabilities; calibrate it"),
        (torch.nn.Linear(2, 2), "Linear is a torch module and takes no texts"),
        ((1, 2), "a tuple must be a transformers model and its tokenizer"),
        ((1, 2, 3), "a tuple must be a transformers model and its tokenizer"),
    ],
)
def test_what_cannot_be_taken_is_said_in_one_line(given, message):
    with pytest.raises(InputError) as error:
        cp.load(given)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_estimators_that_are_not_ready_say_what_would_work():
    svm = fitted(LinearSVC())
    with pytest.raises(InputError, match="gives no probabilities; calibrate it"):
        cp.load(svm)
    calibrated = make_pipeline(TfidfVectorizer(), CalibratedClassifierCV(LinearSVC(), cv=2)).fit(
        TEXTS, LABELS
    )
    assert cp.load(calibrated).rate(TEXTS).shape == (6,)
    with pytest.raises(InputError, match="has no classes_; fit it on labelled texts first"):
        cp.load(make_pipeline(TfidfVectorizer(), LogisticRegression()))
    with pytest.raises(ModelError, match=r"which label of Pipeline is the positive one\? .* a, b, c"):
        cp.load(fitted(labels=["a", "b", "c"] * 2))
    with pytest.raises(InputError, match="there is no label of Pipeline '7'"):
        cp.load(fitted(), positive="7")
    vectors_only = LogisticRegression().fit(np.eye(2), [0, 1])
    with pytest.raises(FunctionError, match="LogisticRegression raised an error: ValueError"):
        cp.load(vectors_only).rate(TEXTS)
    model, tokenizer = tiny_classifier()
    with pytest.raises(InputError, match="is a model without its tokenizer"):
        cp.load(model)
    with pytest.raises(InputError, match="a fast tokenizer is needed"):
        cp.load((model, lambda text: text))
    del tokenizer


def test_a_table_given_as_texts_is_refused_with_the_fix():
    table = pd.DataFrame({"review": TEXTS})
    for attempt in (
        lambda: cp.audit(fitted(), texts=table),
        lambda: cp.measures.sentiment(fitted(), table),
    ):
        with pytest.raises(InputError, match=r'\(columns: review\); give one column, as in table\["text"\]'):
            attempt()


def test_a_number_given_as_texts_is_refused():
    with pytest.raises(InputError, match="texts must be a list of texts, not int"):
        cp.audit(fitted(), texts=3)


def test_an_error_inside_a_function_ends_the_audit_and_names_it(no_data):
    """Also in a suite, where a measure that cannot run is otherwise left out."""

    def moody(texts):
        raise KeyError("no such\nmood")

    with pytest.raises(FunctionError, match="moody raised an error: KeyError") as error:
        cp.audit(moody, texts=TEXTS)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "name",
    [
        "bert-base-uncased",
        "org/model",
        "C:\\models\\mine",
        "C:/models",
        "./a:b",
        "https://x.y/z",
        "host:8000",
        "a:",
        ":b",
    ],
)
def test_names_that_are_no_functions(name):
    assert not is_function_name(name)


def test_a_file_with_a_colon_in_its_name_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_function_name("json:dumps")
    (tmp_path / "json:dumps").touch()
    assert not is_function_name("json:dumps")


def counterpoise(folder, *arguments):
    """Runs the command in a folder, in a process of its own since it imports what is there."""
    return subprocess.run(
        [sys.executable, "-m", "counterpoise", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


MODULE = """
def rate(texts):
    return [0.5 + 0.1 * (" he " in f" {text} ") for text in texts]

def broken(texts):
    return 1 / 0

class Rater:
    pass
"""


@pytest.mark.slow
def test_the_command_audits_a_function(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "ratings.py").write_text(MODULE)
    pd.DataFrame({"text": TEXTS}).to_csv(tmp_path / "texts.csv", index=False)
    common = ("--texts", "texts.csv", "--measures", "sentiment")
    done = counterpoise(tmp_path, "audit", "mine.ratings:rate", *common)
    assert done.returncode == 0, done.stderr
    document = json.loads(
        (tmp_path / "runs" / "mine-ratings-rate-sentiment-texts" / "summary.json").read_text()
    )
    value = next(row["value"] for row in document["results"] if row["key"] == "total_bias")
    assert document["model"] == "mine.ratings:rate"
    assert value == pytest.approx(0.1 * 4 / 6)  # he or she is in four of six texts
    done = counterpoise(tmp_path, "audit", "mine.ratings:broken", *common)
    assert done.returncode == 2
    assert (
        done.stderr
        == "counterpoise: mine.ratings:broken raised an error: ZeroDivisionError: division by zero\n"
    )


def test_names_of_functions_that_lead_nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "some_ratings.py").write_text(MODULE)
    (tmp_path / "bad_ratings.py").write_text("import nothing_like_this")
    (tmp_path / "leaving_ratings.py").write_text("raise SystemExit('bye')")
    assert import_function("some_ratings:rate")(["he", "she"]) == [0.6, 0.5]
    for name, message in (
        ("some_ratings:rat", "there is no 'rat' in some_ratings; did you mean 'rate'"),
        ("no_such_ratings:rate", "there is no module 'no_such_ratings'"),
        ("bad_ratings:rate", "importing bad_ratings failed: ModuleNotFoundError"),
        ("leaving_ratings:rate", "importing leaving_ratings failed: SystemExit: bye"),
    ):
        with pytest.raises(InputError, match=message):
            import_function(name)
    with pytest.raises(InputError, match="Rater is a class"):
        cp.load(import_function("some_ratings:Rater"))


def test_an_onnx_folder_says_what_it_lacks(tmp_path, monkeypatch):
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match=r"has model\.onnx but no tokenizer\.json"):
        cp.load(tmp_path)
    for name in ("tokenizer.json", "config.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(ModelError, match="can be measured as a classifier only, not as masked"):
        cp.load(tmp_path, kind="masked")
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "onnxruntime" else found(name)
    )
    with pytest.raises(ModelError, match="to read it, install onnxruntime"):
        cp.load(tmp_path)


@pytest.mark.slow
def test_an_exported_classifier_rates_as_the_model_it_was(tmp_path):
    for package in ("onnxruntime", "onnx", "onnxscript"):
        pytest.importorskip(package, reason=f"needs {package}")
    model, tokenizer = tiny_classifier()

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask):
            return self.model(input_ids=input_ids, attention_mask=attention_mask).logits

    example = tokenizer(TEXTS[:2], padding=True, return_tensors="pt")
    sizes = {0: torch.export.Dim("texts"), 1: torch.export.Dim("tokens", max=60)}
    torch.onnx.export(
        Logits(),
        (example["input_ids"], example["attention_mask"]),
        tmp_path / "model.onnx",
        input_names=["input_ids", "attention_mask"],
        output_names=["logits"],
        dynamic_shapes=(sizes, sizes),
        dynamo=True,
        verbose=False,
    )
    tokenizer.save_pretrained(tmp_path)
    model.config.save_pretrained(tmp_path)
    exported = cp.load(tmp_path)
    assert exported.kind == "classifier"
    assert exported.labels == ("negative", "positive")
    assert exported.rate(TEXTS) == pytest.approx(cp.load((model, tokenizer)).rate(TEXTS), abs=1e-5)
    assert cp.measures.sentiment(exported, TEXTS).items.shape[0] == len(TEXTS)
