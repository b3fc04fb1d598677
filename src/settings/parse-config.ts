import { isMap, LineCounter, parseDocument, type Document } from 'yaml'
import { PawlError } from '../core/pawl-error.ts'
import { camelCase } from './camel-case.ts'
import { problemsOf } from './config-problem.ts'
import { agentLine, checkLine, ruleProblems } from './config-rules.ts'
import { configSchema, keysUnder, type RawConfig } from './config-schema.ts'
import type { PawlConfig } from './pawl-config.ts'
import { syntaxProblems, type SyntaxProblem } from './syntax-problems.ts'
import { offsetOf } from './yaml-place.ts'

/** Reads the text of a `pawl.yaml`. Everything wrong in it is one `config.invalid` error, a line each: `FILE:LINE:COLUMN: what`. */
export function parseConfig(text: string, file: string): PawlConfig {
  const lines = new LineCounter()
  const { raw, problems = [] } = readText(text, lines)
  if (raw !== undefined) return toConfig(raw)
  const told = problems
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, message }) => {
      const { line, col } = lines.linePos(offset)
      return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}: ${message}`
    })
  throw new PawlError('config.invalid', told.join('\n'), { value: file })
}

interface Reading {
  readonly raw?: RawConfig
  readonly problems?: readonly SyntaxProblem[]
}

function readText(text: string, lines: LineCounter): Reading {
  let document: Document
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  } catch (error) {
    return problem(`this cannot be read as YAML: ${(error as Error).message}`)
  }
  const syntax = syntaxProblems(document, text)
  if (syntax.some(({ isFatal }) => isFatal)) return { problems: syntax }
  // Nothing at all, or nothing but comments: everything as it is by default.
  if (document.contents === null) return { raw: {} }
  if (!isMap(document.contents)) {
    const sentence = 'the file must be a map of keys and values, such as "agent: claude"'
    return problem(sentence, document.contents.range?.[0])
  }
  return readDocument(document, syntax)
}

function readDocument(document: Document, syntax: readonly SyntaxProblem[]): Reading {
  let file: unknown
  try {
    file = document.toJS()
  } catch (error) {
    // Aliases of aliases: a few lines that would fill the memory.
    return problem(`this cannot be read as YAML: ${(error as Error).message}`)
  }
  const { data, error } = configSchema.safeParse(file)
  const wrong = [...problemsOf(error?.issues ?? [], file, keysUnder), ...ruleProblems(file)]
  const problems = [...syntax, ...wrong.map((each) => ({ offset: offsetOf(document, each), message: each.message }))]
  return data === undefined || problems.length > 0 ? { problems } : { raw: data }
}

function problem(message: string, offset = 0): Reading {
  return { problems: [{ offset, message }] }
}

function toConfig({ agents = {}, checks = [], roles, ...rest }: RawConfig): PawlConfig {
  const ownAgents = Object.entries(agents).map(([name, { command, acp, permissions, shell, ...agent }]) => [
    name,
    {
      ...renamed(agent),
      ...(command === undefined ? {} : agentLine(command, shell)),
      ...(acp === undefined ? {} : { acp: agentLine(acp) }),
      // Kinds of tools are the protocol's words.
      ...(permissions === undefined ? {} : { permissions }),
    },
  ])
  const ownChecks = checks.map(({ command, ...check }) => ({ ...renamed(check), ...checkLine(command) }))
  // Names of roles are the user's own, and stay as they are written.
  const ownRoles = roles === undefined ? {} : { roles }
  return { ...renamed(rest), ...ownRoles, agents: Object.fromEntries(ownAgents), checks: ownChecks } as unknown as PawlConfig
}

/** Units stand last in our names; a file for people does without them. */
const NAMES: Readonly<Record<string, string>> = {
  budget_time: 'budgetTimeMs',
  agent_timeout: 'agentTimeoutMs',
  timeout: 'timeoutMs',
  brief: 'briefAs',
}

/** The same with camelCase keys, all the way down. */
function renamed(map: object): object {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [NAMES[key] ?? camelCase(key), inside(value)]))
}

function inside(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? renamed(value) : value
}
