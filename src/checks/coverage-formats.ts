import { type Fields, isFields, parseJson } from '../core/json.ts'
import { SaxesParser, type SaxesTagPlain } from 'saxes'

/** What can be covered. */
export const COVERAGE_SCOPES = ['lines', 'branches', 'functions', 'statements'] as const

export type CoverageScope = (typeof COVERAGE_SCOPES)[number]

export interface CoverageFigure {
  readonly covered: number
  readonly total: number
}

/** What a coverage report says, whatever its format. */
export interface CoverageReport {
  /** Its files, as it names them. */
  readonly files: readonly string[]
  /** Folders that these names may be relative to, besides the workspace's. */
  readonly roots: readonly string[]
  readonly figures: Partial<Record<CoverageScope, CoverageFigure>>
}

/** Adds up figures. */
function sumOf(figures: readonly CoverageFigure[]): CoverageFigure {
  return figures.reduce((sum, { covered, total }) => ({ covered: sum.covered + covered, total: sum.total + total }), {
    covered: 0,
    total: 0,
  })
}

/** How many of these counts are above 0. */
function figureOf(counts: readonly number[]): CoverageFigure {
  return { covered: counts.filter((count) => count > 0).length, total: counts.length }
}

/**
 * Reads an lcov trace file. Single counts win over a file's sums, which some tools omit; several records of one file are added up.
 * `undefined` if it isn't one, or is cut off in the middle of a record.
 */
export function lcovCoverage(text: string): CoverageReport | undefined {
  const files = new Map<string, Counts>()
  let open: { readonly file: string; readonly counts: Counts } | undefined
  for (const line of text.split('\n').map((each) => each.trim())) {
    const colon = line.indexOf(':')
    if (line === 'end_of_record') open = undefined
    else if (line.startsWith('SF:')) {
      const file = line.slice(3)
      const counts = files.get(file) ?? { lines: new Map(), branches: new Map(), functions: new Map(), sums: {} }
      files.set(file, counts)
      open = { file, counts }
    } else if (open && colon > 0) takeRecord(open.counts, line.slice(0, colon), line.slice(colon + 1))
  }
  if (files.size === 0 || open) return undefined
  const all = [...files.values()]
  return {
    files: [...files.keys()],
    roots: [],
    figures: {
      lines: sumOf(all.map((counts) => lcovFigure(counts.lines, counts.sums, 'L'))),
      branches: sumOf(all.map((counts) => lcovFigure(counts.branches, counts.sums, 'BR'))),
      functions: sumOf(all.map((counts) => lcovFigure(counts.functions, counts.sums, 'FN'))),
    },
  }
}

interface Counts {
  readonly lines: Map<string, number>
  readonly branches: Map<string, number>
  readonly functions: Map<string, number>
  readonly sums: Record<string, number>
}

function takeRecord({ lines, branches, functions, sums }: Counts, kind: string, rest: string): void {
  const words = rest.split(',')
  switch (kind) {
    case 'DA':
      return add(lines, words[0] ?? '', number(words[1]))
    case 'BRDA':
      return add(branches, words.slice(0, 3).join(), number(words[3]))
    case 'FNDA':
      return add(functions, words.slice(1).join(), number(words[0]))
    case 'LF':
    case 'LH':
    case 'BRF':
    case 'BRH':
    case 'FNF':
    case 'FNH':
      if (number(rest) >= 0) sums[kind] = number(rest)
  }
}

/** A branch that was never reached has no count. */
function number(text: string | undefined): number {
  return text === '-' ? 0 : Number(text)
}

function add(counts: Map<string, number>, key: string, hits: number): void {
  if (Number.isFinite(hits)) counts.set(key, (counts.get(key) ?? 0) + hits)
}

function lcovFigure(counts: ReadonlyMap<string, number>, sums: Readonly<Record<string, number>>, kind: 'L' | 'BR' | 'FN') {
  if (counts.size > 0) return figureOf([...counts.values()])
  const total = sums[`${kind}F`] ?? 0
  return { total, covered: Math.min(total, sums[`${kind}H`] ?? 0) }
}

/** Reads Istanbul's JSON: the summary (`coverage-summary.json`) or the whole (`coverage-final.json`). `undefined` if it is neither. */
export function jsonCoverage(text: string): CoverageReport | undefined {
  const value = parseJson(text)
  // Cut off or not JSON: the caller says so.
  if (!isFields(value)) return undefined
  const { total, ...files } = value
  const read = Object.entries(files).map(([file, entry]) => ({ file, figures: isFields(entry) ? figuresOf(entry) : undefined }))
  if (read.length === 0 || read.some(({ figures }) => figures === undefined)) return undefined
  const summed = isFields(total) ? summaryFigures(total) : undefined
  const figures = COVERAGE_SCOPES.map((scope) => [scope, sumOf(read.flatMap(({ figures: each }) => each?.[scope] ?? []))])
  return { files: read.map(({ file }) => file), roots: [], figures: summed ?? Object.fromEntries(figures) }
}

