import { concluded, LOOP } from '../../core/conclude.ts'
import { effectKey } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import type { Failure } from '../../core/failure.ts'
import { PROOF_NAMES_MAX, type WrittenTests } from '../../core/proof.ts'
import type { State } from '../../core/state.ts'
import { progressOf, type SidesEffect } from './fold.ts'
import { settingsNow, type WholeSettings } from './settings.ts'

/** Whether the present iteration writes the tests, so that the work begins later. */
export function isWritingTests(settings: WholeSettings, state: State): boolean {
  const { accepted, isWaived } = progressOf(state)
  return state.current.number > 0 && settingsNow(settings, state).testFirst && !accepted && !isWaived
}

/** Whether the present iteration is for whoever writes tests: before the work, or because a person asked for a test. */
export function isForTestWriter(settings: WholeSettings, state: State): boolean {
  return isWritingTests(settings, state) || progressOf(state).isAskedFor === true
}

/** The files of tests that were written first: nobody may change them. */
export function acceptedFiles(state: State): readonly string[] {
  return progressOf(state).accepted?.files ?? []
}

/** What has to be looked at before the checks run. */
export function sidesEffect(state: State): SidesEffect {
  const { number: iteration } = state.current
  const since = progressOf(state).since?.snapshot ?? state.base?.snapshot ?? ''
  return { kind: 'sides', key: effectKey(iteration, 'sides'), iteration, since }
}

/** What a proof has to know of tests that somebody wrote for the work; nothing if there are none. */
export function writtenTests(state: State): WrittenTests | undefined {
  const { accepted, isOwn, since = state.base } = progressOf(state)
  if (!since) return undefined
  const own = { since: since.snapshot, ...(isOwn ? { isOwn } : {}) }
  if (accepted) return { iteration: accepted.iteration, snapshot: accepted.snapshot, ...own }
  if (!isOnlyTests(state) || !state.tree) return undefined
  return { iteration: state.current.number, snapshot: state.tree.snapshot, ...own }
}

/** Whether tests were written in this iteration, and nothing else was. */
function isOnlyTests(state: State): boolean {
  const { seen } = progressOf(state)
  return seen?.iteration === state.current.number && seen.filesCount > 0 && seen.othersCount === 0
}

/** Why tests are not good enough to begin with. */
export type TestsTrouble = 'none' | 'others' | 'syntax' | 'green'

/** What is wrong with the tests of the last iteration that ended; nothing if the work can begin. */
export function testsTrouble(state: State): TestsTrouble | undefined {
  const { seen } = progressOf(state)
  if (!seen || seen.filesCount === 0) return 'none'
  if (seen.othersCount > 0) return 'others'
  const failing = newFailures(state)
  if (failing.some(isSyntaxError)) return 'syntax'
  return failing.length === 0 ? 'green' : undefined
}

/** What fails since the last iteration and did not before the tests were written. What a linter says of a test is no failing test. */
export function newFailures({ recent, baseline }: State): readonly Failure[] {
  const before = new Set(baseline?.failures.map(({ id }) => id))
  const failures = recent.at(-1)?.failures ?? []
  return failures.filter(({ id, kind }) => !before.has(id) && kind !== 'lint' && kind !== 'environment')
}

/** A test that cannot be read tells nothing, whatever is done. One that needs what isn't there yet does. */
export function isSyntaxError({ message, kind }: Failure): boolean {
  if (MISSING.test(message)) return false
  return SYNTAX.test(message) || (kind === 'compile' && COMPILER_SYNTAX.test(message))
}

const MISSING =
  /does not provide an export|no (?:matching )?export|cannot find (?:module|package|name|symbol|function|value|type|struct|macro|trait|crate|method)|module ?not ?found|no module named|cannot import name|unresolved (?:import|name|reference)|is not (?:defined|a function|exported|a constructor)|has no (?:exported member|attribute|member)|undefined(?: reference|: | method| variable| name)|could not (?:resolve|find)|failed to resolve|E04(?:25|32|33)|TS2(?:304|305|307|339|551|552|614|724)/i

const SYNTAX =
  /\b(?:Syntax|Indentation|Tab|Parse)Error\b|\bSyntax error\b|\bunexpected (?:token|identifier|end of|eof|indent|character)|\bunterminated\b|\binvalid syntax\b|\btransform failed\b|\bparse error\b/i

const COMPILER_SYNTAX =
  /\bexpected\b.*\b(?:expected|found|before|near)\b|^(?:';'|'\)'|'\}'|Declaration|Expression|Identifier) expected|TS1\d{3}\b/i

/** What follows from an iteration in which tests were written: those that are good enough count from now on. */
export function testsSettled(settings: WholeSettings, state: State): readonly Fact[] {
  const { current, tree } = state
  const { accepted, isAskedFor } = progressOf(state)
  if (!current.ended || current.problem || !tree || accepted?.iteration === current.number) return []
  const isGood = isWritingTests(settings, state) ? testsTrouble(state) === undefined : isAskedFor && isOnlyTests(state)
  if (!isGood) return []
  const failing = [...new Set(newFailures(state).map(({ id }) => id))]
  const names = { failing: failing.slice(0, PROOF_NAMES_MAX), failingCount: failing.length }
  return [concluded(state, LOOP, 'tests.accepted', { iteration: current.number, ...tree, ...names })]
}
