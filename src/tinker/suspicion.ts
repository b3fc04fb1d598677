import type { Failure } from '../core/failure.ts'
import { readCode, type Code } from './code.ts'
import { findImports } from './find-imports.ts'
import { findMentions, type Mention } from './find-mentions.ts'
import { blockOf, findTestBlocks, type TestBlock } from './find-test-blocks.ts'
import { isTestFile } from './is-editable.ts'
import type { SourceTexts } from './list-files.ts'
import { weighLines } from './weigh-lines.ts'

/** Where the cause of the failures may be. */
export interface Suspicion {
  /** Files that may be edited. */
  readonly sources: readonly Code[]
  /** The failing test files, or all where they are not known. */
  readonly tests: readonly Code[]
  /** How suspicious a line is, 0 for one that has no part in it. */
  weightOf(path: string, line: number): number
  /** Where a failing test stands, where that is known. */
  testOf(failure: Failure): { readonly code: Code; readonly block: TestBlock } | undefined
}

export interface SuspicionInput {
  readonly folder: string
  readonly texts: SourceTexts
  readonly failures: readonly Failure[]
  readonly output: string
  readonly brief: string
  readonly isEditable: (path: string) => boolean
}

/**
 * Narrows the tree down to suspicious lines, without running anything: from the failing tests over what they import and call,
 * less what passing tests call as well, more where a stack frame, a test's title or the brief points to it.
 */
export function suspicionFrom(input: SuspicionInput): Suspicion {
  const { texts, failures, folder, isEditable } = input
  const cache = new Map<string, Code | undefined>()
  const codeOf = (path: string) => {
    if (!cache.has(path)) cache.set(path, readCode(path, texts.get(path)!))
    return cache.get(path)
  }
  const paths = [...texts.keys()]
  const frames = findMentions(input.output, paths, folder)
  const allTests = paths
    .filter(isTestFile)
    .slice(0, TEST_FILES_MAX)
    .flatMap((path) => codeOf(path) ?? [])
  const blocks = allTests.flatMap(findTestBlocks)
  const failing = [...new Set(failures.flatMap((failure) => blockOf(blocks, failure, folder) ?? []))]
  const tests = failingTests(allTests, failing, frames)
  const reachable = reachableFrom(tests, paths, codeOf)
  const named = [...frames, ...findMentions(input.brief, paths, folder)].map(({ path }) => path)
  const chosen = [...new Set([...reachable, ...named])].filter(isEditable)
  const sources = (chosen.length > 0 ? chosen : paths.filter(isEditable))
    .slice(0, SOURCE_FILES_MAX)
    .flatMap((path) => codeOf(path) ?? [])
  const passing = blocks.filter((block) => !failing.includes(block))
  const testOf = (failure: Failure) => {
    const block = blockOf(blocks, failure, folder)
    const code = block && codeOf(block.path)
    return code && { code, block }
  }
  const weightOf = weighLines({ sources, tests, failing, passing, frames, failures, named: new Set(named) })
  return { sources, tests, weightOf, testOf }
}

const TEST_FILES_MAX = 200
const SOURCE_FILES_MAX = 60

function failingTests(all: readonly Code[], failing: readonly TestBlock[], frames: readonly Mention[]): Code[] {
  const paths = new Set(failing.length > 0 ? failing.map(({ path }) => path) : frames.map(({ path }) => path))
  const found = all.filter(({ path }) => paths.has(path))
  return found.length > 0 ? found : [...all]
}

/** Everything that the tests bring in, the nearest first. */
function reachableFrom(tests: readonly Code[], paths: readonly string[], codeOf: (path: string) => Code | undefined): string[] {
  const reached = new Set<string>()
  let front = tests
  while (front.length > 0) {
    const imported = front.flatMap((code) => findImports(code, paths)).filter((path) => !reached.has(path))
    for (const path of imported) reached.add(path)
    front = [...new Set(imported)].flatMap((path) => codeOf(path) ?? [])
  }
  return [...reached]
}
