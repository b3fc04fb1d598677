import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { type CoverageFigure, type CoverageReport, figureOf, sumOf } from './coverage-report.ts'

/** Reads Cobertura's XML: the lines of its classes, with their branches, and its methods. `undefined` when it is none or not whole. */
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
  /** By file and number: a line may stand in several classes, and in a method again. */
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
      // A method without lines of its own still says what share of it ran.
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
