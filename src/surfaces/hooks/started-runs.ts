import type { ToolCall } from './hook-call.ts'

/** Whether the call began a run by Pawl's MCP server, whatever name the agent gives that server's tools. */
export function isIterationStart({ name }: ToolCall): boolean {
  return /^mcp_.*pawl.*_iteration_start$/i.test(name)
}

/** Names that may be those of the run which the call began, the likeliest first. Whether there is such a run, the store says. */
export function startedRuns({ input, response }: ToolCall): readonly string[] {
  const found: string[] = []
  collect(response, found, 0)
  collect(input, found, 0)
  return [...new Set(found)].filter((name) => /^[a-z0-9][\w.-]{0,99}$/i.test(name)).slice(0, NAMES_MAX)
}

const NAMES_MAX = 8
const DEPTH_MAX = 8
const FIELDS = new Set(['run', 'runId', 'iterationId', 'taskId'])

/** Results of MCP tools come as text, as blocks of text or as data, depending on the agent. */
function collect(value: unknown, found: string[], depth: number): void {
  if (depth > DEPTH_MAX) return
  if (typeof value === 'string') return collectText(value, found, depth)
  if (typeof value !== 'object' || value === null) return
  for (const [name, each] of Object.entries(value)) {
    if (FIELDS.has(name) && typeof each === 'string') found.push(each)
    else collect(each, found, depth + 1)
  }
}

function collectText(text: string, found: string[], depth: number): void {
  const json = text.slice(text.search(/[[{]/))
  if (!/^[[{]/.test(json)) return
  try {
    collect(JSON.parse(json), found, depth + 1)
  } catch {
    // A text like any other: it names no run.
  }
}
