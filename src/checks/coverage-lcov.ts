import { type CoverageReport, figureOf, sumOf } from './coverage-report.ts'

/**
 * Reads an lcov trace file. Single counts go before a file's sums, which some tools leave out; several records of one file are one.
 * `undefined` when it is none, or is cut off in the middle of a record.
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
    } else if (open && colon > 0) count(open.counts, line.slice(0, colon), line.slice(colon + 1))
  }
  if (files.size === 0 || open) return undefined
  const all = [...files.values()]
  return {
    files: [...files.keys()],
    roots: [],
    figures: {
      lines: sumOf(all.map((counts) => figure(counts.lines, counts.sums, 'L'))),
      branches: sumOf(all.map((counts) => figure(counts.branches, counts.sums, 'BR'))),
      functions: sumOf(all.map((counts) => figure(counts.functions, counts.sums, 'FN'))),
    },
  }
}

interface Counts {
  readonly lines: Map<string, number>
  readonly branches: Map<string, number>
  readonly functions: Map<string, number>
  readonly sums: Record<string, number>
}

function count({ lines, branches, functions, sums }: Counts, kind: string, rest: string): void {
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

function figure(counts: ReadonlyMap<string, number>, sums: Readonly<Record<string, number>>, kind: 'L' | 'BR' | 'FN') {
  if (counts.size > 0) return figureOf([...counts.values()])
  const total = sums[`${kind}F`] ?? 0
  return { total, covered: Math.min(total, sums[`${kind}H`] ?? 0) }
}
