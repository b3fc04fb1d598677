import type { AnswerFinding } from '../loops/research/answer.ts'
import type { Declaration, ImportEdge, Use } from '../codebase/codebase.ts'
import { joinNames, type Look } from './look.ts'

const USE_FILES_MAX = 500
const CITATIONS_MAX = 40

/** Where a thing is declared. */
export async function declarationFinding(look: Look, { name, kind, file, line }: Declaration): Promise<readonly AnswerFinding[]> {
  const citations = await look.citeAll([{ file, line }])
  if (citations.length === 0) return []
  return [
    {
      description: `\`${name}\` is declared as a ${kind} in ${file}.`,
      impact: look.index.isTest(file) ? 'informational' : 'critical',
      category: 'location',
      evidence: 'direct',
      citations,
      claims: [{ subject: name, attribute: 'is declared', value: `as a ${kind}`, scope: `${file}:${line}` }],
    },
  ]
}

/**
 * Every use of a name, one finding for each file of code and one for all tests; files that call it come first. If calls are
 * wanted, imports don't count, and other uses only in files without a call.
 */
export async function useFindings(look: Look, name: string, isForCalls: boolean): Promise<readonly AnswerFinding[]> {
  const all = await look.index.usesOf(name, USE_FILES_MAX)
  const files = [...Map.groupBy(all, ({ file }) => file).values()]
    .map((uses) =>
      isForCalls
        ? uses.filter(({ isCall, isImport }) => (hasCall(uses) ? isCall : !isImport))
        : uses.filter(({ isImport }) => !isImport || uses.every((use) => use.isImport)),
    )
    .filter((uses) => uses.length > 0)
  if (new Set(all.map(({ file }) => file)).size >= USE_FILES_MAX) {
    look.uncertainties.push({
      area: name,
      reason: `More than ${USE_FILES_MAX} files mention \`${name}\`; the rest were not looked at.`,
    })
  }
  const isTest = ([first]: readonly Use[]): boolean => first !== undefined && look.index.isTest(first.file)
  const code = files.filter((uses) => !isTest(uses)).toSorted((one, other) => Number(hasCall(other)) - Number(hasCall(one)))
  const findings: AnswerFinding[] = []
  for (const uses of code.slice(0, USE_FINDINGS_MAX)) findings.push(await useFinding(look, name, uses))
  const tests = files.filter(isTest).flatMap((uses) => uses)
  if (tests.length > 0) findings.push(await testFinding(look, name, tests))
  if (all.length === 0 && look.index.declarationsOf(name).length > 0) {
    look.uncertainties.push({
      area: name,
      reason: `No use of \`${name}\` was found by its name; it may be used through a re-export, a framework or at run time.`,
    })
  }
  return findings.filter(({ citations }) => citations.length > 0)
}

function hasCall(uses: readonly Use[]): boolean {
  return uses.some(({ isCall }) => isCall)
}

const USE_FINDINGS_MAX = 60

async function useFinding(look: Look, name: string, uses: readonly Use[]): Promise<AnswerFinding> {
  const file = uses[0]?.file ?? ''
  const within = [
    ...new Set(uses.flatMap((use) => (use.within === undefined || use.within === name ? [] : [`\`${use.within}\``]))),
  ]
  const verb = uses.some(({ isCall }) => isCall) ? 'called' : uses.every(({ isImport }) => isImport) ? 'imported' : 'used'
  return {
    description: `\`${name}\` is ${verb} in ${file}${within.length > 0 ? ` (in ${joinNames(within)})` : ''}.`,
    impact: 'critical',
    category: 'usage',
    evidence: 'direct',
    citations: await look.citeAll(uses, CITATIONS_MAX),
    claims: [{ subject: name, attribute: 'is used', value: 'yes', scope: file }],
  }
}

async function testFinding(look: Look, name: string, uses: readonly Use[]): Promise<AnswerFinding> {
  const first = [...Map.groupBy(uses, ({ file }) => file).values()].flatMap(([use]) => use ?? [])
  return {
    description: `\`${name}\` is exercised by tests in ${joinNames(first.map(({ file }) => file))}.`,
    impact: 'informational',
    category: 'tests',
    evidence: 'direct',
    citations: await look.citeAll(first),
  }
}

const FILES_MAX = 400
const ENTRIES_MAX = 3
const ENTRIES_COMPARED_MAX = 30

/** What a file imports, or what imports it. */
export async function importFindings(
  look: Look,
  file: string,
  wanted: 'imports' | 'importers',
): Promise<readonly AnswerFinding[]> {
  const isTest = ({ from }: ImportEdge): number => Number(look.index.isTest(from))
  const importers = look.index.importersOf(file).toSorted((one, other) => isTest(one) - isTest(other))
  const targets = look.index.importsOf(file).map(({ to }) => to)
  const lines = look.index.specifiersIn(file)
  const finding =
    wanted === 'imports'
      ? {
          description: `${file} imports ${joinNames([...new Set([...targets, ...lines.map(({ specifier }) => specifier)])], IMPORTS_MAX)}.`,
          category: 'dependency',
          citations: await look.citeAll(
            lines.map(({ line }) => ({ file, line })),
            CITATIONS_MAX,
          ),
          claims: [{ subject: file, attribute: 'depends on others', value: 'yes' }],
        }
      : {
          description: `${file} is ${hasPackages(look, file) ? 'used' : 'imported'} by ${joinNames(importers.map(({ from }) => from))}.`,
          category: 'usage',
          citations: await look.citeAll(
            importers.map(({ from, line }) => ({ file: from, line })),
            CITATIONS_MAX,
          ),
          claims: [{ subject: file, attribute: 'is imported', value: 'yes' }],
        }
  return finding.citations.length === 0 ? [] : [{ ...finding, impact: 'important', evidence: 'direct' }]
}

const IMPORTS_MAX = 20

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
  const declarations = look.words
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
function shapesOf(name: string, words: readonly string[]): readonly string[] {
  const parts = name.split(/(?<=\p{Ll})(?=\p{Lu})|_/u)
  if (parts.length < 2) return []
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  return [
    ...(words.includes(first.toLowerCase()) ? [`${first}*`] : []),
    ...(words.includes(last.toLowerCase()) ? [`*${last}`] : []),
  ]
}
