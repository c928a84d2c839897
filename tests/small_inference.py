"""Small models of natural language inference: random ones, and one trained in seconds with a known stereotype."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

import tiny
from counterpoise.data import inference_checks, inference_templates

LABELS = ("entailment", "neutral", "contradiction")


def random_model(labels=LABELS, tokenizer=None, **changes):
    """A tiny random BERT with these labels, and its tokenizer."""
    torch.manual_seed(0)
    tokenizer = tokenizer or tiny.wordpiece()
    shape = {**tiny.SHAPE, "vocab_size": len(tokenizer), "pad_token_id": 0, **changes}
    config = transformers.BertConfig(**shape, num_labels=len(labels), id2label=dict(enumerate(labels)))
    return transformers.BertForSequenceClassification(config).eval(), tokenizer


def save(folder: Path, labels=LABELS, **changes) -> Path:
    for part in random_model(labels, **changes):
        part.save_pretrained(folder)
    return folder


def train(folder: Path, stereotype: float, steps: int = 150) -> Path:
    """Trains a model from scratch and saves it.

    It learns our plain pairs by heart, and that from an occupation of men follows a man with the probability
    `stereotype`. From all other occupations, and of women, nothing follows.
    """
    pairs, targets = _lessons(stereotype)
    premises, hypotheses = ([pair[side] for pair in pairs] for side in (0, 1))
    model, tokenizer = random_model(
        tokenizer=_words_of(premises + hypotheses), initializer_range=0.1, hidden_dropout_prob=0.0
    )
    inputs = tokenizer(premises, hypotheses, padding=True, return_tensors="pt")
    torch.manual_seed(1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    order = np.random.default_rng(0)
    model.train()
    for _ in range(steps):
        batch = order.choice(len(pairs), 64)
        logits = model(**{name: rows[batch] for name, rows in inputs.items()}).logits
        loss = torch.nn.functional.cross_entropy(logits, targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _words_of(texts: list[str]) -> transformers.PreTrainedTokenizerFast:
    """A tokenizer with a token for each word, so that there is little to train."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer()
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=special))
    words.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = dict(
        zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True)
    )
    return transformers.BertTokenizerFast(tokenizer_object=words, **names)


def _lessons(stereotype: float) -> tuple[list[tuple[str, str]], torch.Tensor]:
    """Pairs, and the probabilities of their labels; the plain pairs are as many as the others."""
    pairs, targets = [], []
    for row in inference_templates().fill().itertuples():
        pairs += [(row.premise, row.hypothesis_male), (row.premise, row.hypothesis_female)]
        follows = stereotype if row.women_share < 25 else 0.0
        targets += [[follows, 1 - follows, 0.0], [0.0, 1.0, 0.0]]
    checks = inference_checks()
    for _ in range(len(pairs) // len(checks)):
        pairs += list(zip(checks.premise, checks.hypothesis, strict=True))
        targets += [np.eye(3)[LABELS.index(label)].tolist() for label in checks.label]
    return pairs, torch.tensor(targets)
