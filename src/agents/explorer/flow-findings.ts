import type { AnswerFinding } from '../../loops/research/agent-answer.ts'
import type { ImportEdge } from '../../codebase/codebase.ts'
import { listed } from './listed.ts'
import type { Look } from './look.ts'

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
      description: `${file} depends on ${listed(imports.map(({ to }) => to))}.`,
      impact: 'informational',
      category: 'dependency',
      evidence: 'direct',
      citations: await look.citeAll(imports.map(({ line }) => ({ file, line }))),
      claims: [{ subject: file, attribute: 'depends on others', value: 'yes' }],
    })
  }
  if (importers.length > 0) {
    findings.push({
      description: `${file} is ${hasPackages(look, file) ? 'used' : 'imported'} by ${listed(importers.map(({ from }) => from))}.`,
      impact: 'important',
      // That files of one package see each other says little about what uses the thing in question.
      category: hasPackages(look, file) ? 'dependency' : 'usage',
      evidence: 'direct',
      citations: await look.citeAll(importers.map(({ from, line }) => ({ file: from, line }))),
      claims: [{ subject: file, attribute: 'is imported', value: 'yes' }],
    })
  }
  return findings.filter(({ citations }) => citations.length > 0)
}

/** Where the files of one package use each other without an import. */
function hasPackages({ index }: Look, file: string): boolean {
  return ['go', 'java', 'csharp'].includes(index.languageOf(file) ?? '')
}

/** How a file is reached from the files that nobody imports, import by import: the shortest ways, tests left out. */
export async function flowFindings(look: Look, file: string): Promise<readonly AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  const isEntry = ([first]: readonly ImportEdge[]): boolean => first !== undefined && isStarted(look, first.from)
  for (const chain of entryChains(look, file).filter(isEntry).toSorted(mainFirst).slice(0, ENTRIES_MAX)) {
    const steps = chain.map(({ from }) => from)
    const [entry = '', ...between] = steps
    findings.push({
      description: `${file} is reached from the entry point ${entry}${between.length > 0 ? ` through ${listed(between)}` : ''}.`,
      impact: 'important',
      category: 'flow',
      evidence: 'direct',
      citations: await look.citeAll(chain.map(({ from, line }) => ({ file: from, line }))),
      claims: [{ subject: file, attribute: `is reached from ${entry}`, value: 'yes' }],
    })
  }
  return findings.filter(({ citations }) => citations.length > 0)
}

/** In a package a file that no other mentions is only that; what is started has a `main`. */
function isStarted(look: Look, file: string): boolean {
  return !hasPackages(look, file) || look.index.declarationsIn(file).some(({ name }) => /^main$/i.test(name))
}

/** Breadth first over importers; each chain begins at the entry point and ends at the file. */
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

/** What is started comes before what is only there for tests, measurements and examples; then the shorter way. */
function mainFirst(one: readonly ImportEdge[], other: readonly ImportEdge[]): number {
  return rankOf(one) - rankOf(other) || one.length - other.length
}

function rankOf([first]: readonly ImportEdge[]): number {
  const entry = first?.from ?? ''
  if (/(?:^|\/)(?:bench|benchmarks?|testing|examples?|scripts|tools|demos?)\//.test(entry)) return 2
  return /(?:^|\/)(?:main|index|cli|server|app|program|lib|mod|__main__|manage|wsgi|asgi)\.[^/]+$/i.test(entry) ? 0 : 1
}
