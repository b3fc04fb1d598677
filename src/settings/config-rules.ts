import { fieldsOf, isFields } from '../core/json.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { CommandLine } from '../process/command-options.ts'
import { agentNames, driverNames } from './agent-presets.ts'
import { agentCommandLine, checkCommandLine } from './command-line.ts'
import type { FileProblem } from '../schema/read-value.ts'
import { AGENT_KEYS } from './project-schema.ts'
import { didYouMean } from '../core/names.ts'
import { otherAgentProblems } from './other-agents.ts'
import { reportFrom, reportProblem } from '../registry/report-option.ts'

/** What is wrong between the keys, or inside of a command. Takes a file of any shape, so that all problems are reported at once. */
export function ruleProblems(file: unknown): readonly FileProblem[] {
  return [
    ...agentProblems(file),
    ...fallbackProblems(file),
    ...roleProblems(file),
    ...checkProblems(file),
    ...ownAgentProblems(file),
  ]
}

/** The name of a reviewer who is no agent. */
export const PERSON = 'person'

/** The name of the check that a reviewer is. */
export const REVIEW = 'review'

/** A command as a file has it. */
export type RawCommand = string | readonly string[]

/** The command of a check as it is run. */
export function checkLine(command: RawCommand): CommandLine {
  return typeof command === 'string' ? checkCommandLine(command) : wordsLine(command)
}

/** The command of an agent as it is run. */
export function agentLine(command: RawCommand, shell = false): CommandLine {
  if (typeof command === 'string') return agentCommandLine(command, shell)
  if (shell)
    throw new PawlError('usage.command', 'With shell: true the command must be one text, not a list.', { value: command })
  return wordsLine(command)
}

function wordsLine(words: readonly string[]): CommandLine {
  if (words[0]?.trim() !== '') return { command: words }
  throw new PawlError('usage.command', 'The command is empty: give a program and its arguments.', { value: words })
}

function agentProblems(file: unknown): readonly FileProblem[] {
  const agents = agentNames(Object.keys(fieldsOf(field(file, 'agents'))))
  const experts = Object.keys(fieldsOf(field(file, 'experts'))).map((guard) => ['experts', guard])
  const roles = Object.keys(fieldsOf(field(file, 'roles'))).map((role) => ['roles', role])
  const fallback = field(file, 'fallback')
  const others = Array.isArray(fallback) ? fallback.map((_name, index) => ['fallback', index]) : []
  return [['agent'], ...others, ['reviewer'], ['questioner'], ['test_first'], ...roles, ...experts].flatMap((path) => {
    const [top = '', under] = path
    const name = top === 'fallback' ? (fallback as unknown[])[Number(under)] : (path as string[]).reduce<unknown>(field, file)
    const names = path.at(-1) === 'reviewer' ? [...agents, PERSON] : agents
    if (typeof name !== 'string' || names.includes(name)) return []
    return [{ path, message: `there is no agent ${JSON.stringify(name)}${didYouMean(name, names)}` }]
  })
}

/** Facts tell agents apart by their names, and nobody continues for themselves. */
function fallbackProblems(file: unknown): readonly FileProblem[] {
  const names = field(file, 'fallback')
  if (!Array.isArray(names)) return []
  const agent = field(file, 'agent')
  return names.flatMap((name, index) => {
    const message = name === agent ? `${name} is the agent already: name another` : `${String(name)} is in the list twice`
    return name === agent || names.indexOf(name) < index ? [{ path: ['fallback', index], message }] : []
  })
}

/** Who tests and who commits is no agent, and must not be taken for a coder of that name. */
function roleProblems(file: unknown): readonly FileProblem[] {
  const others = {
    tester: 'the tester is no agent: what is written under `checks` tests the work',
    committer: 'the committer is no agent: `pawl review --commit` commits every finished item',
  }
  return Object.entries(others).flatMap(([role, message]) =>
    field(field(file, 'roles'), role) === undefined ? [] : [{ path: ['roles', role], message }],
  )
}

function checkProblems(file: unknown): readonly FileProblem[] {
  const checks = field(file, 'checks')
  if (!Array.isArray(checks)) return []
  const names = checks.map((check) => field(check, 'name'))
  const isReviewed = field(file, 'reviewer') !== undefined
  return checks.flatMap((check, index) => {
    const isReview = isReviewed && names[index] === REVIEW
    const isTwice = typeof names[index] === 'string' && names.indexOf(names[index]) < index
    const twice = `another check is called ${JSON.stringify(names[index])} too; give each a name of its own`
    return [
      ...(isTwice ? [{ path: ['checks', index, 'name'], message: twice }] : []),
      ...(isReview
        ? [{ path: ['checks', index, 'name'], message: 'the reviewer is called "review" already; call this otherwise' }]
        : []),
      ...commandProblems(check, ['checks', index], checkLine),
      ...reportProblems(field(check, 'report'), ['checks', index, 'report']),
    ]
  })
}

