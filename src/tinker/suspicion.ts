import type { Failure } from '../core/failure.ts'
import { type Code, findImports, type FunctionSpan, lineFinder, readCode } from './code.ts'
import { isTestFile, type SourceTexts } from './source-files.ts'
import { wordsOf } from './mutate-names.ts'
import { resolve } from 'node:path'

/** Where the cause of the failures may be. */
export interface Suspicion {
  /** Files that may be edited. */
  readonly sources: readonly Code[]
  /** The failing test files, or all if unknown. */
  readonly tests: readonly Code[]
  /** How suspicious a line is; 0 if it isn't involved. */
  weightOf(path: string, line: number): number
  /** A failing test's position, if known. */
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
 * Narrows the tree down to suspicious lines without running anything: starts from the failing tests and what they import and
 * call, minus what passing tests call, plus what a stack frame or the brief points to.
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
  const weightOf = weighLines({ sources, tests, failing, passing, frames })
  return { sources, tests, weightOf, testOf }
}

const TEST_FILES_MAX = 200
const SOURCE_FILES_MAX = 60

function failingTests(all: readonly Code[], failing: readonly TestBlock[], frames: readonly Mention[]): Code[] {
  const paths = new Set(failing.length > 0 ? failing.map(({ path }) => path) : frames.map(({ path }) => path))
  const found = all.filter(({ path }) => paths.has(path))
  return found.length > 0 ? found : [...all]
}

/** Everything that the tests import, nearest first. */
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

interface WeighLinesInput {
  readonly sources: readonly Code[]
  readonly tests: readonly Code[]
  readonly failing: readonly TestBlock[]
  readonly passing: readonly TestBlock[]
  readonly frames: readonly Mention[]
}

/** A line weighs as much as its function, and more if it shares words with a failing test's title or a stack frame names it. */
function weighLines(input: WeighLinesInput): (path: string, line: number) => number {
  const { sources, failing, frames } = input
  const ofFunction = functionWeights(input)
  const titleWords = new Set(failing.flatMap(({ name }) => wordsOf(name)).filter((word) => word.length > 2))
  const lines = new Map(sources.map(({ path, text }) => [path, text.split('\n')]))
  const named = new Set(frames.map(({ path, line }) => `${path}:${line}`))
  return (path, line) => {
    const code = sources.find((source) => source.path === path)
    if (!code) return 0
    const span = code.functions.findLast(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine)
    const shared = new Set(wordsOf(lines.get(path)![line - 1] ?? '').filter((word) => titleWords.has(word))).size
    return (span ? ofFunction(span) : TOP_LEVEL) * (1 + 0.2 * Math.min(3, shared)) * (named.has(`${path}:${line}`) ? 3 : 1)
  }
}

const TOP_LEVEL = 0.3
/** Calls are found by reading the source only, so functions that no failing test seems to call get a little weight too. */
const UNREACHED = 0.03

/** The Ochiai coefficient over the calls found in the source: many failing and few passing tests make a function suspicious. */
function functionWeights({ sources, tests, failing, passing }: WeighLinesInput): (span: FunctionSpan) => number {
  if (failing.length === 0) return () => 0.5
  const reach = reachIn([...sources, ...tests])
  const byFailing = failing.map(({ names }) => reach(names))
  const byPassing = passing.map(({ names }) => reach(names))
  const weights = new Map<FunctionSpan, number>()
  return (span) => {
    const known = weights.get(span)
    if (known !== undefined) return known
    const failed = byFailing.filter((reached) => reached.has(span)).length
    const passed = byPassing.filter((reached) => reached.has(span)).length
    const weight = failed === 0 ? UNREACHED : failed / Math.sqrt(failing.length * (failed + passed))
    weights.set(span, weight)
    return weight
  }
}

/** The functions that a test may call, directly or indirectly. Matches calls by name alone: better too many than too few. */
function reachIn(codes: readonly Code[]): (names: ReadonlySet<string>) => ReadonlySet<FunctionSpan> {
  const places = Map.groupBy(
    codes.flatMap(({ tokens, functions }) => functions.map((span) => ({ span, tokens }))),
    ({ span }) => span.name,
  )
  return (names) => {
    const reached = new Set<FunctionSpan>()
    // The set grows while this reads it.
    const called = new Set(names)
    for (const name of called) {
      for (const { span, tokens } of places.get(name) ?? []) {
        reached.add(span)
        for (const { kind, text } of tokens.slice(span.bodyIndex, span.endIndex + 1)) if (kind === 'word') called.add(text)
      }
    }
    return reached
  }
}

