/** The tests that node:test's spec reporter shows as a tree. */
export interface NodeSpecTree {
  /** The paths of the failed ones by their last name, in order. */
  readonly failed: ReadonlyMap<string, (readonly string[])[]>
  readonly others: readonly { readonly path: readonly string[]; readonly outcome: 'passed' | 'skipped' }[]
}

/** Reads the tree. `▶ suite` opens a level; a mark with that name at the same level closes it and is the suite itself. */
export function nodeSpecTree(text: string): NodeSpecTree {
  const failed = new Map<string, (readonly string[])[]>()
  const others: { path: readonly string[]; outcome: 'passed' | 'skipped' }[] = []
  const open: string[] = []
  let isInList = false
  for (const line of text.split('\n')) {
    if (line.startsWith('✖ failing tests:')) isInList = true
    // The list ends with the output, or where the next run begins its tree.
    else if (/^(?:▶|✔) /.test(line)) isInList = false
    const found: RegExpExecArray | null = isInList ? null : /^(?<indent> *)(?<mark>[▶✔✖﹣]) (?<rest>.+)$/.exec(line)
    if (found === null) continue
    const { indent = '', mark, rest = '' }: Partial<Record<string, string>> = found.groups ?? {}
    if (indent.length % 2 !== 0 || indent.length > INDENT_MAX) continue
    const depth = indent.length / 2
    open.length = Math.min(open.length, mark === '▶' ? depth : depth + 1)
    const name = mark === '▶' ? rest : rest.replace(/ # (?:SKIP|TODO)\b.*$/, '').replace(/ \([\d.]+ms\)$/, '')
    if (mark === '▶') open[depth] = name
    else if (open[depth] === name) open.length = depth
    else {
      const path = [...open.slice(0, depth), name]
      if (mark === '✖') add(failed, name, path)
      else others.push({ path, outcome: mark === '﹣' || / # (?:TODO|SKIP)\b/.test(rest) ? 'skipped' : 'passed' })
    }
  }
  return { failed, others }
}

function add(paths: Map<string, (readonly string[])[]>, name: string, path: readonly string[]): void {
  const same = paths.get(name)
  if (same === undefined) paths.set(name, [path])
  else same.push(path)
}

const INDENT_MAX = 100
