import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { FileChange } from '../core/event-data.ts'
import type { Workspace } from '../workspaces/workspace.ts'

/** A workspace under test, on a fresh folder that contains only what makes `ignoredFile` ignored. */
export interface WorkspaceSubject {
  readonly workspace: Workspace
  /** The same workspace as another process would build it. */
  readonly again: () => Workspace
  /** Path, relative to the folder, of a file this workspace ignores. */
  readonly ignoredFile: string
  /** Environment for the command of `howToRestore`: at least `PATH`. */
  readonly env: Readonly<Record<string, string>>
}

/** One thing that every workspace does: `run` rejects if it doesn't. */
export interface WorkspaceCase {
  readonly name: string
  run(subject: WorkspaceSubject): Promise<void>
}

/** The workspace's contract, as cases for any test framework. */
export const workspaceConformance: readonly WorkspaceCase[] = [
  {
    name: 'WORK-1 the same content gives the same tree, and any other content, name, mode or link another',
    async run(subject) {
      const { cwd, tree } = await opened(subject)
      await write(cwd, { 'a.txt': 'one\n', 'dir/b.txt': 'two\n' })
      await symlink('a.txt', join(cwd, 'link'))
      const trees = [await tree()]
      const changes = [
        () => write(cwd, { 'a.txt': 'eno\n' }),
        () => rename(join(cwd, 'dir/b.txt'), join(cwd, 'dir/c.txt')),
        () => chmod(join(cwd, 'a.txt'), 0o755),
        () => rm(join(cwd, 'link')).then(() => symlink('dir/c.txt', join(cwd, 'link'))),
      ]
      for (const change of changes) {
        await change()
        trees.push(await tree())
      }
      assert.equal(new Set(trees).size, trees.length)
      await rm(join(cwd, 'link'))
      await symlink('a.txt', join(cwd, 'link'))
      await chmod(join(cwd, 'a.txt'), 0o644)
      await rm(join(cwd, 'dir'), { recursive: true })
      await write(cwd, { 'a.txt': 'one\n', 'dir/b.txt': 'two\n' })
      assert.equal(await tree(), trees[0])
    },
  },
  {
    name: 'WORK-2 an observation names what was added, modified and deleted, a rename as both, and counts lines',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      await write(cwd, { 'keep.txt': 'k\n', 'old name.txt': '1\n2\n', 'change.txt': 'a\nb\nc\n', 'sub/gone.txt': 'x\n' })
      await chmod(join(cwd, 'keep.txt'), 0o644)
      const before = await workspace.observe(RUN, '0')
      await rename(join(cwd, 'old name.txt'), join(cwd, 'néw.txt'))
      await write(cwd, { 'change.txt': 'a\nB\nc\nd\n' })
      await chmod(join(cwd, 'keep.txt'), 0o755)
      await rm(join(cwd, 'sub'), { recursive: true })
      const after = await workspace.observe(RUN, '1', before.snapshot)
      assert.deepEqual(Object.fromEntries(after.files.map(({ path, change }) => [path, change])), {
        'change.txt': 'modified',
        'keep.txt': 'modified',
        'néw.txt': 'added',
        'old name.txt': 'deleted',
        'sub/gone.txt': 'deleted',
      })
      assert.deepEqual([after.insertions, after.deletions], [2 + 2, 1 + 2 + 1])
      assert.match(after.diff.text, /^-b\n\+B\n c\n\+d$/m)
      assert.equal(after.diff.bytesCut, 0)
      assert.equal((await workspace.diff(before.snapshot, after.snapshot)).text, after.diff.text)
    },
  },
  {
    name: 'WORK-3 ignored files and the folder .pawl are in no tree and stay where they are in a restore',
    async run(subject) {
      const { cwd, tree, workspace } = await opened(subject)
      const { snapshot } = await workspace.observe(RUN, '0')
      const without = await tree()
      await write(cwd, { [subject.ignoredFile]: 'secret\n', '.pawl/pawl.db': 'journal\n', 'deep/.pawl/x': 'y\n' })
      assert.equal(await tree(), without)
      await write(cwd, { 'new.txt': 'n\n' })
      await workspace.restore(RUN, snapshot)
      assert.equal(await readFile(join(cwd, subject.ignoredFile), 'utf8'), 'secret\n')
      assert.equal(await readFile(join(cwd, '.pawl/pawl.db'), 'utf8'), 'journal\n')
      assert.equal((await folderContents(cwd))['new.txt'], undefined)
    },
  },
  {
    name: 'WORK-4 the same label again moves the snapshot, and without a base the state before the run is compared with',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      await write(cwd, { 'a.txt': '1\n' })
      const first = await workspace.observe(RUN, '1')
      await write(cwd, { 'b.txt': '2\n' })
      const second = await workspace.observe(RUN, '1')
      assert.equal(second.snapshot, first.snapshot)
      assert.deepEqual(second.files.map(({ path }) => path).toSorted(), ['a.txt', 'b.txt'])
      await workspace.restore(RUN, first.snapshot)
      assert.equal((await folderContents(cwd))['b.txt'], 'file 2\n')
    },
  },
  {
    name: 'WORK-5 a restore makes the folder equal to the snapshot, byte for byte',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      await write(cwd, AWKWARD)
      await chmod(join(cwd, 'program'), 0o755)
      await symlink('no such file', join(cwd, 'broken link'))
      await symlink('folder', join(cwd, 'link to folder'))
      const before = await folderContents(cwd)
      const kept = await workspace.observe(RUN, '0')
      await rm(join(cwd, 'folder'), { recursive: true })
      await rm(join(cwd, 'link to folder'))
      await chmod(join(cwd, 'program'), 0o644)
      await write(cwd, {
        'crlf.txt': 'a\nb\n',
        folder: 'now a file\n',
        'link to folder/x': 'now a folder\n',
        'new/deep/file': 'n\n',
      })
      const restored = await workspace.restore(RUN, kept.snapshot)
      assert.equal(restored.tree, kept.tree)
      assert.deepEqual(await folderContents(cwd), before)
      assert.equal((await workspace.observe(RUN, '1')).tree, kept.tree)
    },
  },
  {
    name: 'WORK-6 a restore first saves what is there, under a name that counts up, and saves nothing when nothing differs',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      await write(cwd, { 'a.txt': 'good\n' })
      const { snapshot } = await workspace.observe(RUN, '0')
      assert.equal((await workspace.restore(RUN, snapshot)).savedAs, undefined)
      await write(cwd, { 'a.txt': 'bad\n', 'b.txt': 'new\n' })
      const saved = (await workspace.restore(RUN, snapshot)).savedAs
      assert.match(saved ?? '', /saved-1$/)
      assert.match((await workspace.restore(RUN, saved!)).savedAs ?? '', /saved-2$/)
      const contents = await folderContents(cwd)
      assert.deepEqual([contents['a.txt'], contents['b.txt']], ['file bad\n', 'file new\n'])
    },
  },
  {
    name: 'WORK-90 a restore says which files it put back, and a preview which it would, where it can tell',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      await write(cwd, { 'a.txt': 'good\n', 'gone.txt': 'g\n', 'same.txt': 's\n' })
      const { snapshot } = await workspace.observe(RUN, '0')
      await write(cwd, { 'a.txt': 'bad\n', 'new.txt': 'n\n', [subject.ignoredFile]: 'secret\n' })
      await rm(join(cwd, 'gone.txt'))
      const wanted = { 'a.txt': 'modified', 'gone.txt': 'added', 'new.txt': 'deleted' }
      const before = await folderContents(cwd)
      const preview = await workspace.preview?.(RUN, snapshot)
      if (preview) assert.deepEqual(byPath(preview.files), wanted)
      assert.deepEqual(await folderContents(cwd), before)
      const { files } = await workspace.restore(RUN, snapshot)
      if (files) assert.deepEqual(byPath(files), wanted)
      assert.equal((await workspace.restore(RUN, snapshot)).files, undefined)
      assert.deepEqual((await workspace.preview?.(RUN, snapshot))?.files ?? [], [])
    },
  },
  {
    name: 'WORK-7 a snapshot that does not exist is refused with the names of those that do',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      await write(cwd, { 'a.txt': 'a\n' })
      const { snapshot } = await workspace.observe(RUN, '7')
      const missing = snapshot.replace(/7$/, '8')
      const refused = { name: 'PawlError', code: 'workspace.snapshot-missing', message: /\b7\b/ }
      await assert.rejects(workspace.restore(RUN, missing), refused)
      await assert.rejects(workspace.observe(RUN, '9', missing), refused)
      await assert.rejects(workspace.diff(snapshot, missing), refused)
      await assert.rejects(workspace.observe(RUN, '../x'), { name: 'PawlError', code: 'workspace.name-invalid' })
    },
  },
  {
    name: 'WORK-8 another process continues with nothing but the names',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      await write(cwd, { 'a.txt': '1\n' })
      const first = await workspace.observe(RUN, '0')
      const other = subject.again()
      assert.deepEqual(await other.open(RUN), { cwd })
      await write(cwd, { 'a.txt': '2\n' })
      assert.deepEqual((await other.observe(RUN, '1', first.snapshot)).files, [{ path: 'a.txt', change: 'modified' }])
      await other.restore(RUN, first.snapshot)
      assert.equal((await workspace.observe(RUN, '2')).tree, first.tree)
      assert.deepEqual(other.spec, workspace.spec)
    },
  },
  {
    name: 'SAFE-8 a file or folder named like a pattern, such as `:!x`, blocks no restore',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      const before = await folderContents(cwd)
      const { snapshot } = await workspace.observe(RUN, '0')
      await write(cwd, { ':!x': '1\n', ':(exclude)x': '2\n', ':!folder/:^y': '3\n', [subject.ignoredFile]: 'kept\n' })
      const added = await workspace.observe(RUN, '1')
      assert.equal(added.files.length, 3)
      await workspace.restore(RUN, snapshot)
      assert.deepEqual(await folderContents(cwd), { ...before, [subject.ignoredFile]: 'file kept\n' })
      await workspace.restore(RUN, added.snapshot)
      assert.equal((await folderContents(cwd))[':!folder/:^y'], 'file 3\n')
    },
  },
  {
    name: 'WORK-9 the command of howToRestore, pasted into a shell, brings the files back',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      await write(cwd, AWKWARD)
      await chmod(join(cwd, 'program'), 0o755)
      await symlink('program', join(cwd, 'link'))
      const before = await folderContents(cwd)
      const { snapshot } = await workspace.observe(RUN, '0')
      for (const name of ['program', 'link', 'folder']) await rm(join(cwd, name), { recursive: true })
      await write(cwd, { 'crlf.txt': 'lost\n' })
      await promisify(execFile)('/bin/sh', ['-c', workspace.howToRestore(snapshot)], { cwd: '/', env: subject.env })
      assert.deepEqual(await folderContents(cwd), before)
    },
  },
  {
    name: 'WORK-10 a long diff is cut at line ends and says by how much; binary files are only named',
    async run(subject) {
      const { cwd, workspace } = await opened(subject)
      const { snapshot } = await workspace.observe(RUN, '0')
      const long = Array.from({ length: 20_000 }, (_, index) => `line ${index} of a generated file\n`).join('')
      await write(cwd, { 'a-lock.txt': long, 'image.bin': '\0\u0001\u0002', 'source.txt': 'the change that matters\n' })
      const { diff, files, insertions } = await workspace.observe(RUN, '1', snapshot)
      assert.equal(files.length, 3)
      assert.equal(insertions, 20_001)
      assert.ok(diff.text.length < 256 * 1024 && diff.text.endsWith('\n'))
      assert.match(diff.text, /^\+the change that matters$/m)
      assert.match(diff.text, /^Binary files .* and b\/image\.bin differ$/m)
      const shown = [...diff.text.matchAll(/^\+line .*\n/gm)].reduce((bytes, [line]) => bytes + line.length, 0)
      assert.equal(diff.bytesCut, long.length + 20_000 - shown)
    },
  },
]

