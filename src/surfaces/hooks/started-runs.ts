import type { ToolCall } from './hook-call.ts'

/** Whether the call began a run by Pawl's MCP server, whatever name the agent gives that server's tools. */
export function isIterationStart({ name }: ToolCall): boolean {
  return /^mcp_.*pawl.*_iteration_start$/i.test(name)
}

/**
 * Names that may be those of the run which the call began, the likeliest first; whether there is such a run, the store says. Only the
 * result counts: a call that was refused has none, and the task it asked for may be another session's.
 */
export function startedRuns({ response }: ToolCall): readonly string[] {
  const found: string[] = []
  collect(response, found, 0)
  return [...new Set(found)].filter((name) => /^[a-z0-9][\w.-]{0,99}$/i.test(name)).slice(0, NAMES_MAX)
}

const NAMES_MAX = 8
const DEPTH_MAX = 8
const FIELDS = ['iterationId', 'runId', 'run']

/** Results of MCP tools come as text, as blocks of text or as data, depending on the agent. */
function collect(value: unknown, found: string[], depth: number): void {
  if (depth > DEPTH_MAX) return
  if (typeof value === 'string') return collectText(value, found, depth)
  if (typeof value !== 'object' || value === null) return
  const fields = value as Readonly<Record<string, unknown>>
  if (isRefusal(fields)) return
  const names = FIELDS.map((name) => fields[name]).filter((name) => typeof name === 'string')
  // What stands beside a run's name is about that run: settings, briefs, words of others.
  if (names.length > 0) found.push(...names)
  else for (const each of Object.values(fields)) collect(each, found, depth + 1)
}

function isRefusal({ isError, is_error, error }: Readonly<Record<string, unknown>>): boolean {
  return isError === true || is_error === true || (error !== undefined && error !== null && error !== false)
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
