"""Whole models of the transformers library, small and with random weights, through
norm_mlir.torch.lower: the error beside eager mode, both against f64. With names: only these."""
import os
import sys
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.simplefilter("ignore")
import torch
import transformers

import norm_mlir
import norm_mlir.torch

COMMON = {"vocab_size": 128, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 1,
          "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "pad_token_id": 0,
          "max_position_embeddings": 64}
EXPERTS = {"num_local_experts": 4, "num_experts": 4, "n_routed_experts": 4, "n_group": 2,
           "topk_group": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
           "first_k_dense_replace": 0, "shared_expert_intermediate_size": 32}
LATENT = {"num_key_value_heads": 4, "q_lora_rank": 24, "kv_lora_rank": 16, "head_dim": 8,
          "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16}
STATES = {"mamba_d_ssm": 64, "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1,
          "mamba_d_state": 16, "mamba_chunk_size": 8}
MODELS = {
    "llama": {}, "mistral": {}, "phi3": {}, "qwen2": {}, "qwen3": {}, "gemma": {}, "gemma2": {},
    "gemma3_text": {}, "olmo2": {}, "granite": {}, "smollm3": {}, "glm4": {}, "ernie4_5": {},
    "helium": {}, "exaone4": {}, "seed_oss": {}, "arcee": {},
    "lfm2": {"num_hidden_layers": 2, "layer_types": ["conv", "full_attention"]},
    "mixtral": EXPERTS, "qwen2_moe": EXPERTS, "qwen3_moe": EXPERTS, "olmoe": EXPERTS,
    "gpt_oss": EXPERTS, "glm4_moe": EXPERTS, "granitemoe": EXPERTS,
    "deepseek_v3": EXPERTS | LATENT,
    "mamba": {"state_size": 8}, "falcon_mamba": {"state_size": 8},
    "mamba2": {"num_heads": 8, "n_groups": 2, "state_size": 16, "chunk_size": 8},
    "falcon_h1": STATES,
    "bamba": STATES | {"num_hidden_layers": 2, "attn_layer_indices": [1], "mamba_n_heads": 8},
    "zamba2": {"num_hidden_layers": 2, "mamba_ngroups": 1, "n_mamba_heads": 8, "chunk_size": 8,
               "layers_block_type": ["mamba", "hybrid"], "num_mem_blocks": 1,
               "mamba_d_state": 16, "attention_head_dim": 32},
    "qwen3_next": EXPERTS | {
        "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 16,
        "linear_value_head_dim": 16, "num_hidden_layers": 2,
        "layer_types": ["linear_attention", "full_attention"]},
}


class Logits(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model(input_ids=tokens, use_cache=False).logits


class Encoder(Logits):
    def forward(self, tokens):
        return self.model(input_ids=tokens).last_hidden_state


def make_model(name):
    if name == "t5":
        return Encoder(transformers.T5EncoderModel(transformers.T5Config(
            vocab_size=128, d_model=64, d_kv=16, d_ff=96, num_layers=1, num_heads=4)))
    config = transformers.AutoConfig.for_model(name, **COMMON | MODELS[name])
    # Others follow the data (eager), or use ops that torch-mlir lacks (grouped_mm).
    config._experts_implementation = "batched_mm"
    return Logits(transformers.AutoModelForCausalLM.from_config(config))


def get_error(actual, exact):
    return ((actual.double() - exact).abs().max() / exact.abs().max()).item()


def compare(name):
    torch.manual_seed(0)
    model = make_model(name).eval()
    for parameter in model.parameters():
        if parameter.dim() == 1:
            parameter += 0.1 * torch.randn_like(parameter)
    tokens = torch.randint(3, 128, (2, 9))
    program = norm_mlir.parse(norm_mlir.torch.lower(model, tokens))
    actual, expected = program.compile(cache=False)(tokens), model(tokens)
    exact = model.double()(tokens)
    error, bound = get_error(actual, exact), 4 * get_error(expected, exact) + 1e-6
    print(f"{name}: norms: {len(program.recognize().recognized)}, "
          + ("as exact as eager mode" if error <= bound else f"{error:.1e}, expected {bound:.1e}"),
          flush=True)


torch.set_grad_enabled(False)
transformers.logging.set_verbosity_error()
for name in sys.argv[1:] or [*MODELS, "t5"]:
    compare(name)
