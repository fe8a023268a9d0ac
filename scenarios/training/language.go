package training

import "fmt"

// bertLarge is BERT-large with its pooler: 335,141,888 parameters.
func bertLarge() Model {
	const width, tokens = 1024, 512
	m := Model{Name: "bert-large", Sample: "a sequence of 512 tokens", Activations: tokens * width, Layers: []Layer{
		embedding("embeddings.word_embeddings", 30522, width),
		embedding("embeddings.position_embeddings", 512, width),
		embedding("embeddings.token_type_embeddings", 2, width),
		norm("embeddings.LayerNorm", width, true),
	}}
	for i := range 24 {
		name := fmt.Sprintf("encoder.layer.%d.", i)
		m.Layers = append(m.Layers,
			enters(linear(name+"attention.self.query", width, width, tokens, true)),
			linear(name+"attention.self.key", width, width, tokens, true),
			attend(linear(name+"attention.self.value", width, width, tokens, true), tokens, width),
			leaves(linear(name+"attention.output.dense", width, width, tokens, true)),
			norm(name+"attention.output.LayerNorm", width, true),
			enters(linear(name+"intermediate.dense", width, 4*width, tokens, true)),
			leaves(linear(name+"output.dense", 4*width, width, tokens, true)),
			norm(name+"output.LayerNorm", width, true))
	}
	m.Layers = append(m.Layers, linear("pooler.dense", width, width, 1, true))
	return m
}

// gpt is a GPT of OpenAI's second and third kind, whose output shares the weights of its
// input: the operations of the output are those of the last layer.
func gpt(name string, layers int, width, tokens int64) Model {
	const vocabulary = 50257
	m := Model{Name: name, Sample: fmt.Sprintf("a sequence of %d tokens", tokens), Activations: tokens * width, Layers: []Layer{
		embedding("wte", vocabulary, width), embedding("wpe", tokens, width),
	}}
	for i := range layers {
		name := fmt.Sprintf("h.%d.", i)
		m.Layers = append(m.Layers,
			norm(name+"ln_1", width, true),
			enters(attend(linear(name+"attn.c_attn", width, 3*width, tokens, true), tokens, width)),
			leaves(linear(name+"attn.c_proj", width, width, tokens, true)),
			norm(name+"ln_2", width, true),
			enters(linear(name+"mlp.c_fc", width, 4*width, tokens, true)),
			leaves(linear(name+"mlp.c_proj", 4*width, width, tokens, true)))
	}
	last := norm("ln_f", width, true)
	last.Forward = 2 * vocabulary * width * tokens
	m.Layers = append(m.Layers, last)
	return m
}

// Their parameters: 124,439,808, 1,557,611,200 and 12,853,386,240.
func gpt2Small() Model { return gpt("gpt2-124m", 12, 768, 1024) }
func gpt2XL() Model    { return gpt("gpt2-xl", 48, 1600, 1024) }
func gpt3() Model      { return gpt("gpt3-13b", 40, 5120, 2048) }

// llama7B is a model of 7 billion parameters with gated feed-forward layers, as LLaMA has
// them: 6,738,415,616.
func llama7B() Model {
	const width, inner, vocabulary, tokens = 4096, 11008, 32000, 2048
	m := Model{Name: "llama-7b", Sample: "a sequence of 2048 tokens", Activations: tokens * width, Layers: []Layer{embedding("embed_tokens", vocabulary, width)}}
	for i := range 32 {
		name := fmt.Sprintf("layers.%d.", i)
		m.Layers = append(m.Layers,
			enters(linear(name+"self_attn.q_proj", width, width, tokens, false)),
			linear(name+"self_attn.k_proj", width, width, tokens, false),
			attend(linear(name+"self_attn.v_proj", width, width, tokens, false), tokens, width),
			leaves(linear(name+"self_attn.o_proj", width, width, tokens, false)),
			enters(linear(name+"mlp.gate_proj", width, inner, tokens, false)),
			linear(name+"mlp.up_proj", width, inner, tokens, false),
			leaves(linear(name+"mlp.down_proj", inner, width, tokens, false)),
			norm(name+"input_layernorm", width, false),
			norm(name+"post_attention_layernorm", width, false))
	}
	m.Layers = append(m.Layers, norm("norm", width, false), linear("lm_head", width, vocabulary, tokens, false))
	return m
}
