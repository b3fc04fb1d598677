import { createHash } from 'node:crypto'
import type { FileChange } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import type { CitationCheck, CitedPlace, Codebase, Estimate } from '../codebase/codebase.ts'

/** Files by path. */
export type Files = Map<string, string>

export interface MemoryWorkspace extends Workspace {
  /** The current files. An agent in a test writes here. */
  readonly files: Files
  /** The commits, in order. */
  readonly commits: readonly { readonly key: string; readonly tree: string }[]
}

/** A workspace in memory for simulations. Like a disk, it outlives any number of engines. */
export function memoryWorkspace(initial: Readonly<Record<string, string>> = {}): MemoryWorkspace {
  const files: Files = new Map(Object.entries(initial))
  const snapshots = new Map<string, Files>()
  const commits: { key: string; tree: string }[] = []
  let savedCount = 0

  const kept = (snapshot: string): Files => {
    const found = snapshots.get(snapshot)
    if (!found) throw new PawlError('workspace.no-snapshot', `There is no snapshot ${snapshot}.`)
    return found
  }
  return {
    files,
    commits,
    spec: { name: 'memory', v: 1, settings: {} },
    open: async () => ({ cwd: '/' }),
    observe: async (run, label, since) => {
      const snapshot = `${run}/${label}`
      const before = since === undefined ? new Map() : kept(since)
      snapshots.set(snapshot, new Map(files))
      const changes = changesBetween(before, files)
      return {
        tree: treeOf(files),
        snapshot,
        files: changes,
        insertions: changes.length,
        deletions: 0,
        diff: { text: patchBetween(before, files), bytesCut: 0 },
      }
    },
    restore: async (run, snapshot) => {
      const target = kept(snapshot)
      if (treeOf(target) === treeOf(files)) return { tree: treeOf(target) }
      const savedAs = `${run}/saved-${++savedCount}`
      snapshots.set(savedAs, new Map(files))
      files.clear()
      for (const [path, text] of target) files.set(path, text)
      return { tree: treeOf(target), savedAs }
    },
    diff: async (from, to) => ({ text: patchBetween(kept(from), kept(to)), bytesCut: 0 }),
    commit: async (_run, { key }) => {
      const tree = treeOf(files)
      const last = commits.at(-1) ?? { key: '', tree: treeOf(new Map(Object.entries(initial))) }
      if (last.key !== key && last.tree === tree) return {}
      if (last.key !== key) commits.push({ key, tree })
      return { commit: `commit-${commits.length}` }
    },
    howToRestore: (snapshot) => `restore ${snapshot}`,
  }
}

function changesBetween(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return paths.flatMap((path): FileChange[] => {
    const [old, now] = [before.get(path), after.get(path)]
    if (old === now) return []
    return [{ path, change: old === undefined ? 'added' : now === undefined ? 'deleted' : 'modified' }]
  })
}

/** Every changed file as one hunk with its whole content before and after. */
function patchBetween(before: Files, after: Files): string {
  return changesBetween(before, after)
    .map(({ path }) => {
      const lines = (files: Files, sign: string): readonly string[] =>
        files
          .get(path)
          ?.split('\n')
          .map((line) => `${sign}${line}`) ?? []
      const [gone, come] = [lines(before, '-'), lines(after, '+')]
      const hunk = `@@ -${gone.length > 0 ? 1 : 0},${gone.length} +${come.length > 0 ? 1 : 0},${come.length} @@`
      return [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, hunk, ...gone, ...come, ''].join('\n')
    })
    .join('')
}

function treeOf(files: Files): string {
  const lines = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1)).map((entry) => JSON.stringify(entry))
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 40)
}

export interface MemoryCodebase extends Codebase {
  /** The paths that were asked for, so that a test can check what is never read. */
  readonly asked: readonly string[]
}

/** A codebase in memory: a file is relevant if it contains a term, and a citation's words must be in the file. */
export function memoryCodebase(files: Files): MemoryCodebase {
  const asked: string[] = []
  return {
    asked,
    spec: { name: 'memory', v: 1, settings: {} },
    estimate: async ({ terms, cited, filesMax }): Promise<Estimate> => {
      const relevant = [...files].flatMap(([path, text]) => {
        const said = terms.filter((term) => `${path}\n${text}`.toLowerCase().includes(term.toLowerCase()))
        const reasons = [...said.map((term) => `says ${term}`), ...(cited.includes(path) ? ['is cited'] : [])]
        return reasons.length === 0 ? [] : [{ path, score: reasons.length, reasons }]
      })
      const sorted = relevant.toSorted((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1))
      return { files: sorted.slice(0, filesMax), filesTotal: files.size }
    },
    verify: async (citations) => citations.map((citation) => verifyCitation(files, citation, asked)),
  }
}

function verifyCitation(files: Files, { file, line, snippet }: CitedPlace, asked: string[]): CitationCheck {
  asked.push(file)
  const lines = files.get(file)?.split('\n')
  if (!lines) return { status: 'refuted', note: 'there is no such file' }
  const words = (snippet.split('\n')[0] ?? '').trim()
  if (lines[line - 1]?.includes(words)) return { status: 'exact', line }
  const elsewhere = lines.findIndex((text) => words !== '' && text.includes(words))
  if (elsewhere < 0) return { status: 'refuted', note: 'the words do not stand in the file' }
  return { status: 'drifted', line: elsewhere + 1, note: `it stands in line ${elsewhere + 1}, not ${line}` }
}
