import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder, userGit } from '../../test/support/temporary-repository.ts'
import { folderWorkspace } from './folder-workspace.ts'
import { dropSnapshots, gitWorkspace } from './git-workspace.ts'
import type { Workspace } from './workspace.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

const RUN = 'blamed'

const kinds: Record<string, (path: string) => Promise<Workspace>> = {
  git: async (path) => {
    await userGit(path, 'init', '--quiet')
    return gitWorkspace({ path })
  },
  'git, in a subfolder': async (path) => {
    await userGit(dirname(path), 'init', '--quiet')
    return gitWorkspace({ path })
  },
  folder: async (path) => folderWorkspace({ path }),
}

interface Story {
  readonly workspace: Workspace
  readonly path: string
  /** Writes the files and keeps them as the next snapshot; `undefined` deletes one. */
  readonly step: (files: Readonly<Record<string, readonly string[] | undefined>>) => Promise<void>
  readonly snapshots: string[]
  /** `text@index` for every line; `@now` where it is in no snapshot. */
  readonly told: (file: string, isPresent?: boolean) => Promise<readonly string[] | undefined>
}

async function within(make: (path: string) => Promise<Workspace>, use: (story: Story) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'sub folder')
  await mkdir(path)
  const workspace = await make(path)
  const snapshots: string[] = []
  await workspace.open(RUN)
  await use({
    workspace,
    path,
    snapshots,
    step: async (files) => {
      for (const [name, lines] of Object.entries(files)) await put(join(path, name), lines)
      const { snapshot } = await workspace.observe(RUN, String(snapshots.length))
      snapshots.push(snapshot)
    },
    told: async (file, isPresent = false) => {
      const blamed = await workspace.blame?.({ path: file, snapshots, isPresent })
      return blamed?.lines.map(({ text, index = 'now', path: old }) => `${text}@${index}${old === undefined ? '' : ` ${old}`}`)
    },
  })
}

async function put(path: string, lines: readonly string[] | undefined): Promise<void> {
  if (lines === undefined) return rm(path)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, lines.map((line) => `${line}\n`).join(''))
}

const POEM = ['The fox', 'is red', 'and quick', 'and sly', 'and gone']

describe.for(Object.entries(kinds))('%s', ([, make]) => {
  test('BLAME-1 every line is put down to the snapshot in which it first stood as it is', async () => {
    await within(make, async ({ step, told }) => {
      await step({ 'a.txt': POEM })
      await step({ 'a.txt': ['The fox', 'is grey', 'and quick', 'and sly', 'and gone'] })
      await step({ 'other.txt': ['x'] })
      await step({ 'a.txt': ['Look:', 'The fox', 'is grey', 'and sly', 'and gone', 'Well'] })
      expect(await told('a.txt')).toEqual(['Look:@3', 'The fox@0', 'is grey@1', 'and sly@0', 'and gone@0', 'Well@3'])
    })
  })

  test('BLAME-2 what became again what it was continues from there', async () => {
    await within(make, async ({ step, told }) => {
      await step({ 'a.txt': POEM })
      await step({ 'a.txt': ['All', 'is', 'lost'] })
      await step({ 'a.txt': POEM })
      await step({ 'a.txt': [...POEM, 'end'] })
      expect(await told('a.txt')).toEqual([...POEM.map((line) => `${line}@0`), 'end@3'])
    })
  })

  test('BLAME-2 what a person made again what it was is not new', async () => {
    await within(make, async ({ step, told, path }) => {
      await step({ 'a.txt': POEM })
      await step({ 'a.txt': ['All', 'is', 'lost'] })
      await put(join(path, 'a.txt'), POEM)
      expect(await told('a.txt', true)).toEqual(POEM.map((line) => `${line}@0`))
    })
  })

  test('BLAME-3 a file that was moved keeps its lines, with the name they had', async () => {
    await within(make, async ({ step, told, path }) => {
      await step({ 'old name.txt': POEM, 'else.txt': ['1'] })
      await step({ 'old name.txt': [...POEM, 'second'] })
      await mkdir(join(path, 'ä'))
      await rename(join(path, 'old name.txt'), join(path, 'ä/new.txt'))
      await step({})
      await step({ 'ä/new.txt': [...POEM, 'second', 'third'] })
      expect(await told('ä/new.txt')).toEqual([
        ...POEM.map((line) => `${line}@0 old name.txt`),
        'second@1 old name.txt',
        'third@3',
      ])
    })
  })

  test('BLAME-4 the file as it is now is shown with what is in no snapshot', async () => {
    await within(make, async ({ step, told, path }) => {
      await step({ 'a"b.txt': POEM })
      await step({ 'a"b.txt': [...POEM, 'second'] })
      await put(join(path, 'a"b.txt'), ['mine', ...POEM, 'second'])
      expect(await told('a"b.txt', true)).toEqual(['mine@now', ...POEM.map((line) => `${line}@0`), 'second@1'])
      expect((await told('a"b.txt'))?.[0]).toBe('The fox@0')
      await put(join(path, 'a"b.txt'), undefined)
      expect(await told('a"b.txt', true)).toBeUndefined()
    })
  })

  test('BLAME-5 a file that is new, gone or never was there, and a path that leads out', async () => {
    await within(make, async ({ step, told }) => {
      await step({ 'a.txt': POEM })
      await step({ 'a.txt': undefined, 'b.txt': ['only'], 'empty.txt': [] })
      expect(await told('b.txt')).toEqual(['only@1'])
      expect(await told('empty.txt')).toEqual([])
      expect(await told('a.txt')).toBeUndefined()
      expect(await told('never.txt')).toBeUndefined()
      await expect(told('../a.txt')).rejects.toMatchObject({ code: 'workspace.path-invalid' })
    })
  })

  test('BLAME-6 what a snapshot brought that is gone is put down to the next one, and that is said', async () => {
    await within(make, async ({ step, workspace, path, snapshots }) => {
      await step({ 'a.txt': ['1'] })
      await step({ 'a.txt': ['1', '2'] })
      await step({ 'a.txt': ['1', '2', '3'] })
      if (workspace.spec.name === 'git') await dropSnapshots(path, RUN, ['1'])
      else await rm(join(path, '.pawl', 'snapshots', 'runs', RUN, '1.json'))
      const blamed = await workspace.blame?.({ path: 'a.txt', snapshots })
      expect(blamed?.lines.map(({ index }) => index)).toEqual([0, 2, 2])
      expect(blamed?.missing).toEqual([snapshots[1]])
    })
  })
})

test('BLAME-7 nothing is left in the repository, and the settings of its owner change nothing', async () => {
  await within(kinds['git'] as (path: string) => Promise<Workspace>, async ({ step, told, path }) => {
    await userGit(path, 'config', 'blame.ignoreRevsFile', 'nowhere')
    await step({ 'a.txt': POEM })
    await step({ 'a.txt': [...POEM, 'x'] })
    const before = await userGit(path, 'count-objects', '-v')
    expect(await told('a.txt')).toHaveLength(6)
    expect(await userGit(path, 'count-objects', '-v')).toEqual(before)
    expect(await userGit(path, 'for-each-ref', 'refs/heads')).toEqual(await userGit(path, 'for-each-ref', 'refs/heads/nothing'))
  })
})
