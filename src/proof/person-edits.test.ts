import { describe, expect, it } from 'vitest'
import type { SnapshotFiles } from '../workspaces/workspace.ts'
import { withPersonEdits } from './person-edits.ts'

function tree(files: Readonly<Record<string, string>>): SnapshotFiles {
  return {
    files: new Map(Object.entries(files).map(([path, text]) => [path, { id: text, kind: 'file' as const }])),
    read: async (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
  }
}

async function textsIn({ files, read }: SnapshotFiles) {
  return Object.fromEntries(await Promise.all([...files.keys()].map(async (path) => [path, String(await read(path))] as const)))
}

describe('PROOF-1 what a person changed in between', () => {
  const start = tree({ 'test/a.js': 'old', 'test/b.js': 'old', 'src/a.js': 'old' })

  it('amends the start, and the newest edit of a file counts', async () => {
    const [one, two, three] = [
      tree({ 'test/a.js': 'old', 'test/b.js': 'old' }),
      tree({ 'test/a.js': 'first', 'test/b.js': 'old', 'test/new.js': 'new' }),
      tree({ 'test/a.js': 'second', 'test/new.js': 'new' }),
    ]
    const edits = [
      { before: one, after: two },
      { before: two, after: three },
    ]
    expect(await textsIn(withPersonEdits(start, edits, () => true))).toEqual({
      'test/a.js': 'second',
      'test/new.js': 'new',
      'src/a.js': 'old',
    })
  })

  it('leaves alone what the agent changed before the person did, and what is not asked for', async () => {
    const before = tree({ 'test/a.js': 'agent', 'test/b.js': 'old', 'src/a.js': 'agent' })
    const after = tree({ 'test/a.js': 'agent', 'test/b.js': 'person', 'src/a.js': 'person' })
    const amended = withPersonEdits(start, [{ before, after }], (path) => path.startsWith('test/'))
    expect(await textsIn(amended)).toEqual({ 'test/a.js': 'old', 'test/b.js': 'person', 'src/a.js': 'old' })
  })

  it('is the start itself if nothing changed', () => {
    expect(withPersonEdits(start, [{ before: start, after: start }], () => true)).toBe(start)
  })
})
