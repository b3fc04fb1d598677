import { PawlError } from '../../../core/pawl-error.ts'
import type { CommandLine } from '../../../process/command-options.ts'
import { agentNames } from './agent-presets.ts'
import { agentCommandLine, checkCommandLine } from './command-line.ts'
import type { ConfigProblem } from './config-problem.ts'
import type { RawCommand } from './config-schema.ts'
import { didYouMean } from './nearest-name.ts'
import { reportProblem, reportWish } from './report-wish.ts'

/** What is wrong between the keys, or inside of a command. Takes a file of any shape, so that all problems are told at once. */
export function ruleProblems(file: unknown): readonly ConfigProblem[] {
  return [...agentProblems(file), ...checkProblems(file), ...ownAgentProblems(file)]
}

/** The name of a reviewer who is no agent. */
export const PERSON = 'person'

/** The name of the check that a reviewer is. */
export const REVIEW = 'review'

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

function agentProblems(file: unknown): readonly ConfigProblem[] {
  const agents = agentNames(Object.keys(asMap(field(file, 'agents'))))
  const experts = Object.keys(asMap(field(file, 'experts'))).map((guard) => ['experts', guard])
  const roles = Object.keys(asMap(field(file, 'roles'))).map((role) => ['roles', role])
  return [['agent'], ['reviewer'], ['questioner'], ...roles, ...experts].flatMap((path) => {
    const name = path.reduce<unknown>(field, file)
    const names = path.at(-1) === 'reviewer' ? [...agents, PERSON] : agents
    if (typeof name !== 'string' || names.includes(name)) return []
    return [{ path, message: `there is no agent ${JSON.stringify(name)}${didYouMean(name, names)}` }]
  })
}

function checkProblems(file: unknown): readonly ConfigProblem[] {
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
function reportProblems(report: unknown, path: ConfigProblem['path']): readonly ConfigProblem[] {
  const isWord = typeof report === 'string'
  const map = isWord ? { ...reportWish(report) } : asMap(report)
  const isMap = typeof report === 'object' && report !== null && !Array.isArray(report)
  if (isMap && Object.keys(map).length === 0) return [{ path, message: 'a report needs a format, a file, or both' }]
  return (['format', 'file'] as const).flatMap((key) => {
    const value = field(map, key)
    const problem = typeof value === 'string' ? reportProblem(key, value) : undefined
    return problem === undefined ? [] : [{ path: isWord ? path : [...path, key], message: problem }]
  })
}

function ownAgentProblems(file: unknown): readonly ConfigProblem[] {
  return Object.entries(asMap(field(file, 'agents'))).flatMap(([name, agent]) =>
    commandProblems(agent, ['agents', name], (command) => {
      requireBriefPlace(command, field(agent, 'shell') === true, field(agent, 'brief'))
      return agentLine(command, field(agent, 'shell') === true)
    }),
  )
}

/** A `{brief}` that nobody fills in would be read by the agent as it stands. */
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
  path: ConfigProblem['path'],
  read: (command: RawCommand) => CommandLine,
): readonly ConfigProblem[] {
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
  const map = asMap(owner)
  return Object.hasOwn(map, name) ? map[name] : undefined
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
