import { TESTS_KEPT_MAX } from '../check.ts'
import { linesOf } from './lines-of.ts'

/** The tests that node:test's spec reporter shows as a tree. */
export interface NodeSpecTree {
  /** The paths of the failed ones by their last name, in order. */
  readonly failed: ReadonlyMap<string, (readonly string[])[]>
  /** The id is empty of those that a report does not name any more. */
  readonly others: readonly { readonly id: string; readonly outcome: 'passed' | 'skipped' }[]
}

/** Reads the tree. `▶ suite` opens a level; a mark with that name at the same level closes it and is the suite itself. */
export function nodeSpecTree(text: string): NodeSpecTree {
  const failed = new Map<string, (readonly string[])[]>()
  const others: { id: string; outcome: 'passed' | 'skipped' }[] = []
  const open: string[] = []
  let isInList = false
  for (const line of linesOf(text)) {
    if (line.startsWith('✖ failing tests:')) isInList = true
    // The list ends with the output, or where the next run begins its tree.
    else if (/^(?:▶|✔) /.test(line)) isInList = false
    const found: RegExpExecArray | null = isInList ? null : /^(?<indent> *)(?<mark>[▶✔✖﹣⚠]) (?<rest>.+)$/.exec(line)
    if (found === null) continue
    const { indent = '', mark, rest = '' }: Partial<Record<string, string>> = found.groups ?? {}
    if (indent.length % 2 !== 0 || indent.length > INDENT_MAX) continue
    const depth = indent.length / 2
    open.length = Math.min(open.length, mark === '▶' ? depth : depth + 1)
    const name =
      mark === '▶'
        ? rest
        : rest
            .replace(/ # (?:SKIP|TODO)\b.*$/, '')
            .replace(REMARK, '$1')
            .replace(/ \([\d.]+ms\)$/, '')
    if (mark === '▶') open[depth] = name
    else if (open[depth] === name) open.length = depth
    else {
      const path = () => [...open.slice(0, depth), name]
      if (mark === '✖' && !isTodo(rest)) add(failed, name, path())
      else {
        const isSkipped = mark === '﹣' || mark === '⚠' || isTodo(rest) || / # (?:TODO|SKIP)\b/.test(rest)
        const outcome = isSkipped ? 'skipped' : 'passed'
        others.push(others.length < TESTS_KEPT_MAX ? { id: path().join(' > '), outcome } : UNNAMED[outcome])
      }
    }
  }
  return { failed, others }
}

/**
 * Whether a line tells of a test that is to be written yet: a remark stands behind its duration. Node 20 marks it and lists it among the
 * failed ones when it fails, but counts it as none.
 */
export function isTodo(line: string): boolean {
  return REMARK.test(line)
}

/** The remark may be any words; a name that looks like one has the duration after it. */
const REMARK = /( \([\d.]+ms\)) # (?!.*\([\d.]+ms\)$).*$/

function add(paths: Map<string, (readonly string[])[]>, name: string, path: readonly string[]): void {
  const same = paths.get(name)
  if (same === undefined) paths.set(name, [path])
  else same.push(path)
}

const INDENT_MAX = 100

const UNNAMED = { passed: { id: '', outcome: 'passed' }, skipped: { id: '', outcome: 'skipped' } } as const
