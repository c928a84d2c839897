"""Classifiers that were exported to ONNX: a folder with model.onnx, tokenizer.json and config.json.

Exports of optimum have these files. The model is run by onnxruntime on the CPU; ratings are computed in double
precision from its logits, as those of other classifiers are.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from counterpoise.core.documents import read_json_file
from counterpoise.core.errors import ModelError
from counterpoise.core.hashing import hash_file
from counterpoise.models.function_classifier import LabelledClassifier

MODEL = "model.onnx"
_FILES = (MODEL, "tokenizer.json", "config.json")


def is_onnx_folder(folder: Path) -> bool:
    """Does a folder hold a model in ONNX and no weights that would be read first?"""
    return (folder / MODEL).is_file() and not any(folder.glob("*.safetensors"))


def load_onnx(folder: Path, kind: str | None, positive: str | None, name: str) -> LabelledClassifier:
    """The classifier in a folder; one line about what is missing if there is none."""
    if kind not in (None, "classifier"):
        raise ModelError(
            f"{name} is an ONNX model, which can be measured as a classifier only, not as {kind}"
        )
    for file in _FILES:
        if not (folder / file).is_file():
            raise ModelError(f"{folder} has {MODEL} but no {file}; export the model with all three files")
    if importlib.util.find_spec("onnxruntime") is None:
        raise ModelError(
            f"{name} is an ONNX model; to read it, install onnxruntime (pip install onnxruntime)"
        )
    config = _read_config(folder / "config.json")
    session = _OnnxSession(folder, config)
    return LabelledClassifier(
        session.probabilities,
        [str(config["id2label"][number]) for number in sorted(config["id2label"], key=int)],
        name=name,
        fingerprint=hash_file(folder / MODEL)[:32],
        positive=positive,
        max_length=session.max_length,
    )


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = read_json_file(path, ModelError)
        labels = config["id2label"]
        if len(labels) < 2 or sorted(map(int, labels)) != list(range(len(labels))):
            raise ValueError("id2label must number two labels or more")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"cannot read the labels (id2label) of {path}: {error}") from error
    return dict(config)


class _OnnxSession:
    """Tokenizes texts, runs the model, and turns its logits into probabilities."""

    def __init__(self, folder: Path, config: dict[str, Any]) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session = onnxruntime.InferenceSession(
                str(folder / MODEL), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # whatever a broken file can raise
            raise ModelError(f"cannot load {folder / MODEL}: {str(error).splitlines()[0]}") from error
        self._inputs = {given.name for given in self._session.get_inputs()}
        known = {"input_ids", "attention_mask", "token_type_ids"}
        if "input_ids" not in self._inputs or not self._inputs <= known:
            raise ModelError(
                f"{folder / MODEL} takes {', '.join(sorted(self._inputs))}, not token ids of a text"
            )
        self._is_multi_label = config.get("problem_type") == "multi_label_classification"
        self.max_length: int | None = config.get("max_position_embeddings")
        if self.max_length is not None:
            self._tokenizer.enable_truncation(self.max_length)
        self._tokenizer.enable_padding(pad_id=config.get("pad_token_id") or 0)

    def probabilities(self, texts: list[str]) -> np.ndarray:
        from scipy.special import expit, softmax

        # One text at a time: exports differ in whether padding changes a text's logits.
        logits = np.concatenate([self._logits([text]) for text in texts])
        return np.asarray(expit(logits) if self._is_multi_label else softmax(logits, axis=1))

    def _logits(self, texts: list[str]) -> np.ndarray:
        encodings = self._tokenizer.encode_batch(texts)
        arrays = {
            "input_ids": [encoding.ids for encoding in encodings],
            "attention_mask": [encoding.attention_mask for encoding in encodings],
            "token_type_ids": [encoding.type_ids for encoding in encodings],
        }
        fed = {name: np.array(rows, dtype=np.int64) for name, rows in arrays.items() if name in self._inputs}
        return np.asarray(self._session.run(None, fed)[0], dtype=np.float64)
