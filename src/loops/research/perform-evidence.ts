import { randomInt } from 'node:crypto'
import type { CodeIndex, Declaration, ReadQuestion } from '../../codebase/codebase.ts'
import { asksForCalls, readQuestion } from '../../codebase/question.ts'
import { linesOf } from '../../codebase/verify-citations.ts'
import { safeText } from '../../core/safe-text.ts'
import type { NeededPlace } from './coverage.ts'
import type { EvidenceEffect } from './events.ts'
import type { CitedPlace, Passage } from './finding.ts'
import type { Statement } from './judging.ts'
import type { Decoy, ReadStatement } from './progress.ts'
import { significantWords } from './terms.ts'

type Question = NonNullable<Statement['question']>

/** How many lines of a declaration a judge sees, and how many around a place that is in none. */
const LINES_MAX = 30
const LINES_AROUND = 5
const LINE_LENGTH_MAX = 200

/** Reads the lines of every statement, looks for what is asked in them, and puts a decoy among them if a judge will be asked. */
export async function readEvidence(
  { statements, goal, isForJudge }: EvidenceEffect,
  index: CodeIndex | undefined,
): Promise<{ readonly statements: readonly ReadStatement[]; readonly decoy?: Decoy }> {
  const read: ReadStatement[] = []
  for (const statement of statements) {
    const words = new Set(significantWords(`${statement.text} ${statement.question?.text ?? goal}`))
    const passages = await Promise.all(statement.places.map((place) => passageAt(index, place, words)))
    const shows = index && statement.question ? await shownBy(index, statement, passages, goal) : undefined
    read.push({
      finding: statement.finding,
      ...(statement.question ? { question: statement.question.id } : {}),
      passages,
      ...(shows === undefined ? {} : { shows: shows.what, ...(shows.isWhole ? { isShownWhole: true } : {}) }),
    })
  }
  if (!isForJudge || statements.length === 0) return { statements: read }
  const of = randomInt(statements.length)
  const passage = await decoyPassage(index, statements, goal)
  return { statements: read, decoy: { place: randomInt(statements.length + 1), of, passage } }
}

/** The lines around a place, with the declaration that they are in. Without an index it is what was quoted and verified. */
async function passageAt(
  index: CodeIndex | undefined,
  { file, line, snippet }: CitedPlace,
  words: ReadonlySet<string>,
): Promise<Passage> {
  const text = await index?.text(file)
  if (index === undefined || text === undefined) {
    const quoted = linesOf(snippet).map(shownLine)
    return { file, line, from: line, lines: quoted, ...(sharesWord(quoted.join('\n'), words) ? {} : { isDoubtful: true }) }
  }
  const lines = linesOf(text)
  const around = innermost(index.declarationsIn(file), line)
  const terms = around ? `${around.name}\n${lines.slice(around.line - 1, around.lineEnd).join('\n')}` : (lines[line - 1] ?? '')
  const isDoubtful = !sharesWord(terms, words)
  return {
    file,
    line,
    // What stands next to a line that shows nothing is no evidence for it.
    ...windowOf(lines, line, around, isDoubtful ? 1 : LINES_AROUND),
    ...(around ? { declaration: `${around.kind} \`${around.name}\` (lines ${around.line} to ${around.lineEnd})` } : {}),
    ...(isDoubtful ? { isDoubtful } : {}),
  }
}

/** The declaration from its beginning if the place is near it, else the lines around the place. */
function windowOf(
  lines: readonly string[],
  line: number,
  around?: Declaration,
  linesAround = LINES_AROUND,
): Pick<Passage, 'from' | 'lines'> {
  const first = Math.max(1, around?.line ?? line - linesAround)
  const last = Math.min(lines.length, around?.lineEnd ?? line + linesAround)
  const isNear = line < first + LINES_MAX
  const from = isNear ? first : Math.max(1, line - LINES_AROUND)
  const to = Math.min(last, from + LINES_MAX - 1)
  // One line says little by itself.
  const start = to - from >= 2 ? from : Math.max(1, from - 1)
  const end = to - start >= 2 ? to : Math.min(lines.length, start + 2)
  return { from: start, lines: lines.slice(start - 1, end).map(shownLine) }
}

function shownLine(line: string): string {
  const safe = safeText(line).replaceAll('\t', '  ').trimEnd()
  return safe.length > LINE_LENGTH_MAX ? `${safe.slice(0, LINE_LENGTH_MAX)}…` : safe
}

function innermost(declarations: readonly Declaration[], line: number): Declaration | undefined {
  return declarations
    .filter((each) => each.line <= line && line <= each.lineEnd)
    .toSorted((one, other) => one.lineEnd - one.line - (other.lineEnd - other.line))[0]
}

