import type { FoundTestCommand } from './find-test-commands.ts'
import { agentNames } from './agent-presets.ts'

/** A `pawl.yaml` that says every key: what is known is filled in, the rest stands as a comment with its default. */
export function configText({ agent, checks }: ConfigChoice): string {
  return `# How Pawl runs agents in this folder. Every key may be left out; a flag on the command line goes before it.
# \`pawl doctor\` tells whether all of this works here.

# Who does the work: ${agentNames().join(', ')}, or a name from \`agents\`.
${agent === undefined ? '# ' : ''}agent: ${agent ?? 'claude'}

# Who goes on, in this order, when it cannot: at a provider's limit, or because it is not there. Default: nobody.
# fallback: [codex, gemini]

# At a provider's limit: wait, or switch to the next of them. Default: wait when its end is known and within 10 minutes.
# on_limit: switch

# Agents of your own: any program that reads a brief and edits the files of its folder, or a known one with other settings.
# agents:
#   mine: { command: "my-agent --fast", shell: false, brief: stdin, timeout: 30m, environment: [MY_KEY] }
#   claude: { model: opus, session: fresh, permission_mode: edit }

# What must pass before anything counts as done: commands, run in this order, whose exit code 0 means yes. Their reports are found
# in what they print; one that is written to a file, or a format to insist on, is named: \`report: report.xml\`, \`report: junit\`.
${checkLines(checks)}

# Checks of other kinds, as rules: command, content_pattern, coverage, file_existence. They come after the checks. Default: none.
# rules:
#   - { type: file_existence, name: docs, config: { paths: [README.md] } }

# Who reviews work that passes the checks: an agent, or \`person\` for you. Default: nobody.
# reviewer: person

# The agent that puts a question into words before you are asked. Default: nobody; the question is made from the facts.
# questioner: claude

# Who plays the roles of \`pawl review\`: the reviewer, the repairer, and coders by any other name. Default: the agent above codes.
# roles: { coder_a: claude, coder_b: codex, reviewer: gemini }

# Agents that you can put to work when a guard has stopped a run: its question then offers it. Default: none.
# experts: { circuit_breaker: codex, max_iterations: codex }

# Files that the agent must not change, besides this one and .pawl/. Default: none.
# protect: ["test/**", "package.json"]

# How many iterations a run, or each of its tasks, may take. Default 3.
# max_iterations: 3

# Whether work that fails a check is tried again without asking you. Default true.
# auto_retry_on_test_fail: true

# The same for work that the reviewer rejects. Default true.
# auto_retry_on_review_reject: true

# Whether a question carries what the last iteration changed. Default true.
# escalation_includes_diff: true

# What a run may cost in US dollars, as the agent reports it. Default 0: no limit.
# budget_usd: 0

# How many tokens a run may use, as the agent reports them. Default 0: no limit.
# budget_tokens: 0

# How long a run may work; waiting for you does not count. Default 0: no limit.
# budget_time: 0

# How long the agent may take for one iteration. Default 30m.
# agent_timeout: 30m

# Run the checks once before any work, so that the agent knows what failed beforehand. Default true.
# baseline: true

# How many characters of failures the agent is told. Default 500.
# feedback_max_length: 500

# Let passing tests end an item of a review although a reviewer finds it unsafe, without asking you. Default false.
# tester_overrules_security: false

# Work in a git worktree (.pawl/worktrees/RUN) instead of in this folder. Default false.
# worktree: false

# What stops a run that gets nowhere (severity trip), tells the agent once (warn), or tells it first and stops the run when that
# does not help (ladder); \`off\` leaves a guard out. One word is enough: \`thrashing: trip\`.
# guards:
#   circuit_breaker: { failures_max: 8, severity: trip }
#   tampering: { allow: [], severity: trip }
#   same_failure: { repeats_min: 3, severity: warn }
#   thrashing: { times_min: 5, severity: warn }
#   no_progress: { iterations_min: 4, severity: warn }
#   oscillation: { turns_min: 2, over: [trees, failures], severity: warn }
#   stalled_diff: { repeats_min: 2, similarity_min: 0.97, lines_differing_max: 4, by: lines, severity: warn }
#   empty_iterations: { iterations_min: 2, severity: warn }
#   spinning_text: { iterations_min: 1, severity: warn }
#   repeated_action: { repeats_min: 3, severity: warn }
#   quality_regression: { severity: warn }
#   worth_continuing: { give_up_a_success_at_most_once_in: 50, severity: warn }
# And one that is off until it stands here:
#   deadline: { until: 2030-01-01T18:00Z, severity: trip }
`
}

/** What goes into a new file. */
export interface ConfigChoice {
  readonly agent?: string
  readonly checks: readonly ChosenCheck[]
}

/** A check for a new file. */
export interface ChosenCheck {
  readonly name: string
  readonly command: string
}

/** Names for what was found: `tests`, or the tools' names where there are several. */
export function namedChecks(found: readonly FoundTestCommand[]): readonly ChosenCheck[] {
  return found.map(({ tool, command }) => ({ name: found.length === 1 ? 'tests' : `tests-${tool}`, command }))
}

function checkLines(checks: readonly ChosenCheck[]): string {
  if (checks.length === 0) return '# checks:\n#   - { name: tests, command: "npm test", timeout: 10m }'
  // A JSON string is a YAML string.
  const lines = checks.map(({ name, command }) => `  - { name: ${name}, command: ${JSON.stringify(command)}, timeout: 10m }`)
  return `checks:\n${lines.join('\n')}`
}