/** Of a report whose shape is right. */
function reportProblems(report: unknown, path: FileProblem['path']): readonly FileProblem[] {
  const isWord = typeof report === 'string'
  const map = isWord ? { ...reportFrom(report) } : fieldsOf(report)
  if (isFields(report) && Object.keys(map).length === 0) return [{ path, message: 'a report needs a format, a file, or both' }]
  return (['format', 'file'] as const).flatMap((key) => {
    const value = field(map, key)
    const problem = typeof value === 'string' ? reportProblem(key, value) : undefined
    return problem === undefined ? [] : [{ path: isWord ? path : [...path, key], message: problem }]
  })
}

function ownAgentProblems(file: unknown): readonly FileProblem[] {
  return Object.entries(fieldsOf(field(file, 'agents'))).flatMap(([name, agent]) => [
    ...driverProblems(name, agent),
    ...commandProblems({ command: field(agent, 'acp') }, ['agents', name], agentLine).map(({ message }) => ({
      path: ['agents', name, 'acp'],
      message,
    })),
    ...commandProblems(agent, ['agents', name], (command) => {
      requireBriefPlace(command, field(agent, 'shell') === true, field(agent, 'brief'))
      return agentLine(command, field(agent, 'shell') === true)
    }),
  ])
}

/** The keys that only an agent of a kind has: a program of your own, a known agent, one over ACP or a model. */
const OF_PROGRAMS = onlyIn('command')
const OF_DRIVERS = [...onlyIn('known'), 'model', 'session']
const OF_OTHERS = new Set([...onlyIn('acp'), ...onlyIn('model')])

function onlyIn(kind: keyof typeof AGENT_KEYS): readonly string[] {
  const others = Object.entries(AGENT_KEYS).filter(([name]) => name !== kind)
  return Object.keys(AGENT_KEYS[kind]).filter((key) => key !== 'command' && !others.some(([, keys]) => key in keys))
}

/** An agent is a program or a known agent, and never half of each. */
function driverProblems(name: string, agent: unknown): readonly FileProblem[] {
  const path = ['agents', name]
  const isProgram = field(agent, 'command') !== undefined
  const others = isProgram ? undefined : otherAgentProblems(fieldsOf(agent), path)
  if (others) return others
  const misplaced = Object.keys(fieldsOf(agent)).filter((key) => (isProgram ? OF_DRIVERS : OF_PROGRAMS).includes(key))
  const why = isProgram
    ? 'with a command of your own it has no meaning: write it into the command'
    : 'it is for a command of your own'
  const foreign = Object.keys(fieldsOf(agent)).filter((key) => OF_OTHERS.has(key))
  const problems = [
    ...misplaced.map((key) => ({ path: [...path, key], message: `${key}: ${why}` })),
    ...foreign.map((key) => ({ path: [...path, key], message: `${key}: it is for an agent with acp, module or base_url` })),
  ]
  if (isProgram) return problems
  const driver = field(agent, 'driver') ?? name
  const names = driverNames()
  if (typeof driver !== 'string' || names.includes(driver)) return problems
  const isNamed = field(agent, 'driver') !== undefined
  const message = isNamed
    ? `there is no driver ${JSON.stringify(driver)}${didYouMean(driver, names)}`
    : `a command is missing, or a driver (${names.join(', ')})`
  return [...problems, { path: isNamed ? [...path, 'driver'] : path, message }]
}

/** A `{brief}` that nobody fills in would be read by the agent as it is. */
function requireBriefPlace(command: RawCommand, shell: boolean, brief: unknown): void {
  if (!command.toString().includes('{brief}')) return
  const way = 'set brief: argument'
  if (shell)
    throw new PawlError('usage.command', `A shell line cannot hold {brief}: ${way} and write "$1" instead.`, { value: command })
  if (brief !== 'argument') throw new PawlError('usage.command', `The command asks for {brief}: ${way}.`, { value: command })
}

/** Of a command whose shape is right; the schema tells about the others. */
function commandProblems(
  owner: unknown,
  path: FileProblem['path'],
  read: (command: RawCommand) => CommandLine,
): readonly FileProblem[] {
  const command = field(owner, 'command')
  const hasShape = typeof command === 'string' || (isWords(command) && command.length > 0)
  if (!hasShape) return []
  try {
    read(command)
    return []
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    return [{ path: [...path, 'command'], message: error.message }]
  }
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string')
}

function field(owner: unknown, name: string): unknown {
  const map = fieldsOf(owner)
  return Object.hasOwn(map, name) ? map[name] : undefined
}
