"""Trains the weights of `counterpoise.text.pronoun_cases` (her -> his or him, his -> her or hers).

    python tools/train_pronouns.py --text imdb_50k_labelled.csv.xz:review --text gap-test.tsv:Text --ewt ud/

1. A cloze task on all the text teaches what words are like: guess the word in the middle of the window.
2. The pronouns that label themselves teach the two questions: his, my, their ... are determiners and him, me,
   them ... objects (for her); my, your ... are determiners and mine, yours ... stand alone (for his). The
   pronouns of UD English EWT, her with its gold tag among them, are added with a larger weight.
3. EWT measures, cross-validated: five folds of whole documents, each judged by weights that never saw it.

About 40 minutes on one core; seeded, so that the same text and versions give the same weights.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from statsmodels.stats.proportion import proportion_confint
from torch import nn

from counterpoise.text.pronoun_cases import AFTER, BEFORE, PAD, PHRASES, ROWS
from pronoun_data import (
    ALONE,
    DETERMINERS,
    OBJECTS,
    OFFSETS,
    Corpus,
    Examples,
    ewt,
    read_texts,
    self_labelled,
    tokenise,
)

DIMENSIONS, HIDDEN, WORDS, ENDINGS, BATCH = 40, 128, 800, 100, 1024
EWT_WEIGHT = 8.0
FOLDS = 5


class Network(nn.Module):
    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.rows = nn.EmbeddingBag(ROWS, DIMENSIONS, mode="sum")
        nn.init.normal_(self.rows.weight, std=0.1)
        self.hidden = nn.Linear((BEFORE + AFTER) * DIMENSIONS, HIDDEN)
        self.output = nn.Linear(HIDDEN, outputs)

    def forward(self, windows: torch.Tensor) -> torch.Tensor:
        """windows: (batch, tokens, rows of a token) -> (batch, outputs)"""
        batch, tokens, per_token = windows.shape
        vectors = self.rows(windows.reshape(batch * tokens, per_token)).reshape(batch, -1)
        return self.output(torch.relu(self.hidden(nn.functional.dropout(vectors, 0.1, self.training))))


class Classifier(nn.Module):
    """The network with two outputs, and the weights of phrases."""

    def __init__(self, cloze_state: dict[str, torch.Tensor]) -> None:
        super().__init__()
        self.network = Network(2)
        learned = {name: value for name, value in cloze_state.items() if not name.startswith("output")}
        self.network.load_state_dict(learned, strict=False)
        self.phrases = nn.EmbeddingBag(PHRASES, 2, mode="sum")
        nn.init.zeros_(self.phrases.weight)

    def forward(self, windows: torch.Tensor, phrases: torch.Tensor) -> torch.Tensor:
        return self.network(windows) + self.phrases(phrases)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", action="append", required=True, help="FILE:COLUMN of a CSV or TSV")
    parser.add_argument(
        "--ewt", type=Path, required=True, help="folder of en_ewt-ud-{train,dev,test}.conllu.xz"
    )
    parser.add_argument("--out", type=Path, default=Path("src/counterpoise/text/lists/pronouns.npz"))
    parser.add_argument("--epochs", type=int, default=8, help="passes of the cloze task")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cloze", type=Path, default=Path("cloze.pt"), help="kept here; read if it exists")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    corpus = tokenise(read_texts(options.text))
    print(f"{len(corpus.tokens):,} tokens, {len(corpus.numbers):,} kinds", flush=True)
    if not options.cloze.exists():
        torch.save(cloze(corpus, options.epochs, options.seed).state_dict(), options.cloze)
    state = torch.load(options.cloze)
    raw, held_out = self_labelled(corpus)
    gold = ewt(options.ewt, corpus, EWT_WEIGHT)
    table = corpus.row_table()
    classifier = fine_tune(raw + gold, table, state, options.seed)
    report("held-out text", held_out, answers(classifier, held_out, table))
    np.savez_compressed(options.out, **pack(classifier))  # type: ignore[arg-type]
    print(f"-> {options.out} ({options.out.stat().st_size:,} bytes)")
    report("EWT, cross-validated", gold, cross_validated(raw, gold, table, state, options.seed))


def cloze(corpus: Corpus, epochs: int, seed: int) -> Network:
    """Learns to guess the middle word: one of the 800 most frequent, or else its ending."""
    names = corpus.names
    counts = Counter[str]()
    for name, n in zip(names, torch.bincount(corpus.tokens, minlength=len(names)).tolist(), strict=True):
        counts[name] += n
    del counts[PAD]
    words = {word: i for i, (word, _) in enumerate(counts.most_common(WORDS))}
    endings = Counter[str]()
    for name, n in counts.items():
        if name not in words:
            endings[name[-2:]] += n
    ending_classes = {e: WORDS + i for i, (e, _) in enumerate(endings.most_common(ENDINGS - 1))}
    other = WORDS + ENDINGS - 1
    classes = torch.tensor([words.get(n, ending_classes.get(n[-2:], other)) for n in names])

    # Frequent words teach little: the, of and commas are thinned, the pronouns are not.
    share = np.array([counts[n] for n in names]) / counts.total()
    keep = np.minimum(1, np.sqrt(2e-4 / np.maximum(share, 1e-9)))
    keep[[n in DETERMINERS or n in OBJECTS or n in ("her", "hers") for n in names]] = 1
    keep[0] = 0
    chance = keep[corpus.tokens.numpy()]
    random = np.random.default_rng(seed)
    table = corpus.row_table()
    network = Network(WORDS + ENDINGS)
    optimiser = torch.optim.Adam(network.parameters(), lr=2e-3, fused=True)
    began = time.time()
    for epoch in range(epochs):
        places = torch.from_numpy(random.permutation(np.flatnonzero(random.random(len(chance)) < chance)))
        total = 0.0
        for i in range(0, len(places), BATCH):
            optimiser.param_groups[0]["lr"] = 2e-3 * (1 - (epoch + i / len(places)) / epochs) + 1e-5
            middle = places[i : i + BATCH]
            windows = table[corpus.tokens[middle[:, None] + OFFSETS]]
            loss = nn.functional.cross_entropy(network(windows), classes[corpus.tokens[middle]])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item() * len(middle)
        seconds = time.time() - began
        print(f"cloze {epoch + 1}/{epochs}: loss {total / len(places):.3f}, {seconds:.0f} s", flush=True)
    return network


def fine_tune(
    examples: Examples, table: torch.Tensor, state: dict[str, torch.Tensor], seed: int, epochs: int = 3
) -> Classifier:
    """Learns the two questions; the weights are averaged over the second half of the way."""
    torch.manual_seed(seed)
    classifier = Classifier(state)
    averaged = torch.optim.swa_utils.AveragedModel(classifier)
    rates = (1e-3, 5e-3)
    groups = [{"params": classifier.network.parameters()}, {"params": classifier.phrases.parameters()}]
    optimiser = torch.optim.Adam(groups, weight_decay=1e-6, fused=True)
    steps, total = 0, epochs * -(-len(examples) // 256)
    for _ in range(epochs):
        order = torch.randperm(len(examples))
        for i in range(0, len(order), 256):
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * (1.01 - steps / total)
            some = order[i : i + 256]
            scores = classifier(table[examples.windows[some]], examples.phrases[some])
            losses = nn.functional.binary_cross_entropy_with_logits(
                scores, examples.labels[some].clamp(min=0), reduction="none"
            )
            loss = (losses * examples.weights[some]).sum() / len(some)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            steps += 1
            if steps > total // 2:
                averaged.update_parameters(classifier)
    result: Classifier = averaged.module.eval()  # type: ignore[assignment]
    return result


def answers(classifier: Classifier, examples: Examples, table: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        parts = zip(examples.windows.split(8192), examples.phrases.split(8192), strict=True)
        return (torch.cat([classifier(table[windows], phrases) for windows, phrases in parts]) > 0).float()


def cross_validated(
    raw: Examples, gold: Examples, table: torch.Tensor, state: dict[str, torch.Tensor], seed: int
) -> torch.Tensor:
    """The answer to each gold example by weights that saw nothing of its document."""
    fold = np.array([zlib.crc32(document.encode()) % FOLDS for document in gold.documents])
    found = torch.zeros((len(gold), 2))
    for number in range(FOLDS):
        inside = np.flatnonzero(fold == number)
        seen = gold.take(np.flatnonzero(fold != number).tolist())
        classifier = fine_tune(raw + seen, table, state, seed)
        found[inside] = answers(classifier, gold.take(inside.tolist()), table)
    return found


def report(title: str, examples: Examples, found: torch.Tensor) -> None:
    """Accuracies with Wilson's interval."""
    words = np.array(examples.words, dtype=object)
    rows = {
        "her": (["her"], 0),
        "his, him masked": (["his", "him"], 0),
        "his": (["his"], 1),
        "hers, mine ...": (ALONE, 1),
    }
    for name, (chosen, question) in rows.items():
        asked = np.isin(words, list(chosen)) & (examples.labels[:, question] >= 0).numpy()
        if n := int(asked.sum()):
            right = int((found == examples.labels)[asked, question].sum())
            low, high = proportion_confint(right, n, method="wilson")
            print(f"{title}, {name}: {right}/{n} = {right / n:.4f} [{low:.4f}, {high:.4f}]", flush=True)


def pack(classifier: Classifier) -> dict[str, np.ndarray]:
    """The matrices in 8 bits, with one scale for each row (for phrases: each column)."""
    state = {name: value.detach().numpy() for name, value in classifier.state_dict().items()}
    packed: dict[str, np.ndarray] = {}
    for name, value, axis in (
        ("rows", state["network.rows.weight"], 1),
        ("hidden", state["network.hidden.weight"].T, 1),
        ("phrases", state["phrases.weight"], 0),
    ):
        scale = np.abs(value).max(axis=axis, keepdims=True) / 127 + 1e-12
        packed[name] = np.round(value / scale).astype(np.int8)
        packed[f"{name}_scale"] = scale.astype(np.float32)
    packed["hidden_bias"] = state["network.hidden.bias"]
    packed["output"] = state["network.output.weight"].T
    packed["output_bias"] = state["network.output.bias"]
    return packed


if __name__ == "__main__":
    main()
