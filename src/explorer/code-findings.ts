import type { AnswerFinding } from '../loops/research/answer.ts'
import type { Impact } from '../loops/research/finding.ts'
import type { Declaration, ImportEdge, Use } from '../codebase/codebase.ts'
import { joinNames, type Look } from './look.ts'

const DECLARATIONS_MAX = 6
const USE_FILES_MAX = 150

/** Where a name is declared: one finding for each file, the one that is meant first. */
export async function declarationFindings(
  look: Look,
  { name, file: own }: Declaration,
  impact: Impact,
): Promise<readonly AnswerFinding[]> {
  const places = look.index.declarationsOf(name)
  const findings: AnswerFinding[] = []
  const files = [...Map.groupBy(codeFirst(look, places), ({ file }) => file).values()].flatMap(([first]) => first ?? [])
  const ownFirst = files.toSorted((one, other) => Number(other.file === own) - Number(one.file === own))
  for (const { file, line, kind } of ownFirst.slice(0, DECLARATIONS_MAX)) {
    const citations = await look.citeAll([{ file, line }])
    if (citations.length === 0) continue
    findings.push({
      description: `\`${name}\` is declared as a ${kind} in ${file}.`,
      impact: look.index.isTest(file) ? 'informational' : impact,
      category: 'location',
      evidence: 'direct',
      citations,
      claims: [{ subject: name, attribute: 'is declared', value: `as a ${kind}`, scope: `${file}:${line}` }],
    })
  }
  if (files.length > DECLARATIONS_MAX) {
    look.uncertainties.push({
      area: name,
      reason: `\`${name}\` is declared in ${files.length} files, of which ${DECLARATIONS_MAX} are reported.`,
    })
  }
  return findings
}

/** What uses a name, with code and tests apart. */
export async function useFindings(look: Look, { name, file }: Declaration, impact: Impact): Promise<readonly AnswerFinding[]> {
  const uses = (await look.index.usesOf(name, USE_FILES_MAX)).filter((use) => !(use.file === file && use.isImport))
  const files = new Set(uses.map((use) => use.file))
  if (files.size >= USE_FILES_MAX) {
    look.uncertainties.push({
      area: name,
      reason: `More than ${USE_FILES_MAX} files mention \`${name}\`; the rest were not looked at.`,
    })
  }
  const inTests = uses.filter((use) => look.index.isTest(use.file))
  const inCode = uses.filter((use) => !look.index.isTest(use.file))
  const findings: AnswerFinding[] = []
  if (inCode.length > 0) findings.push(await useFinding(look, name, inCode, { impact, category: 'usage', who: 'used' }))
  if (inTests.length > 0)
    findings.push(
      await useFinding(look, name, inTests, { impact: 'informational', category: 'tests', who: 'exercised by tests' }),
    )
  if (uses.length === 0 && look.index.declarationsOf(name).length > 0) {
    look.uncertainties.push({
      area: name,
      reason: `No use of \`${name}\` was found by its name; it may be used through a re-export, a framework or at run time.`,
    })
  }
  return findings.filter(({ citations }) => citations.length > 0)
}

async function useFinding(
  look: Look,
  name: string,
  uses: readonly Use[],
  { impact, category, who }: { readonly impact: Impact; readonly category: string; readonly who: string },
): Promise<AnswerFinding> {
  const perFile = [...Map.groupBy(uses, ({ file }) => file)]
  // A call says more than the import that makes it possible.
  const telling = perFile
    .map(([, each]) => each.find(({ isImport }) => !isImport) ?? each[0])
    .filter((each) => each !== undefined)
  const shown = telling.map(({ file, within }) => (within === undefined || within === name ? file : `${file} (in \`${within}\`)`))
  return {
    description: `\`${name}\` is ${who} in ${joinNames(shown)}.`,
    impact,
    category,
    evidence: 'direct',
    citations: await look.citeAll(telling),
    claims: perFile.slice(0, CLAIMS_MAX).map(([file]) => ({ subject: name, attribute: 'is used', value: 'yes', scope: file })),
  }
}

const CLAIMS_MAX = 20

function codeFirst({ index }: Look, places: readonly Declaration[]): readonly Declaration[] {
  return places.toSorted((one, other) => Number(index.isTest(one.file)) - Number(index.isTest(other.file)))
}

const FILES_MAX = 400
const ENTRIES_MAX = 3
const ENTRIES_COMPARED_MAX = 30

/** What a file imports and what imports it. */
export async function importFindings(look: Look, file: string): Promise<readonly AnswerFinding[]> {
  const imports = look.index.importsOf(file)
  const isTest = ({ from }: ImportEdge): number => Number(look.index.isTest(from))
  const importers = look.index.importersOf(file).toSorted((one, other) => isTest(one) - isTest(other))
  const findings: AnswerFinding[] = []
  if (imports.length > 0) {
    findings.push({
      description: `${file} depends on ${joinNames(imports.map(({ to }) => to))}.`,
      impact: 'informational',
      category: 'dependency',
      evidence: 'direct',
      citations: await look.citeAll(imports.map(({ line }) => ({ file, line }))),
      claims: [{ subject: file, attribute: 'depends on others', value: 'yes' }],
    })
  }
  if (importers.length > 0) {
    findings.push({
      description: `${file} is ${hasPackages(look, file) ? 'used' : 'imported'} by ${joinNames(importers.map(({ from }) => from))}.`,
      impact: 'important',
      // Files of one package see each other anyway, which says little about what uses the thing in question.
      category: hasPackages(look, file) ? 'dependency' : 'usage',
      evidence: 'direct',
      citations: await look.citeAll(importers.map(({ from, line }) => ({ file: from, line }))),
      claims: [{ subject: file, attribute: 'is imported', value: 'yes' }],
    })
  }
  return findings.filter(({ citations }) => citations.length > 0)
}

