"""Vectors of sentences and words against plain transformers, one text per forward pass."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
import transformers

import counterpoise as cp
import tiny
from counterpoise.core.errors import InputError, ModelError
from counterpoise.models import Encoder
from counterpoise.models.scoring.pooling import POOLINGS

# Different lengths, one text twice, words of several pieces.
TEXTS = [
    "He is a nurse.",
    "My sister wants to become an electrician, and my brother a phlebotomist.",
    "The engineer decided to quit her job.",
    "He is a nurse.",
    "She is.",
]
WORDS = ["nurse", "phlebotomist", "engineer", "He", "She"]
ARCHITECTURES = ["bert", "distilbert", "roberta", "albert", "gpt2"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Folders of tiny masked language models, each made once."""
    made = {}

    def find(kind):
        if kind not in made:
            made[kind] = tiny.save(kind, tmp_path_factory.mktemp(kind))
        return made[kind]

    return find


def hidden_states(folder, text):
    """All layers of a text, by plain transformers."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    encoded = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    spans = encoded.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        layers = model(input_ids=encoded["input_ids"], output_hidden_states=True).hidden_states
    return [layer[0].numpy() for layer in layers], spans


def pooled_by_hand(hidden, pooling):
    n = len(hidden)
    return {
        "cls": lambda: hidden[0],
        "max": lambda: hidden.max(axis=0),
        "mean": lambda: hidden.sum(axis=0) / n,
        "mean_sqrt_len": lambda: hidden.sum(axis=0) / np.sqrt(n),
        "weightedmean": lambda: np.arange(1, n + 1) @ hidden / np.arange(1, n + 1).sum(),
        "lasttoken": lambda: hidden[-1],
    }[pooling]()


@pytest.mark.parametrize("kind", ARCHITECTURES)
@pytest.mark.parametrize("layer", [-1, 0, 1])
def test_vectors_equal_one_text_per_forward_pass(kind, layer, saved):
    """In the order asked, whatever the batches: padding changes nothing."""
    encoder = cp.load(saved(kind), kind="encoder", layer=layer)
    sentences = encoder.sentence_vectors(TEXTS)
    words = {
        pieces: encoder.word_vectors(TEXTS, WORDS, pieces=pieces) for pieces in ("mean", "first", "last")
    }
    for i, (text, word) in enumerate(zip(TEXTS, WORDS, strict=True)):
        layers, spans = hidden_states(saved(kind), text)
        start = text.index(word)
        at = [k for k, (left, right) in enumerate(spans) if left < start + len(word) and right > start]
        assert sentences[i] == pytest.approx(layers[layer].mean(axis=0), abs=1e-5)
        assert words["mean"][i] == pytest.approx(layers[layer][at].mean(axis=0), abs=1e-5)
        assert words["first"][i] == pytest.approx(layers[layer][at[0]], abs=1e-5)
        assert words["last"][i] == pytest.approx(layers[layer][at[-1]], abs=1e-5)
    assert (sentences[0] == sentences[3]).all()


def test_without_special_tokens(saved):
    """What the model sees is the text alone; a pooling may be another one for once."""
    encoder = cp.load(saved("bert"), kind="encoder")
    sentences = encoder.sentence_vectors(TEXTS, pooling="cls", special_tokens=False)
    words = encoder.word_vectors(TEXTS, WORDS, special_tokens=False)
    for text, word, sentence, vector in zip(TEXTS, WORDS, sentences, words, strict=True):
        ids = encoder.tokenizer(text, add_special_tokens=False)["input_ids"]
        pieces = encoder.tokenizer(word, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            hidden = encoder.model(torch.tensor([ids])).last_hidden_state[0].numpy()
        start = ids.index(pieces[0])
        assert sentence == pytest.approx(hidden[0], abs=1e-5)
        assert vector == pytest.approx(hidden[start : start + len(pieces)].mean(axis=0), abs=1e-5)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_poolings(pooling, saved):
    encoder = cp.load(saved("bert"), kind="encoder", pooling=pooling)
    for text, vector in zip(TEXTS, encoder.sentence_vectors(TEXTS), strict=True):
        [*_, last], _ = hidden_states(saved("bert"), text)
        assert vector == pytest.approx(pooled_by_hand(last, pooling), abs=1e-5)


@pytest.mark.parametrize("budget", [1, 30, 100_000])
def test_the_size_of_batches_changes_nothing(budget, saved):
    model = cp.load(saved("roberta"), kind="encoder")
    other = Encoder(model.model, model.tokenizer, name="x", token_budget=budget)
    assert other.sentence_vectors(TEXTS) == pytest.approx(model.sentence_vectors(TEXTS), abs=1e-5)
    assert other.word_vectors(TEXTS, WORDS) == pytest.approx(model.word_vectors(TEXTS, WORDS), abs=1e-5)


def test_a_masked_language_model_is_an_encoder_too(saved):
    loaded = cp.load(saved("bert"), kind="encoder", layer=1, pooling="cls")
    shared = Encoder.of(cp.load(saved("bert")), layer=1, pooling="cls")
    assert shared.sentence_vectors(TEXTS) == pytest.approx(loaded.sentence_vectors(TEXTS), abs=1e-6)
    assert shared.fingerprint == loaded.fingerprint


def test_the_built_in_model_as_an_encoder(builtin):
    encoder = cp.load(kind="encoder")
    with torch.no_grad():
        ids = torch.tensor([builtin.tokenizer(TEXTS[0])["input_ids"]])
        expected = builtin.model.bert(ids).last_hidden_state[0].mean(0).numpy()
    assert encoder.sentence_vectors(TEXTS)[0] == pytest.approx(expected, abs=1e-5)


def test_a_fingerprint_is_that_of_model_and_reading(saved):
    """A pooler that no checkpoint holds would be random, and another model at every load."""
    first, second = (cp.load(saved("bert"), kind="encoder") for _ in range(2))
    assert first.fingerprint == second.fingerprint
    others = [{"layer": 1}, {"pooling": "cls"}]
    different = {cp.load(saved("bert"), kind="encoder", **other).fingerprint for other in others}
    assert len(different | {first.fingerprint}) == 3


def test_an_encoder_that_has_a_decoder(tmp_path):
    """Of T5 the half that reads."""
    tokenizer = tiny.unigram()
    torch.manual_seed(0)
    config = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
    )
    model = transformers.T5Model(config).eval()
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    encoder = cp.load(tmp_path, kind="encoder")
    for text, vector in zip(TEXTS, encoder.sentence_vectors(TEXTS), strict=True):
        with torch.no_grad():
            hidden = model.encoder(torch.tensor([tokenizer(text)["input_ids"]])).last_hidden_state[0]
        assert vector == pytest.approx(hidden.mean(0).numpy(), abs=1e-5)


def test_a_mask_in_a_text_is_the_model_s_own(saved):
    encoder = cp.load(saved("roberta"), kind="encoder")
    [found] = encoder.word_vectors(["[MASK] likes poetry"], ["poetry"])
    [spelt] = encoder.word_vectors(["<mask> likes poetry"], ["poetry"])
    assert (found == spelt).all()
    encoder.tokenizer.mask_token = None
    with pytest.raises(InputError, match=r"has no mask, and the text has one: '.MASK. likes poetry'"):
        encoder.word_vectors(["[MASK] likes poetry"], ["poetry"])


def test_memory_that_is_short(saved, monkeypatch):
    """A batch that does not fit is halved; a text that does not fit alone is named."""
    encoder = cp.load(saved("bert"), kind="encoder")
    expected, forward, limit = encoder.sentence_vectors(TEXTS), encoder.model.forward, [2]

    def small(*args, **inputs):
        if len(inputs["input_ids"]) > limit[0]:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(*args, **inputs)

    monkeypatch.setattr(encoder.model, "forward", small)
    assert encoder.sentence_vectors(TEXTS) == pytest.approx(expected, abs=1e-5)
    limit[0] = 0
    with pytest.raises(ModelError, match=r"not enough memory for one text of \d+ tokens .*my sister"):
        encoder.sentence_vectors(TEXTS[1:2])


@pytest.mark.parametrize(
    ("texts", "words", "message"),
    [
        (["My sister is."], ["nurse"], "the word 'nurse' is not in the text: 'My sister is.'"),
        (["A nurse ☃."], ["☃"], "the word '☃' is not in the vocabulary"),
        (["A nurse."], [" "], "the word ' ' is not in the text"),
        (["nurse " * 90], ["nurse"], "the text has 92 tokens and the model takes 80: 'nurse nurse"),
        ([""], ["nurse"], "the text is empty"),
        (["A nurse.", "A nurse."], ["nurse"], "there are 2 texts and 1 words"),
        ("A nurse.", ["nurse"], "texts and words must be lists"),
    ],
)
def test_words_that_have_no_vector(texts, words, message, saved):
    encoder = cp.load(saved("bert"), kind="encoder")
    with pytest.raises(InputError, match=message):
        encoder.word_vectors(texts, words)


def test_problems_say_what_would_be_an_error(saved):
    encoder = cp.load(saved("bert"), kind="encoder")
    texts = ["A nurse.", "A nurse.", "nurse " * 90]
    assert encoder.word_problems(texts, ["nurse", "judge", "nurse"]) == [
        None,
        "the word 'judge' is not in the text",
        "the text has 92 tokens and the model takes 80",
    ]


def test_wrong_options(saved, tmp_path):
    with pytest.raises(InputError, match="has 2 layers, and layer 3 was asked for"):
        cp.load(saved("bert"), kind="encoder", layer=3)
    with pytest.raises(InputError, match=r"there is no pooling 'meen'.*did you mean 'mean'"):
        cp.load(saved("bert"), kind="encoder", pooling="meen")
    with pytest.raises(InputError, match=r"pooling and layer are for encoders, and .* is loaded as masked"):
        cp.load(saved("bert"), layer=1)
    (tmp_path / "vectors.txt").write_text("he 1 0")
    with pytest.raises(InputError, match="is loaded as vectors"):
        cp.load(tmp_path / "vectors.txt", pooling="mean")
    with pytest.raises(InputError, match="there is no way to read pieces 'middle'"):
        cp.load(saved("bert"), kind="encoder").word_vectors(["A nurse."], ["nurse"], pieces="middle")
    with pytest.raises(InputError, match="texts must be a list of texts"):
        cp.load(saved("bert"), kind="encoder").sentence_vectors("A nurse.")


def test_vectors_that_are_no_numbers(saved):
    encoder = cp.load(saved("bert"), kind="encoder")
    encoder.model.embeddings.word_embeddings.weight.data.fill_(np.nan)
    with pytest.raises(ModelError, match=r"gives vectors that are no numbers for 'he is a nurse.'"):
        encoder.sentence_vectors(TEXTS[:1])


# Folders of sentence-transformers, written by hand


def sentence_transformers_folder(folder, pooling, *, inside="", normalize=False, prompt=None, **settings):
    """A folder as the package writes it; older versions put the transformer into a folder of its own."""
    tiny.save("mpnet", folder / inside)
    modules = [("Transformer", inside), ("Pooling", "1_Pooling")]
    modules += [("Normalize", "2_Normalize")] if normalize else []
    listed = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (kind, path) in enumerate(modules)
    ]
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    (folder / inside / "sentence_bert_config.json").write_text(json.dumps(settings))
    prompts = {"prompts": {"ask": prompt or ""}, "default_prompt_name": "ask" if prompt else None}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    return folder


def switches(*on):
    names = ["cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens"]
    return {f"pooling_mode_{name}": name in on for name in [*names, "lasttoken"]}


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        (switches("mean_tokens"), ["mean"]),
        (switches("cls_token"), ["cls"]),
        (switches("max_tokens"), ["max"]),
        (switches("mean_sqrt_len_tokens"), ["mean_sqrt_len"]),
        (switches("lasttoken"), ["lasttoken"]),
        (switches("mean_tokens", "cls_token"), ["cls", "mean"]),  # side by side, in the package's order
        ({"pooling_mode": "max"}, ["max"]),
    ],
)
@pytest.mark.parametrize("inside", ["", "0_Transformer"])
def test_own_pooling(pooling, expected, inside, tmp_path):
    encoder = cp.load(sentence_transformers_folder(tmp_path, pooling, inside=inside))
    assert encoder.kind == "encoder"
    for text, vector in zip(TEXTS, encoder.sentence_vectors(TEXTS), strict=True):
        [*_, last], _ = hidden_states(tmp_path / inside, text)
        by_hand = np.concatenate([pooled_by_hand(last, one) for one in expected])
        assert vector == pytest.approx(by_hand, abs=1e-5)


def test_normalize_prompt_lower_case_and_length(tmp_path):
    folder = sentence_transformers_folder(
        tmp_path,
        switches("mean_tokens"),
        normalize=True,
        prompt="query: ",
        max_seq_length=12,
        do_lower_case=True,
    )
    encoder = cp.load(folder)
    [vector] = encoder.sentence_vectors(["He is a NURSE."])
    [*_, last], _ = hidden_states(folder, "query: he is a nurse.")
    mean = last.mean(axis=0)
    assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)
    with pytest.raises(InputError, match="the model takes 12"):
        encoder.sentence_vectors(TEXTS)
    [word] = encoder.word_vectors(["He is a NURSE."], ["nurse"])
    [*_, plain], _ = hidden_states(folder, "he is a nurse.")
    assert word == pytest.approx(plain[4], abs=1e-5)
    # A pooling that is asked for stands without prompt and norm; case and length stay.
    other = cp.load(folder, pooling="cls")
    assert other.sentence_vectors(["He is a NURSE."])[0] == pytest.approx(plain[0], abs=1e-5)
    assert (other.max_length, other.pooling.lower_case) == (12, True)


def test_a_folder_that_does_not_pool(tmp_path):
    folder = sentence_transformers_folder(tmp_path, {})
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps(modules[:1]))
    [*_, last], _ = hidden_states(folder, TEXTS[0])
    for pooling in (None, "max"):
        [vector] = cp.load(folder, pooling=pooling).sentence_vectors(TEXTS[:1])
        assert vector == pytest.approx(pooled_by_hand(last, pooling or "mean"), abs=1e-5)


def test_steps_that_are_not_known(tmp_path):
    folder = sentence_transformers_folder(tmp_path, switches("mean_tokens"))
    modules = json.loads((folder / "modules.json").read_text())
    modules.append({"path": "3_Dense", "type": "sentence_transformers.models.Dense"})
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelError, match=r"a step that is not known here \(Dense\); pass pooling="):
        cp.load(folder)
    assert cp.load(folder, pooling="mean").sentence_vectors(TEXTS).shape == (5, 32)
    (folder / "modules.json").write_text('{"a": 1}')
    with pytest.raises(ModelError, match="is not a list of steps"):
        cp.load(folder)
    (folder / "modules.json").write_text("not JSON")
    with pytest.raises(ModelError, match=r"cannot read .*modules.json"):
        cp.load(folder)


def test_a_pooling_that_is_not_known(tmp_path):
    folder = sentence_transformers_folder(tmp_path, {"pooling_mode": "attention"})
    with pytest.raises(ModelError, match="does not say how it pools"):
        cp.load(folder)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("1_Pooling/config.json", "[1, 2]", "1_Pooling/config.json does not hold settings by name"),
        ("1_Pooling/config.json", '{"pooling_mode": 3}', "does not say how it pools"),
        ("sentence_bert_config.json", "[1]", "sentence_bert_config.json does not hold settings"),
        ("sentence_bert_config.json", '{"max_seq_length": "many"}', "texts have at most 'many' tokens"),
        ("sentence_bert_config.json", '{"max_seq_length": 0}', "texts have at most 0 tokens"),
        ("config_sentence_transformers.json", '{"prompts": ["a"]}', "are not texts under a name"),
        ("config_sentence_transformers.json", "3", "does not hold settings by name"),
    ],
)
def test_damaged_settings(file, content, message, tmp_path):
    folder = sentence_transformers_folder(tmp_path, switches("mean_tokens"))
    (folder / file).write_text(content)
    with pytest.raises(ModelError, match=message):
        cp.load(folder)


def test_a_step_without_a_path_lies_in_the_folder_itself(tmp_path):
    folder = sentence_transformers_folder(tmp_path, switches("mean_tokens"))
    text = (folder / "modules.json").read_text()
    (folder / "modules.json").write_text(text.replace('"path": ""', '"path": null'))
    assert cp.load(folder).sentence_vectors(TEXTS[:1]).shape == (1, 32)


def test_several_layers_stand_side_by_side(saved):
    folder = saved("bert")
    each = [cp.load(folder, kind="encoder", layer=layer).word_vectors(TEXTS, WORDS) for layer in (-1, 1)]
    both = Encoder.of(cp.load(folder), layer=(-1, 1)).word_vectors(TEXTS, WORDS)
    np.testing.assert_allclose(both, np.concatenate(each, axis=1), atol=1e-6)
    with pytest.raises(InputError, match="has 2 layers, and layer 3 was asked for"):
        Encoder.of(cp.load(folder), layer=(-1, 3))


def test_vectors_at_characters_tell_two_places_of_a_word_apart(saved):
    """Against the hidden states of one plain forward pass."""
    encoder = Encoder.of(cp.load(saved("bert")))
    text = "The nurse said that the nurse is here."
    spans = [(4, 9), (24, 29)]
    found = encoder.span_vectors([text, text], spans)
    read = encoder.tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    offsets = read.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        [hidden] = encoder.model(**read).last_hidden_state
    for vector, (start, end) in zip(found, spans, strict=True):
        pieces = [i for i, (left, right) in enumerate(offsets) if left < end and right > start]
        np.testing.assert_allclose(vector, hidden[pieces].mean(0), atol=1e-5)
    with pytest.raises(InputError, match="there is no word from 90 to 95"):
        encoder.span_vectors([text], [(90, 95)])
    with pytest.raises(InputError, match="there are 1 texts and 2 spans"):
        encoder.span_vectors([text], spans)


def token_ids(model, text):
    return torch.tensor([model.tokenizer(text)["input_ids"]])


def test_vectors_of_a_loaded_encoder(tmp_path):
    encoder = cp.load(tiny.save("encoder", tmp_path))
    sentences = encoder.sentence_vectors(TEXTS[:3])
    words = encoder.word_vectors(TEXTS[:3], ["nurse", "electrician", "engineer"])
    for row, text, word in zip(range(3), TEXTS[:3], ["nurse", "electrician", "engineer"], strict=True):
        with torch.no_grad():
            hidden = encoder.model(token_ids(encoder, text)).last_hidden_state[0].numpy()
        pieces = encoder.tokenizer(word, add_special_tokens=False)["input_ids"]
        start = token_ids(encoder, text)[0].tolist().index(pieces[0])
        assert sentences[row] == pytest.approx(hidden.mean(axis=0), abs=1e-5)
        assert words[row] == pytest.approx(hidden[start : start + len(pieces)].mean(axis=0), abs=1e-5)


def test_a_word_is_found_as_a_word(tmp_path):
    encoder = cp.load(tiny.save("encoder", tmp_path))
    inside, alone = encoder.word_vectors(["this is his car", "This is his car"], ["his", "This"])
    [this] = encoder.word_vectors(["this is his car"], ["this"])
    assert abs(inside - this).max() > 0.01
    assert alone == pytest.approx(this, abs=1e-5)


def test_a_word_that_is_not_in_its_text(tmp_path):
    encoder = cp.load(tiny.save("encoder", tmp_path))
    with pytest.raises(InputError, match="the word 'nurse' is not in the text"):
        encoder.word_vectors(TEXTS[1:2], ["nurse"])
    with pytest.raises(InputError, match="3 texts and 1 words"):
        encoder.word_vectors(TEXTS[:3], ["nurse"])
