/** Codex's `config.toml` for a scripted model, with everything off that would talk to anyone else. Its key is in `SCRIPTED_MODEL_KEY`. */
export function codexSettings(modelUrl: string): string {
  return `model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_MODEL_KEY"

[analytics]
enabled = false

[otel]
metrics_exporter = "none"

[features]
plugins = false
apps = false
`
}
