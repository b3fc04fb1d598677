import { basename } from 'node:path'
import type { AgentFile, HookGroup, Server } from './agent-files.ts'
import { jsoncTree, jsoncValue, withField, withItem, without } from './jsonc.ts'
import { parse, TomlError } from 'smol-toml'
import { PawlError } from '../../../core/pawl-error.ts'

/** The file with our part in it; `undefined` is a missing file. Everything else stays byte for byte. */
export function withOwnPart(file: AgentFile, text: string | undefined): string {
  switch (file.kind) {
    case 'text':
      return file.text
    case 'toml':
      return hasTomlServer(text ?? '', file.path) ? (text ?? '') : withTomlServer(text ?? '', file.path, file.server)
    case 'hooks':
      return withGroups(file.path, json(text), file.groups)
    case 'server':
      return withServer(file.path, json(text), file.server, file.at)
    case 'settings':
      return withServer(file.path, withGroups(file.path, json(text), file.groups), file.server)
  }
}

/** The file without our part, even if others have changed it since. */
export function withoutOwnPart(file: AgentFile, text: string): string {
  switch (file.kind) {
    case 'text':
      return text
    case 'toml':
      return withoutTomlServer(text)
    default: {
      if (text.trim() === '') return text
      let rest = text
      for (let before = ''; before !== rest;) {
        before = rest
        rest = without(rest, file.path, (node, at) => isOwn(at, jsoncValue(node), file.kind === 'server' ? file.at : []))
      }
      return rest
    }
  }
}

/** Whether a file without our part has a server called `pawl` all the same: one that somebody set up by hand, which stays. */
export function hasOthersServer(file: AgentFile, text: string | undefined): boolean {
  if (file.kind === 'toml') return hasTomlServer(text ?? '', file.path)
  if (file.kind === 'text' || file.kind === 'hooks') return false
  return serverIn(file.path, json(text), file.kind === 'server' ? file.at : undefined) !== undefined
}

/** The server called `pawl` at a place of a file. */
function serverIn(path: string, text: string, at: readonly string[] = []): unknown {
  return [...at, 'mcpServers', 'pawl'].reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined),
    jsoncValue(jsoncTree(text, path)),
  )
}

/** Whether nothing is left in it that anybody wrote: no field, no comment. */
export function isBare(file: AgentFile, text: string): boolean {
  const rest = text.trim()
  return rest === '' || (file.kind !== 'toml' && /^\{\s*\}$/.test(rest))
}

/** Whether a file holds something of ours. */
export function hasOwnPart(file: AgentFile, text: string): boolean {
  return file.kind === 'text' ? text === file.text : withoutOwnPart(file, text) !== text
}

function json(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '{}\n' : text
}

function withGroups(path: string, text: string, groups: readonly HookGroup[]): string {
  return groups.reduce((whole, { event, group }) => withItem(whole, path, ['hooks', event], group), text)
}

/** A server of that name that somebody set up otherwise is theirs, and stays. */
function withServer(path: string, text: string, server: Server, at: readonly string[] = []): string {
  return serverIn(path, text, at) === undefined ? withField(text, path, [...at, 'mcpServers', 'pawl'], server) : text
}

function isOwn(at: readonly string[], value: unknown, servers: readonly string[] = []): boolean {
  const [first] = at
  if (at.join('\0') === [...servers, 'mcpServers', 'pawl'].join('\0')) return isOwnServer(value)
  if (first !== 'hooks') return false
  if (at.length === 3) {
    const { hooks } = (value ?? {}) as { hooks?: unknown }
    return Array.isArray(hooks) && hooks.length > 0 && hooks.every(isOwnHandler)
  }
  return at.length === 5 && at[3] === 'hooks' && isOwnHandler(value)
}

