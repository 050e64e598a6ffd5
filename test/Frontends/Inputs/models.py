"""Small models of the transformers library, with random weights."""
import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
import transformers


def make_config(name, size, layers):
    """A configuration of a class, with heads of 64 where `size` allows it."""
    heads = max(size // 64, 2)
    common = {"hidden_size": size, "num_hidden_layers": layers, "vocab_size": 256,
              "num_attention_heads": heads, "num_key_value_heads": heads // 2,
              "intermediate_size": 2 * size, "max_position_embeddings": 512, "pad_token_id": 0}
    head = {"head_dim": size // heads}
    experts = {"num_local_experts": 4, "num_experts_per_tok": 2}
    parameters = {
        "Llama": common,
        "Qwen3": {**common, **head},
        "Gemma3": {**common, **head, "sliding_window": 64,
                   "layer_types": ["sliding_attention", "full_attention"] * layers},
        "T5": {"d_model": size, "d_kv": size // heads, "d_ff": 2 * size, "num_layers": layers,
               "num_heads": heads, "vocab_size": 256},
        "Mamba2": {"hidden_size": size, "num_hidden_layers": layers, "vocab_size": 256,
                   "num_heads": 2 * heads, "head_dim": size // heads, "state_size": 32,
                   "n_groups": 1, "chunk_size": 32, "expand": 2},
        "DeepseekV3": {**common, "num_key_value_heads": heads, "moe_intermediate_size": size,
                       "n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1,
                       "topk_group": 1, "q_lora_rank": size // 2, "kv_lora_rank": size // 4,
                       "qk_nope_head_dim": 32, "qk_rope_head_dim": 32, "v_head_dim": 32,
                       "first_k_dense_replace": 1},
        "GptOss": {**common, **head, **experts, "sliding_window": 64},
        "Mixtral": {**common, **experts},
    }[name]
    kwargs = {**parameters, "layer_types": parameters["layer_types"][:layers]} if (
        "layer_types" in parameters) else parameters
    suffix = {"Gemma3": "TextConfig"}.get(name, "Config")
    return getattr(transformers, name + suffix)(**kwargs)


NAMES = ["Llama", "Qwen3", "Gemma3", "T5", "Mamba2", "DeepseekV3", "GptOss", "Mixtral"]


def make_model(name, size=512, layers=3, dtype=torch.float32):
    torch.manual_seed(0)
    suffix = {"T5": "ForConditionalGeneration"}.get(name, "ForCausalLM")
    model = getattr(transformers, name + suffix)(make_config(name, size, layers)).to(dtype)
    return model.eval()


def make_inputs(name, batch, length):
    tokens = torch.randint(1, 256, (batch, length))
    inputs = {"input_ids": tokens, "labels": tokens}
    if name == "T5":
        inputs["decoder_input_ids"] = tokens
    return inputs