/** A position mentioned in a text: `src/cart.js:12`, `File "cart.py", line 12`. */
export interface Mention {
  readonly path: string
  readonly line?: number
}

/** Finds the files among `paths` that a text mentions, with their lines if given. */
function findMentions(text: string, paths: Iterable<string>, folder: string): Mention[] {
  const known = new Set(paths)
  const root = `${resolve(folder)}/`
  const mentions = new Map<string, Mention>()
  for (const [, file, line, pythonLine] of text.matchAll(PLACE)) {
    const path = file!.replace('file://', '').replace(root, '').replace(/^\.\//, '')
    const number = Number(line ?? pythonLine)
    if (known.has(path)) mentions.set(`${path}:${number}`, number > 0 ? { path, line: number } : { path })
  }
  return [...mentions.values()]
}

const PLACE = /((?:file:\/\/)?[\w@./-]+\.[a-z]{1,4})(?:[:(](\d+)|", line (\d+))?/g

/** One test in a test file: its title or function name, and its lines. */
export interface TestBlock {
  readonly path: string
  readonly name: string
  readonly firstLine: number
  readonly lastLine: number
  /** Names in its body. */
  readonly names: ReadonlySet<string>
}

/** Finds `test('…', …)`, `it('…', …)` and functions whose name starts with `test`. */
function findTestBlocks(code: Code): TestBlock[] {
  const { tokens, pairs, functions, path } = code
  const blocks: TestBlock[] = []
  const add = (name: string, from: number, to: number) => {
    const names = new Set(tokens.slice(from, to + 1).flatMap(({ kind, text }) => (kind === 'word' ? [text] : [])))
    blocks.push({ path, name, firstLine: tokens[from]!.line, lastLine: tokens[to]!.line, names })
  }
  for (const [index, token] of tokens.entries()) {
    if (token.text === '(' && isTestCall(code, index) && pairs[index]! > 0) {
      const title = tokens[index + 1]!
      if (title.kind === 'string' || title.kind === 'template') add(title.text.slice(1, -1), index - 1, pairs[index]!)
    }
  }
  for (const { name, nameIndex, endIndex } of functions)
    if (/^test|^Test/.test(name) && name.length > 4) add(name, nameIndex, endIndex)
  return blocks
}

/** Whether a call is `test`, `it`, or one of them with a suffix (`it.only`, `test.each(…)`). */
function isTestCall({ tokens, pairs }: Code, opening: number): boolean {
  let index = opening - 1
  if (tokens[index]?.text === ')' && pairs[index]! > 0) index = pairs[index]! - 1
  while (tokens[index - 1]?.text === '.') index -= 2
  return tokens[index]?.text === 'test' || tokens[index]?.text === 'it'
}

/** The lines of tests inside a source file, which aren't edited either. */
export function testLines(code: Code): (line: number) => boolean {
  const blocks = findTestBlocks(code)
  const marker = /#\[cfg\(test\)\]|import\.meta\.vitest/.exec(code.text)
  const lastLine = marker ? lineFinder(code.text)(marker.index) : Number.POSITIVE_INFINITY
  return (line) => line >= lastLine || blocks.some((block) => block.firstLine <= line && line <= block.lastLine)
}

/** A failing test's block: the one with the longest name contained in its id, otherwise the one at the reported line. */
function blockOf(blocks: readonly TestBlock[], { id, file, line }: Failure, folder: string): TestBlock | undefined {
  const inFile = blocks.filter(({ path }) => file === undefined || isSameFile(file, path, folder))
  const candidates = inFile.length > 0 ? inFile : blocks
  const byName = candidates.filter(({ name }) => id.includes(name)).toSorted((a, b) => b.name.length - a.name.length)
  const byLine = candidates.findLast(({ firstLine, lastLine }) => line !== undefined && firstLine <= line && line <= lastLine)
  return byName[0] ?? (inFile.length > 0 ? byLine : undefined)
}

function isSameFile(file: string, path: string, folder: string): boolean {
  return file === path || file.replace('file://', '') === `${folder}/${path}` || file.endsWith(`/${path}`)
}