/** Whether files of one package use each other without an import. */
function hasPackages({ index }: Look, file: string): boolean {
  return ['go', 'java', 'csharp'].includes(index.languageOf(file) ?? '')
}

/** How a file is reached from files that nobody imports: the shortest chains of imports, without tests. */
export async function flowFindings(look: Look, file: string): Promise<readonly AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  const isEntry = ([first]: readonly ImportEdge[]): boolean => first !== undefined && isStarted(look, first.from)
  for (const chain of entryChains(look, file).filter(isEntry).toSorted(mainFirst).slice(0, ENTRIES_MAX)) {
    const steps = chain.map(({ from }) => from)
    const [entry = '', ...between] = steps
    findings.push({
      description: `${file} is reached from the entry point ${entry}${between.length > 0 ? ` through ${joinNames(between)}` : ''}.`,
      impact: 'important',
      category: 'flow',
      evidence: 'direct',
      citations: await look.citeAll(chain.map(({ from, line }) => ({ file: from, line }))),
      claims: [{ subject: file, attribute: `is reached from ${entry}`, value: 'yes' }],
    })
  }
  return findings.filter(({ citations }) => citations.length > 0)
}

/** In a package, being mentioned by no other file doesn't make an entry point; having a `main` does. */
function isStarted(look: Look, file: string): boolean {
  return !hasPackages(look, file) || look.index.declarationsIn(file).some(({ name }) => /^main$/i.test(name))
}

/** Breadth first over importers. Each chain starts at the entry point and ends at the file. */
function entryChains({ index }: Look, file: string): readonly (readonly ImportEdge[])[] {
  const steps = new Map<string, ImportEdge | undefined>([[file, undefined]])
  const chains: (readonly ImportEdge[])[] = []
  for (const path of steps.keys()) {
    const importers = index.importersOf(path).filter(({ from }) => !index.isTest(from))
    if (importers.length === 0 && path !== file) chains.push(chainFrom(steps, path))
    if (steps.size > FILES_MAX || chains.length >= ENTRIES_COMPARED_MAX) break
    for (const edge of importers) if (!steps.has(edge.from)) steps.set(edge.from, edge)
  }
  return chains
}

function chainFrom(steps: ReadonlyMap<string, ImportEdge | undefined>, entry: string): readonly ImportEdge[] {
  const chain: ImportEdge[] = []
  for (let edge = steps.get(entry); edge; edge = steps.get(edge.to)) chain.push(edge)
  return chain
}

/** Programs before tests, benchmarks and examples, then shorter chains first. */
function mainFirst(one: readonly ImportEdge[], other: readonly ImportEdge[]): number {
  return rankOf(one) - rankOf(other) || one.length - other.length
}

function rankOf([first]: readonly ImportEdge[]): number {
  const entry = first?.from ?? ''
  if (/(?:^|\/)(?:bench|benchmarks?|testing|examples?|scripts|tools|demos?)\//.test(entry)) return 2
  return /(?:^|\/)(?:main|index|cli|server|app|program|lib|mod|__main__|manage|wsgi|asgi)\.[^/]+$/i.test(entry) ? 0 : 1
}

const EXAMPLES_MIN = 3
const PATTERNS_MAX = 6
const EXAMPLES_CITED_MAX = 6

/** Names built alike around the question's words: `createLoginForm`, `createUserForm`, … Three make a pattern. */
export async function patternFindings(look: Look): Promise<readonly AnswerFinding[]> {
  const declarations = [...look.words]
    .flatMap((word) => look.index.declarationsWith(word))
    .filter(({ file }) => !look.index.isTest(file))
  const groups = new Map<string, Map<string, Declaration>>()
  for (const declaration of declarations) {
    for (const shape of shapesOf(declaration.name, look.words)) {
      const group = groups.get(shape) ?? new Map<string, Declaration>()
      if (!group.has(declaration.name)) group.set(declaration.name, declaration)
      groups.set(shape, group)
    }
  }
  const patterns = [...groups]
    .filter(([, names]) => names.size >= EXAMPLES_MIN)
    .toSorted(([one, names], [other, others]) => others.size - names.size || (one < other ? -1 : 1))
    .slice(0, PATTERNS_MAX)
  const findings: AnswerFinding[] = []
  for (const [shape, names] of patterns) findings.push(await patternFinding(look, shape, [...names.values()]))
  return findings.filter(({ citations }) => citations.length >= EXAMPLES_MIN)
}

async function patternFinding(look: Look, shape: string, examples: readonly Declaration[]): Promise<AnswerFinding> {
  const folders = [...new Set(examples.map(({ file }) => file.slice(0, Math.max(file.lastIndexOf('/'), 0)) || '.'))]
  return {
    description: `Naming convention \`${shape}\`: ${joinNames(examples.map(({ name }) => `\`${name}\``))}, in ${joinNames(folders, 4)}.`,
    impact: 'informational',
    category: 'pattern',
    evidence: 'direct',
    citations: await look.citeAll(examples, EXAMPLES_CITED_MAX),
  }
}

/** `loginUser` is `login*`, `userLogin` is `*Login`: the question's word and its position. */
function shapesOf(name: string, words: ReadonlySet<string>): readonly string[] {
  const parts = name.split(/(?<=\p{Ll})(?=\p{Lu})|_/u)
  if (parts.length < 2) return []
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  return [...(words.has(first.toLowerCase()) ? [`${first}*`] : []), ...(words.has(last.toLowerCase()) ? [`*${last}`] : [])]
}
