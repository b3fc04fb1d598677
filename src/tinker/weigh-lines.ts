import type { Failure } from '../core/failure.ts'
import type { Code } from './code.ts'
import type { FunctionSpan } from './find-functions.ts'
import type { Mention } from './find-mentions.ts'
import type { TestBlock } from './find-test-blocks.ts'
import { wordsOf } from './name-affinity.ts'
import { reachIn } from './reach.ts'

export interface WeighLinesInput {
  readonly sources: readonly Code[]
  readonly tests: readonly Code[]
  readonly failing: readonly TestBlock[]
  readonly passing: readonly TestBlock[]
  readonly frames: readonly Mention[]
  readonly failures: readonly Failure[]
  /** Files that stand in the output or the brief. */
  readonly named: ReadonlySet<string>
}

/** Weighs every line of the sources; the function that comes back answers for one of them. */
export function weighLines(input: WeighLinesInput): (path: string, line: number) => number {
  const { sources, failing, failures, frames, named } = input
  const ofFunction = functionWeights(input)
  const titles = [...failing.map(({ name }) => name), ...failures.map(({ id }) => id)]
  const titleWords = new Set(titles.flatMap(wordsOf).filter((word) => word.length > 2))
  const weights = new Map<string, number>()
  for (const code of sources) {
    const used = namesUsedBy(code, ofFunction)
    for (const [line, tokens] of tokensByLine(code)) {
      const span = code.functions.findLast(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine)
      const names = tokens.flatMap(({ kind, text }) => (kind === 'word' ? [text] : []))
      const base = span ? ofFunction(span) : Math.max(UNREACHED, ...names.map((name) => TOP_LEVEL * (used.get(name) ?? 0)))
      const shared = new Set(names.flatMap(wordsOf).filter((word) => titleWords.has(word))).size
      const file = named.has(code.path) ? 1.3 : 1
      weights.set(`${code.path}:${line}`, base * file * (1 + 0.2 * Math.min(3, shared)) * frameFactor(frames, code.path, line))
    }
  }
  return (path, line) => weights.get(`${path}:${line}`) ?? 0
}

/** The least for a function that a failing test calls; calls are seen in the source only, so the others get a little too. */
const REACHED_MIN = 0.15
const UNREACHED = 0.03
/** A constant is as suspicious as the functions that use it, nearly. */
const TOP_LEVEL = 0.7

/** Ochiai's measure over the calls that can be seen in the source: many failing tests and few passing ones make a suspect. */
function functionWeights({ sources, tests, failing, passing }: WeighLinesInput): (span: FunctionSpan) => number {
  if (failing.length === 0) return () => 0.5
  const reach = reachIn([...sources, ...tests])
  const byFailing = sums(failing.map(({ names }) => reach(names)))
  const byPassing = sums(passing.map(({ names }) => reach(names)))
  return (span) => {
    const failed = byFailing.get(span) ?? 0
    if (failed === 0) return UNREACHED
    return Math.max(REACHED_MIN, failed / Math.sqrt(failing.length * (failed + (byPassing.get(span) ?? 0))))
  }
}

function sums(reaches: readonly ReadonlyMap<FunctionSpan, number>[]): ReadonlyMap<FunctionSpan, number> {
  const total = new Map<FunctionSpan, number>()
  for (const reach of reaches) for (const [span, weight] of reach) total.set(span, (total.get(span) ?? 0) + weight)
  return total
}

/** For each name in the functions of a file the weight of the most suspicious function that uses it. */
function namesUsedBy(code: Code, ofFunction: (span: FunctionSpan) => number): ReadonlyMap<string, number> {
  const used = new Map<string, number>()
  for (const span of code.functions) {
    const weight = ofFunction(span)
    for (const { kind, text } of code.tokens.slice(span.bodyIndex, span.endIndex)) {
      if (kind === 'word') used.set(text, Math.max(used.get(text) ?? 0, weight))
    }
  }
  return used
}

function tokensByLine(code: Code): ReadonlyMap<number, Code['tokens'][number][]> {
  return Map.groupBy(code.tokens, (token) => token.line)
}

function frameFactor(frames: readonly Mention[], path: string, line: number): number {
  let factor = 1
  for (const frame of frames) {
    if (frame.path !== path || frame.line === undefined) continue
    const distance = Math.abs(frame.line - line)
    factor = Math.max(factor, distance === 0 ? 3 : distance <= 2 ? 1.5 : 1)
  }
  return factor
}