function sharesWord(text: string, words: ReadonlySet<string>): boolean {
  return significantWords(text).some((word) => words.has(word) || [...words].some((each) => isSameWord(word, each)))
}

/** `signing`, `signed` and `sign` are one word here. */
function isSameWord(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  return short.length >= STEM_LENGTH_MIN && long.startsWith(short)
}

const STEM_LENGTH_MIN = 4

interface Shown {
  readonly what: string
  /** Whether the statement says no more than this. */
  readonly isWhole: boolean
}

/** A question that has no name of its own ("what uses it?") is about what the whole prompt is about. */
function askedBy(text: string, goal: string): ReadQuestion {
  return readQuestion(text, readQuestion(goal))
}

/**
 * Pawl's own check, for questions that ask where something is or what uses it: a cited line is the declaration of what is asked for, or a use of
 * it. Nothing is shown by a statement with a place that has nothing to do with it.
 */
async function shownBy(
  index: CodeIndex,
  { question, text, places }: Statement,
  passages: readonly Passage[],
  goal: string,
): Promise<Shown | undefined> {
  if (question?.kind !== 'location' || passages.some(({ isDoubtful }) => isDoubtful)) return undefined
  const asked = askedBy(question.text, goal)
  const what = await shownAt(index, places, asked)
  if (what === undefined) return undefined
  const known = [question.text, goal, ...passages.map(({ file, declaration = '' }) => `${file} ${declaration}`), PLACE_WORDS]
  const words = new Set(significantWords(known.join(' ')))
  return { what, isWhole: significantWords(text).every((word) => words.has(word)) }
}

/** Words in which a place is described, and that claim nothing else. */
const PLACE_WORDS =
  'function method class constant type interface struct trait enum variable module package exported declared defined implemented located lines line called calls call used uses use imported imports import inside within top level file tests'

/** One place says nothing of the whole codebase, and nothing of how or why. */
async function shownAt(index: CodeIndex, places: readonly CitedPlace[], asked: ReadQuestion): Promise<string | undefined> {
  const isCited = (found: Pick<Declaration, 'file' | 'line'>): boolean =>
    places.some(({ file, line }) => file === found.file && line === found.line)
  if (asked.asks === 'place' && asked.literals.length > 0) {
    const literal = asked.literals.find((each) =>
      index.writtenIn(each).some((found) => found.isSource && found.isWhole && isCited(found)),
    )
    return literal === undefined ? undefined : `has the text "${literal}"`
  }
  const things = index.thingsIn(asked)
  if (asked.asks === 'place') {
    const found = things.flatMap(({ declarations }) => declarations).find(isCited)
    return found && `declares \`${found.name}\``
  }
  if (!isAboutUses(asked) || things.length > NAMES_MAX) return undefined
  for (const { name } of things) {
    const uses = (await index.usesOf(name, USE_FILES_MAX)).filter(({ isImport }) => !isImport || !asksForCalls(asked))
    const use = uses.find(isCited)
    if (use) return `${use.isImport ? 'imports' : 'uses'} \`${name}\``
  }
  return undefined
}

const USE_FILES_MAX = 200
const NAMES_MAX = 3

function isAboutUses({ asks }: ReadQuestion): boolean {
  return asks === 'uses' || asks === 'importers'
}

/** How many needed places are kept. */
const NEEDS_MAX = 100
const DECLARATIONS_MAX = 3

/**
 * The places that an answer has to have seen: the declarations of the names in a question, for "what uses" the files that use them, for "how" the
 * files on the path between them. Only what is named as the code names it; tests don't count.
 */
export async function neededPlaces(
  index: CodeIndex,
  questions: readonly Question[],
  goal: string,
): Promise<readonly NeededPlace[]> {
  const needs: NeededPlace[] = []
  for (const question of questions) {
    const asked = askedBy(question.text, goal)
    const declared = namedDeclarations(index, asked)
    if (question.kind === 'location' && isAboutUses(asked)) needs.push(...(await useNeeds(index, question, declared)))
    else if (question.kind === 'location' || question.kind === 'architecture')
      needs.push(
        ...declared.map(({ name, file, line }) => ({
          question: question.id,
          kind: 'declaration' as const,
          file,
          line,
          why: `declares \`${name}\``,
        })),
      )
    if (question.kind === 'architecture') needs.push(...pathNeeds(index, question, declared))
  }
  return needs.slice(0, NEEDS_MAX)
}