type Figures = Partial<Record<CoverageScope, CoverageFigure>>

function figuresOf(entry: Fields): Figures | undefined {
  return isFields(entry['statementMap']) ? finalFigures(entry) : summaryFigures(entry)
}

function summaryFigures(entry: Fields): Figures | undefined {
  const figures: Figures = {}
  for (const scope of COVERAGE_SCOPES) {
    const figure = entry[scope]
    if (!isFields(figure)) continue
    const { covered, total } = figure
    if (typeof covered !== 'number' || typeof total !== 'number' || !(covered >= 0 && covered <= total)) return undefined
    figures[scope] = { covered, total }
  }
  return figures.lines === undefined ? undefined : figures
}

/** A line's count is that of its statement that ran most, as in Istanbul. */
function finalFigures({ statementMap, s, f, b }: Fields): Figures | undefined {
  if (!isFields(statementMap) || !isFields(s) || !isFields(f) || !isFields(b)) return undefined
  const lines = new Map<unknown, number>()
  for (const [id, place] of Object.entries(statementMap)) {
    const start = isFields(place) ? place['start'] : undefined
    const line = isFields(start) ? start['line'] : undefined
    lines.set(line, Math.max(lines.get(line) ?? 0, Number(s[id] ?? 0)))
  }
  return {
    lines: figureOf([...lines.values()]),
    statements: figureOf(Object.values(s).map(Number)),
    functions: figureOf(Object.values(f).map(Number)),
    branches: figureOf(Object.values(b).flat().map(Number)),
  }
}

/** Reads Cobertura's XML: the lines of its classes, with their branches, and its methods. `undefined` if it isn't one or is incomplete. */
export function coberturaCoverage(text: string): CoverageReport | undefined {
  const found: Found = { files: new Set(), roots: [], lines: new Map(), branches: new Map(), methods: [], path: [] }
  const parser = new SaxesParser()
  let problem: Error | undefined
  let source = ''
  parser.on('error', (error) => {
    problem ??= error
  })
  parser.on('opentag', (tag) => {
    if (!tag.isSelfClosing) found.path.push(tag.name)
    take(found, tag)
  })
  parser.on('text', (words) => {
    if (found.path.at(-1) === 'source') source += words
  })
  parser.on('closetag', (tag) => {
    if (tag.name === 'source' && source.trim() !== '') found.roots.push(source.trim())
    if (tag.name === 'source') source = ''
    if (!tag.isSelfClosing) found.path.pop()
  })
  parser.write(text).close()
  if (problem !== undefined || !found.isCoverage) return undefined
  return {
    files: [...found.files],
    roots: found.roots,
    figures: {
      lines: figureOf([...found.lines.values()]),
      branches: sumOf([...found.branches.values()]),
      functions: figureOf(found.methods),
    },
  }
}

interface Found {
  isCoverage?: true
  readonly files: Set<string>
  readonly roots: string[]
  /** By file and number: a line may be in several classes, and again in a method. */
  readonly lines: Map<string, number>
  readonly branches: Map<string, CoverageFigure>
  /** The hits of each method. */
  readonly methods: number[]
  readonly path: string[]
  file?: string
}

function take(found: Found, { name, attributes }: SaxesTagPlain): void {
  switch (name) {
    case 'coverage':
      if (found.path.length <= 1) found.isCoverage = true
      return
    case 'class':
      found.file = attributes['filename'] ?? ''
      found.files.add(found.file)
      return
    case 'method':
      // A method without lines still says what share of it ran.
      found.methods.push(Number(attributes['line-rate'] ?? 0) > 0 ? 1 : 0)
      return
    case 'line':
      return takeLine(found, attributes)
  }
}

function takeLine(found: Found, attributes: Readonly<Record<string, string>>): void {
  const key = `${found.file} ${attributes['number']}`
  const hits = Number(attributes['hits'] ?? 0)
  if (found.path.includes('method')) {
    const last = found.methods.length - 1
    if (hits > 0 && last >= 0) found.methods[last] = Math.max(found.methods[last] ?? 0, hits)
  }
  found.lines.set(key, Math.max(found.lines.get(key) ?? 0, hits))
  const [, covered, total] = /\((\d+)\/(\d+)\)/.exec(attributes['condition-coverage'] ?? '') ?? []
  if (covered !== undefined && total !== undefined)
    found.branches.set(key, { covered: Math.min(Number(covered), Number(total)), total: Number(total) })
}
