"""Real adapters of tiny models, as PEFT saves them."""

from __future__ import annotations

from pathlib import Path

import peft
import torch
import transformers


def save_adapter(base: Path, folder: Path, *, seed: int = 1, config: peft.PeftConfig | None = None) -> Path:
    """Saves an adapter of a causal model with random weights, so that it changes every number."""
    model = peft.get_peft_model(
        transformers.AutoModelForCausalLM.from_pretrained(base), config or lora_config()
    )
    torch.manual_seed(seed)
    for name, weights in model.named_parameters():
        if weights.requires_grad:
            torch.nn.init.normal_(weights, std=0.0 if "original_module" in name else 0.3)
    model.save_pretrained(folder)
    return folder


def lora_config(**changes: object) -> peft.LoraConfig:
    options = {"r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj"], "task_type": "CAUSAL_LM"}
    return peft.LoraConfig(**{**options, **changes})


def log_likelihood(model: torch.nn.Module, ids: list[int]) -> float:
    """log P of all tokens after the first, by one plain forward pass."""
    with torch.no_grad():
        log_probs = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return float(sum(log_probs[i, token] for i, token in enumerate(ids[1:])))