/** A name that is declared in many places says nothing about where to look. */
function namedDeclarations(index: CodeIndex, { names, words }: ReadQuestion): readonly Declaration[] {
  const [only] = words
  const meant = names.length > 0 ? names : words.length === 1 && only !== undefined ? [only] : []
  return meant.flatMap((name) => {
    const found = index.declarationsOf(name).filter(({ file }) => !index.isTest(file))
    return found.length > DECLARATIONS_MAX ? [] : found
  })
}

async function useNeeds(index: CodeIndex, { id }: Question, declared: readonly Declaration[]): Promise<readonly NeededPlace[]> {
  const names = [...new Set(declared.map(({ name }) => name))]
  const needs: NeededPlace[] = []
  for (const name of names) {
    // Of several things with one name nobody can say here which is used.
    if (declared.filter((each) => each.name === name).length !== 1) continue
    const uses = (await index.usesOf(name, USE_FILES_MAX)).filter(({ file, isImport }) => !isImport && !index.isTest(file))
    const files = new Map(uses.toReversed().map(({ file, line }) => [file, line]))
    needs.push(...[...files].map(([file, line]) => ({ question: id, kind: 'use' as const, file, line, why: `uses \`${name}\`` })))
  }
  return needs
}

/** The files between those that declare the named things, over imports in either direction. */
function pathNeeds(index: CodeIndex, { id }: Question, declared: readonly Declaration[]): readonly NeededPlace[] {
  const files = [...new Set(declared.map(({ file }) => file))]
  return files.slice(1).flatMap((file, place) => {
    const before = files[place] as string
    return pathBetween(index, before, file).map((each) => ({
      question: id,
      kind: 'path' as const,
      file: each,
      why: `is between ${before} and ${file}`,
    }))
  })
}

const HOPS_MAX = 3

/** The files strictly between two, on a shortest path of imports; none if they are neighbours or too far apart. */
function pathBetween(index: CodeIndex, from: string, to: string): readonly string[] {
  const paths: string[][] = [[from]]
  const seen = new Set([from])
  for (let path = paths.shift(); path && path.length <= HOPS_MAX; path = paths.shift()) {
    const last = path.at(-1) as string
    const near = [...index.importsOf(last).map((edge) => edge.to), ...index.importersOf(last).map((edge) => edge.from)].toSorted()
    for (const next of near) {
      if (next === to) return path.slice(1)
      if (seen.has(next) || index.isTest(next)) continue
      seen.add(next)
      paths.push([...path, next])
    }
  }
  return []
}

const FILES_TRIED_MAX = 60

/** Lines of a declaration that share no word with any statement or question: nobody who reads them says that they support one. */
async function decoyPassage(index: CodeIndex | undefined, statements: readonly Statement[], goal: string): Promise<Passage> {
  const words = new Set(
    significantWords([goal, ...statements.flatMap(({ text, question }) => [text, question?.text ?? ''])].join(' ')),
  )
  const cited = new Set(statements.flatMap(({ places }) => places.map(({ file }) => file)))
  const files = index?.files().filter((file) => index.languageOf(file) !== undefined && !cited.has(file)) ?? []
  const start = files.length === 0 ? 0 : randomInt(files.length)
  for (const file of [...files.slice(start), ...files.slice(0, start)].slice(0, FILES_TRIED_MAX)) {
    const lines = linesOf((await index?.text(file)) ?? '')
    const found = index?.declarationsIn(file).find(({ name, line, lineEnd }) => {
      const isSome = lineEnd - line >= 2
      return isSome && !sharesWord(`${name}\n${lines.slice(line - 1, lineEnd).join('\n')}`, words)
    })
    if (!found) continue
    const declaration = `${found.kind} \`${found.name}\` (lines ${found.line} to ${found.lineEnd})`
    return { file, line: found.line, ...windowOf(lines, found.line, found), declaration }
  }
  const [first] = FOREIGN
  return FOREIGN.find(({ lines }) => !sharesWord(lines.join('\n'), words)) ?? (first as Passage)
}

/** For a codebase in which everything speaks of the same: lines that are in none. */
const FOREIGN: readonly Passage[] = [
  foreign('src/moon.ts', 'moonPhase', [
    'export function moonPhase(julian: number): string {',
    '  const lunation = ((julian - 2451550.1) / 29.530588853) % 1',
    "  return lunation < 0.5 ? 'waxing' : 'waning'",
    '}',
  ]),
  foreign('src/knit.ts', 'purlRow', [
    'export function purlRow(stitches: number, yarn: Skein): Row {',
    '  const purls = Array.from({ length: stitches }, () => yarn.purl())',
    "  return { purls, selvedge: 'slipped' }",
    '}',
  ]),
]

function foreign(file: string, name: string, lines: readonly string[]): Passage {
  return { file, line: 1, from: 1, lines, declaration: `function \`${name}\` (lines 1 to ${lines.length})` }
}
