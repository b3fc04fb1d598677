import type { AnswerFinding } from '../../loops/research/agent-answer.ts'
import { significantWords } from '../../loops/research/terms.ts'
import type { Look } from './look.ts'
import { listed } from './listed.ts'

const FILES_MAX = 40
const NAMES_MAX = 6

/** What single files hold, for files that nobody has looked at: one finding for each. */
export async function fileFindings(look: Look, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const known = new Set(look.index.files())
  const findings: AnswerFinding[] = []
  for (const file of files.filter((each) => known.has(each)).slice(0, FILES_MAX)) {
    const finding = await fileFinding(look, file)
    if (finding) findings.push(finding)
  }
  return findings
}

async function fileFinding(look: Look, file: string): Promise<AnswerFinding | undefined> {
  const { index, words } = look
  const all = index.declarationsIn(file)
  const wanted = all.filter(({ name }) => significantWords(name).some((word) => words.has(word)))
  const declared = [...wanted, ...all.filter((each) => !wanted.includes(each))].slice(0, NAMES_MAX)
  const mention = await firstMention(look, file, words)
  const importers = index.importersOf(file).map(({ from }) => from)
  const places = [...declared.slice(0, NAMES_MAX).map(({ line }) => line), ...(mention === undefined ? [] : [mention])]
  const fallback = places.length > 0 ? places : await firstWords(look, file)
  const citations = await look.citeAll(
    [...new Set(fallback)].map((line) => ({ file, line })),
    NAMES_MAX,
  )
  if (citations.length === 0) {
    look.uncertainties.push({ area: file, reason: `${file} could not be quoted: it is empty, too large or not readable.` })
    return undefined
  }
  const parts = [
    ...(declared.length > 0 ? [`declares ${listed([...new Set(declared.map(({ name }) => `\`${name}\``))])}`] : []),
    ...(mention === undefined ? [] : [`speaks of ${listed(await wordsOn(look, file, mention, words))}`]),
    ...(importers.length > 0 ? [`is imported by ${listed(importers, 3)}`] : []),
  ]
  return {
    description: `${file} ${parts.length > 0 ? listed(parts) : 'has none of the words of the question'}.`,
    impact: 'informational',
    category: index.languageOf(file) === undefined ? 'documents' : 'structure',
    evidence: 'direct',
    citations,
    // Who looks at the file again says more of the same thing.
    claims: [{ subject: file, attribute: 'has to do with it', value: 'yes' }],
  }
}

async function firstMention(look: Look, file: string, words: ReadonlySet<string>): Promise<number | undefined> {
  const index = (await look.lines(file)).findIndex((line) => significantWords(line).some((word) => words.has(word)))
  return index === -1 ? undefined : index + 1
}

async function wordsOn(look: Look, file: string, line: number, words: ReadonlySet<string>): Promise<readonly string[]> {
  const text = (await look.lines(file))[line - 1] ?? ''
  return significantWords(text)
    .filter((word) => words.has(word))
    .map((word) => `\`${word}\``)
}

async function firstWords(look: Look, file: string): Promise<readonly number[]> {
  const index = (await look.lines(file)).findIndex((line) => /[\p{L}\p{N}]{3}/u.test(line))
  return index === -1 ? [] : [index + 1]
}
