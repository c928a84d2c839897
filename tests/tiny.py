"""Tiny random models in the formats of the real ones, each with a real tokenizer trained on our own sentences."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import torch
import transformers
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from counterpoise.data import becpro, pronoun_templates
from counterpoise.models.loading import BUILTIN_FOLDER

SHAPE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 80,
    "initializer_range": 0.4,  # large, so that random models have opinions
}
MASKED = (
    "bert",
    "distilbert",
    "roberta",
    "xlm-roberta",
    "albert",
    "electra",
    "mpnet",
    "modernbert",
    "deberta-v2",
)


def sentences() -> list[str]:
    return [*becpro("en").sentence[::7], *pronoun_templates().fill().text.str.replace("[MASK]", "They")[::3]]


def save(kind: str, folder: Path, **changes: object) -> Path:
    """Saves a tiny model of an architecture with its tokenizer; its configuration may be changed."""
    torch.manual_seed(0)
    tokenizer = _tokenizer(kind)
    model = _MODELS[kind](tokenizer, **changes)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_long(kind: str, folder: Path, length: int = 256, **changes: object) -> Path:
    """The same, for texts of up to `length` tokens (GPT-2)."""
    save(kind, folder, n_positions=length, **changes)
    settings = folder / "tokenizer_config.json"
    settings.write_text(
        settings.read_text().replace('"model_max_length": 64', f'"model_max_length": {length}')
    )
    return folder


@lru_cache
def _tokenizer(kind: str) -> transformers.PreTrainedTokenizerFast:
    return _TOKENIZERS[kind]()


def wordpiece() -> transformers.PreTrainedTokenizerFast:
    """The real BERT vocabulary."""
    return transformers.AutoTokenizer.from_pretrained(str(BUILTIN_FOLDER))


def byte_level(texts: list[str] | None = None) -> transformers.PreTrainedTokenizerFast:
    """Byte-level BPE as RoBERTa has it: a word after a space is another token than one at the start."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(
        texts or sentences(),
        trainers.BpeTrainer(
            vocab_size=1200, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        ),
    )
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return _wrap(tokenizer, "<s>", "</s>", "<pad>", "<unk>", "<mask>")


def german_wordpiece() -> transformers.PreTrainedTokenizerFast:
    """WordPiece with case, as the German BERT models have it; person words are whole, long professions are not."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=350, special_tokens=special)
    tokenizer.train_from_iterator(german_sentences(), trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return _wrap(tokenizer, "[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]")


def german_sentences() -> list[str]:
    return becpro("de").sentence[::7].tolist()


def gpt2_byte_level() -> transformers.PreTrainedTokenizerFast:
    """Byte-level BPE as GPT-2 has it: one special token, which ends a text, and no token to pad with."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=1200, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet
    )
    tokenizer.train_from_iterator(sentences(), trainer)
    end = {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **end)


def xlnet_unigram() -> transformers.PreTrainedTokenizerFast:
    """XLNet's own: the classification token comes last, with a type of its own, and padding comes first."""
    special = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
    words = Tokenizer(models.Unigram())
    words.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=800, special_tokens=special, unk_token="<unk>")
    words.train_from_iterator(sentences(), trainer)
    vocabulary = [tuple(entry) for entry in json.loads(words.to_str())["model"]["vocab"]]
    return transformers.XLNetTokenizerFast(vocab=vocabulary, model_max_length=64)