function isOwnHandler(value: unknown): boolean {
  const { command } = (typeof value === 'object' && value !== null ? value : {}) as { command?: unknown }
  return typeof command === 'string' && /(?:^|[/'"\s])pawl['"]? hook (?:claude|codex|gemini|qwen)(?: --always)?$/.test(command)
}

function isOwnServer(value: unknown): boolean {
  const { command, args } = (typeof value === 'object' && value !== null ? value : {}) as { command?: unknown; args?: unknown }
  return (
    typeof command === 'string' && basename(command) === 'pawl' && Array.isArray(args) && args.length === 1 && args[0] === 'mcp'
  )
}

/** The skill that tells an agent how a loop is kept, with the words by which people ask for it. */
export const skillText = `---
name: pawl
description: 'Keeps a bounded loop of work and checks until the checks pass: counts iterations, feeds failures back, decides whether to retry or to ask a person. Triggers: "retry with feedback", "check iteration limit", "should I retry or escalate", "iteration [N] of [max]".'
---

# Working in a loop that Pawl controls

Pawl runs the checks itself after every turn, counts the iterations, and decides: go on, retry with feedback, ask a person,
or stop. You do the work; you do not judge it.

## Triggers

- "retry with feedback"
- "check iteration limit"
- "should I retry or escalate"
- "iteration [N] of [max]"

## To begin a loop

Call the MCP tool \`iteration_start\` of the server \`pawl\`:

- \`taskId\`: a short name for the work
- \`maxIterations\`: 1 to 100; 5 is a good start
- \`completionPromises\`: what you will say when it is done, such as \`["<promise>COMPLETE</promise>"]\`
- \`validationRules\`: only if there is more to check than \`checks\` in pawl.yaml, which always run. For example
  \`[{"type": "file_existence", "name": "docs", "config": {"paths": ["README.md"]}}]\`. A rule that runs a command
  which is not in pawl.yaml needs the person's consent: if the call is refused, show them its message as it stands.

From then on the loop belongs to this session. Another session in the same folder is never held by it.

## While it runs

1. Work on the goal. Change what is wrong, not the tests that say so.
2. When you believe it is done, end your turn and say the promise. The checks are run then. A promise that they refute is no
   harm: you are told what fails, and go on.
3. What you are told at the end of a turn is the feedback of that iteration. Read what fails, and do something else than what
   was tried before.
4. If you cannot continue without a person, say \`<promise>BLOCKED: why</promise>\`. Nobody counts that as done.

## To retry or to escalate

Do not decide it yourself. Ask with \`iteration_check\` (what the tests and the review said goes in, a decision comes out), or
with \`iteration_next\`, which runs the guards: too many iterations, failures without a better score, files that are changed to and
fro. When the answer is to escalate, show its question to the person as it stands and stop.

The person can look with \`pawl show RUN\` and answer with \`pawl answer RUN\`.
`

const BEGIN = '# >>> pawl: added by `pawl install codex`, taken out by `pawl uninstall codex`'
const END = '# <<< pawl'

/**
 * A TOML text with our MCP server at its end: a table is always allowed there, and nothing above it is touched. Throws `config.toml`
 * with the line if the text isn't TOML, or if no table can be added to its form of servers.
 */
function withTomlServer(text: string, path: string, { command, args }: Server): string {
  tomlValue(text, path)
  const line = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' || text.endsWith('\n') ? '' : line
  const table = [BEGIN, '[mcp_servers.pawl]', `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`, END]
  const whole = `${text}${gap}${text === '' ? '' : line}${table.join(line)}${line}`
  try {
    parse(whole)
  } catch (cause) {
    const message = `${path}: its mcp_servers have a form to which no table can be added: write them as [mcp_servers.NAME] tables.`
    throw new PawlError('config.toml', message, { value: path, cause })
  }
  return whole
}

/** The text without what we added, wherever it is by now. */
function withoutTomlServer(text: string): string {
  const begin = text.indexOf(BEGIN)
  const end = text.indexOf(END, begin)
  if (begin === -1 || end === -1) return text
  const before = text.slice(0, begin).replace(/(\r?\n)\r?\n$/, '$1')
  return before + text.slice(end + END.length).replace(/^\r?\n/, '')
}

/** Whether there is such a server already, ours or another. Throws `config.toml` with the line where the text is no TOML. */
function hasTomlServer(text: string, path: string): boolean {
  const { mcp_servers: servers } = tomlValue(text, path)
  return typeof servers === 'object' && servers !== null && Object.hasOwn(servers, 'pawl')
}

function tomlValue(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const [what = ''] = cause.message.replace(/^Invalid TOML document: /, '').split('\n')
    throw new PawlError('config.toml', `${path}:${cause.line}: this is not TOML (${what}): fix it, then try again.`, {
      value: path,
      cause,
    })
  }
}