const RUN = 'conformance'

const AWKWARD: Readonly<Record<string, string>> = {
  'crlf.txt': 'a\r\nb\r\n',
  'mixed.txt': 'a\r\nb\nno end',
  empty: '',
  program: '#!/bin/sh\n',
  'with space and \'quotes".txt': 'q\n',
  'new\nline.txt': 'n\n',
  'ünï/日本語.txt': 'u\n',
  '-dash': 'd\n',
  ':(top)magic': 'm\n',
  ':!x': 'not excluded\n',
  ':(exclude)x': 'not excluded\n',
  'folder/inner/file.txt': 'f\n',
}

function byPath(files: readonly FileChange[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ path, change }) => [path, change]))
}

async function opened({ workspace }: WorkspaceSubject) {
  const { cwd } = await workspace.open(RUN)
  let count = 0
  const tree = async () => (await workspace.observe(RUN, `tree-${(count += 1)}`)).tree
  return { cwd, tree, workspace }
}

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

/**
 * Every file under a folder by its path, as one comparable line: kind, executable bit and content. Includes empty folders, but
 * not `.git` and `.pawl`.
 */
export async function folderContents(root: string, below = ''): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const name of (await readdir(join(root, below))).toSorted()) {
    if (name === '.git' || name === '.pawl') continue
    const path = below === '' ? name : `${below}/${name}`
    const found = await lstat(join(root, path))
    if (found.isDirectory()) {
      const inside = await folderContents(root, path)
      Object.assign(contents, Object.keys(inside).length === 0 ? { [`${path}/`]: 'empty folder' } : inside)
    } else if (found.isSymbolicLink()) {
      contents[path] = `link ${await readlink(join(root, path))}`
    } else {
      contents[path] = `${found.mode & 0o100 ? 'program' : 'file'} ${(await readFile(join(root, path))).toString('latin1')}`
    }
  }
  return contents
}