def unigram() -> transformers.PreTrainedTokenizerFast:
    """A unigram model over words marked with a leading bar, as ALBERT has it."""
    tokenizer = Tokenizer(models.Unigram())
    steps = [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(
        sentences(), trainers.UnigramTrainer(vocab_size=800, special_tokens=special, unk_token="<unk>")
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return _wrap(tokenizer, "[CLS]", "[SEP]", "<pad>", "<unk>", "[MASK]")


def _wrap(tokenizer: Tokenizer, cls: str, sep: str, pad: str, unk: str, mask: str):
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=cls,
        eos_token=sep,
        cls_token=cls,
        sep_token=sep,
        pad_token=pad,
        unk_token=unk,
        mask_token=AddedToken(mask, lstrip=True, special=True),
        model_max_length=64,
    )


def _shaped(model: type, config: type, **changes: object):
    def make(tokenizer, **more: object):
        special = {"pad_token_id": tokenizer.pad_token_id, "bos_token_id": tokenizer.bos_token_id}
        special["eos_token_id"] = tokenizer.eos_token_id
        return model(config(**{**SHAPE, "vocab_size": len(tokenizer), **special, **changes, **more})).eval()

    return make


def _xlnet(tokenizer, **changes: object):
    """XLNet has names of its own for its sizes, and no limit of length."""
    shape = {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64, "initializer_range": 0.4}
    special = {"pad_token_id": tokenizer.pad_token_id, "vocab_size": len(tokenizer)}
    return transformers.XLNetLMHeadModel(transformers.XLNetConfig(**{**shape, **special, **changes})).eval()


_MODELS = {
    "bert": _shaped(transformers.BertForMaskedLM, transformers.BertConfig),
    "german-bert": _shaped(transformers.BertForMaskedLM, transformers.BertConfig),
    "german-roberta": _shaped(transformers.RobertaForMaskedLM, transformers.RobertaConfig),
    "distilbert": _shaped(
        transformers.DistilBertForMaskedLM,
        transformers.DistilBertConfig,
        dim=32,
        n_layers=2,
        n_heads=4,
        hidden_dim=64,
    ),
    "roberta": _shaped(transformers.RobertaForMaskedLM, transformers.RobertaConfig),
    "xlm-roberta": _shaped(transformers.XLMRobertaForMaskedLM, transformers.XLMRobertaConfig),
    "albert": _shaped(transformers.AlbertForMaskedLM, transformers.AlbertConfig, embedding_size=16),
    "electra": _shaped(transformers.ElectraForMaskedLM, transformers.ElectraConfig, embedding_size=16),
    "mpnet": _shaped(transformers.MPNetForMaskedLM, transformers.MPNetConfig),
    "modernbert": _shaped(
        transformers.ModernBertForMaskedLM, transformers.ModernBertConfig, initializer_cutoff_factor=2.0
    ),
    "deberta-v2": _shaped(transformers.DebertaV2ForMaskedLM, transformers.DebertaV2Config),
    "gpt2": _shaped(
        transformers.GPT2LMHeadModel,
        transformers.GPT2Config,
        n_embd=32,
        n_layer=2,
        n_head=4,
        max_position_embeddings=1024,
    ),
    "gpt2-without-pad": _shaped(
        transformers.GPT2LMHeadModel,
        transformers.GPT2Config,
        n_embd=32,
        n_layer=2,
        n_head=4,
        max_position_embeddings=1024,
    ),
    "xlnet": _xlnet,
    "llama": _shaped(transformers.LlamaForCausalLM, transformers.LlamaConfig, num_key_value_heads=2),
    "gpt_neox": _shaped(transformers.GPTNeoXForCausalLM, transformers.GPTNeoXConfig),
    "encoder": _shaped(transformers.BertModel, transformers.BertConfig),
    "classifier": _shaped(
        transformers.BertForSequenceClassification,
        transformers.BertConfig,
        id2label={0: "NEGATIVE", 1: "POSITIVE"},
        label2id={"NEGATIVE": 0, "POSITIVE": 1},
    ),
}
_TOKENIZERS = {
    "bert": wordpiece,
    "german-bert": german_wordpiece,
    "german-roberta": lambda: byte_level(german_sentences()),
    "distilbert": wordpiece,
    "roberta": byte_level,
    "xlm-roberta": unigram,
    "albert": unigram,
    "electra": wordpiece,
    "mpnet": wordpiece,
    "modernbert": byte_level,
    "deberta-v2": wordpiece,
    "gpt2": byte_level,
    "gpt2-without-pad": gpt2_byte_level,
    "xlnet": xlnet_unigram,
    "llama": byte_level,
    "gpt_neox": byte_level,
    "encoder": wordpiece,
    "classifier": wordpiece,
}
