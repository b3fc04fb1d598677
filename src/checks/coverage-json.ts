import {
  COVERAGE_SCOPES,
  type CoverageFigure,
  type CoverageReport,
  type CoverageScope,
  figureOf,
  sumOf,
} from './coverage-report.ts'

/** Reads Istanbul's JSON: the summary (`coverage-summary.json`) or the whole (`coverage-final.json`). `undefined` when it is neither. */
export function jsonCoverage(text: string): CoverageReport | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Cut off or no JSON at all: the caller says so.
    return undefined
  }
  if (!isMap(value)) return undefined
  const { total, ...files } = value
  const read = Object.entries(files).map(([file, entry]) => ({ file, figures: isMap(entry) ? figuresOf(entry) : undefined }))
  if (read.length === 0 || read.some(({ figures }) => figures === undefined)) return undefined
  const summed = isMap(total) ? summaryFigures(total) : undefined
  const figures = COVERAGE_SCOPES.map((scope) => [scope, sumOf(read.flatMap(({ figures: each }) => each?.[scope] ?? []))])
  return { files: read.map(({ file }) => file), roots: [], figures: summed ?? Object.fromEntries(figures) }
}

type Figures = Partial<Record<CoverageScope, CoverageFigure>>
type Map = Readonly<Record<string, unknown>>

function figuresOf(entry: Map): Figures | undefined {
  return isMap(entry['statementMap']) ? finalFigures(entry) : summaryFigures(entry)
}

function summaryFigures(entry: Map): Figures | undefined {
  const figures: Figures = {}
  for (const scope of COVERAGE_SCOPES) {
    const figure = entry[scope]
    if (!isMap(figure)) continue
    const { covered, total } = figure
    if (typeof covered !== 'number' || typeof total !== 'number' || !(covered >= 0 && covered <= total)) return undefined
    figures[scope] = { covered, total }
  }
  return figures.lines === undefined ? undefined : figures
}

/** A line counts as often as the statement on it that ran most, as Istanbul has it. */
function finalFigures({ statementMap, s, f, b }: Map): Figures | undefined {
  if (!isMap(statementMap) || !isMap(s) || !isMap(f) || !isMap(b)) return undefined
  const lines = new globalThis.Map<unknown, number>()
  for (const [id, place] of Object.entries(statementMap)) {
    const start = isMap(place) ? place['start'] : undefined
    const line = isMap(start) ? start['line'] : undefined
    lines.set(line, Math.max(lines.get(line) ?? 0, Number(s[id] ?? 0)))
  }
  return {
    lines: figureOf([...lines.values()]),
    statements: figureOf(Object.values(s).map(Number)),
    functions: figureOf(Object.values(f).map(Number)),
    branches: figureOf(Object.values(b).flat().map(Number)),
  }
}

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
