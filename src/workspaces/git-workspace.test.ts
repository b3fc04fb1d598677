import { randomBytes } from 'node:crypto'
import { appendFile, chmod, mkdir, readdir, readFile, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder, temporaryRepository, userGit, userState, writeFiles } from '../../test/support/temporary-repository.ts'
import { folderContents } from '../testing/workspace-conformance.ts'
import { dropSnapshots, listSnapshots } from './git-snapshot.ts'
import { gitWorkspace } from './git-workspace.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
  for (const name of PLANTED) process.env[name] = '/nonexistent'
})

// Other files' tests run in this process, and git would obey these.
afterAll(() => {
  for (const name of PLANTED) delete process.env[name]
})

/** What a git hook that starts Pawl would pass on: none of it may lead us elsewhere. */
const PLANTED = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_COMMON_DIR', 'GIT_PREFIX']

describe.concurrent('git workspace', () => {
  test('WORK-20 index, HEAD, branches, stash, reflogs, status and ignored files of the user stay as they are', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '*.ignored\n' })
    const top = repository.path
    await writeFiles(top, { 'a.txt': 'stashed\n' })
    await userGit(top, 'stash')
    await writeFiles(top, { 'a.txt': 'staged\n', 'staged new.txt': 's\n' })
    await userGit(top, 'add', '--all')
    await writeFiles(top, { 'a.txt': 'unstaged\n', 'untracked.txt': 'u\n', 'x.ignored': 'i\n' })
    await rm(join(top, 'b.txt'))
    const before = await userState(top)
    const files = await folderContents(top)
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const kept = await workspace.observe('run', '0')
    await writeFiles(top, { 'a.txt': 'agent\n', 'agent.txt': 'a\n' })
    await workspace.observe('run', '1', kept.snapshot)
    await workspace.restore('run', kept.snapshot)
    expect(await folderContents(top)).toEqual(files)
    expect(await userState(top)).toEqual(before)
  })

  test('GUARD-239 says which of the named files it ignores and so never sees', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', '.gitignore': '.env\nsecrets/\n' })
    await writeFiles(repository.path, { '.env': 'x\n', 'secrets/key': 'k\n', 'other.txt': 'o\n' })
    const workspace = gitWorkspace({ path: repository.path })
    await workspace.open('run')
    expect(await workspace.ignored?.('run', ['.env', 'secrets/**', 'a.txt', 'other.txt'])).toEqual(['.env', 'secrets/key'])
    expect(await workspace.ignored?.('run', ['secrets'])).toEqual(['secrets/key'])
    expect(await workspace.ignored?.('run', ['*.txt'])).toEqual([])
  })

  test('WORK-21 a repository without any commit, or with SHA-256, is as good as any', async () => {
    await using folder = await temporaryFolder()
    for (const format of ['sha1', 'sha256']) {
      const top = join(folder.path, format)
      await userGit(folder.path, 'init', '--quiet', `--object-format=${format}`, top)
      await writeFiles(top, { 'a.txt': 'a\n' })
      const workspace = gitWorkspace({ path: top })
      await workspace.open('run')
      const { snapshot, tree } = await workspace.observe('run', '0')
      await writeFiles(top, { 'a.txt': 'b\n' })
      await workspace.restore('run', snapshot)
      expect(await readFile(join(top, 'a.txt'), 'utf8')).toBe('a\n')
      expect(tree).toHaveLength(format === 'sha1' ? 40 : 64)
      expect(await userGit(top, 'for-each-ref', '--format=%(refname)')).not.toMatch(/refs\/(?!pawl\/)/)
    }
  })

  test.for(['pack', 'päck 包'])(
    'WORK-22 of the subfolder %s only that folder is kept and restored, under the rules of the folders above it',
    async (pack) => {
      await using repository = await temporaryRepository({ 'out.txt': 'o\n', [`${pack}/in.txt`]: 'i\n', '.gitignore': '*.log\n' })
      const path = join(repository.path, pack)
      const workspace = gitWorkspace({ path })
      await workspace.open('run')
      const { snapshot } = await workspace.observe('run', '0')
      await writeFiles(repository.path, {
        'out.txt': 'changed\n',
        [`${pack}/in.txt`]: 'changed\n',
        [`${pack}/x.log`]: 'l\n',
        [`${pack}/more.txt`]: 'm\n',
        'new.txt': 'n\n',
      })
      expect((await workspace.observe('run', '1', snapshot)).files).toEqual([
        { path: 'in.txt', change: 'modified' },
        { path: 'more.txt', change: 'added' },
      ])
      await workspace.restore('run', snapshot)
      expect(await folderContents(repository.path)).toMatchObject({
        'out.txt': 'file changed\n',
        'new.txt': 'file n\n',
        [`${pack}/in.txt`]: 'file i\n',
        [`${pack}/x.log`]: 'file l\n',
      })
    },
  )

  test('WORK-22 a subfolder that was emptied or deleted is brought back', async () => {
    await using repository = await temporaryRepository({ 'out.txt': 'o\n', 'pack/in.txt': 'i\n' })
    const path = join(repository.path, 'pack')
    const workspace = gitWorkspace({ path })
    await workspace.open('run')
    await rm(join(path, 'in.txt'))
    const empty = await workspace.observe('run', '0')
    await rm(path, { recursive: true })
    expect((await workspace.observe('run', '1')).tree).toBe(empty.tree)
    await workspace.restore('run', 'refs/pawl/run/start')
    expect(await folderContents(path)).toEqual({ 'in.txt': 'file i\n' })
    await workspace.restore('run', empty.snapshot)
    expect(await readdir(path)).toEqual([])
  })

  test('WORK-24 settings, hooks, leftover locks and GIT_ variables of the user do not get in', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    await using other = await temporaryFolder()
    const top = repository.path
    const hook = `#!/bin/sh\necho "$0" >> ${other.path}/hooked\nexit 1\n`
    for (const name of ['reference-transaction', 'post-checkout', 'post-index-change', 'pre-commit', 'fsmonitor']) {
      await writeFile(join(top, '.git/hooks', name), hook, { mode: 0o755 })
    }
    await writeFiles(other.path, { excludes: 'global.txt\n' })
    const settings = `[commit] gpgSign = true
      [gpg] program = /bin/false
      [core] fsmonitor = .git/hooks/fsmonitor\nlogAllRefUpdates = always\nsplitIndex = true\nuntrackedCache = true
      excludesFile = ${join(other.path, 'excludes')}
      [diff] noprefix = true\nexternal = /bin/false
      [color] ui = always
      [status] showUntrackedFiles = no\n`
    await appendFile(join(top, '.git/config'), settings)
    await writeFile(join(top, '.git/index.lock'), '')
    await writeFile(join(top, '.git/info/exclude'), 'excluded.txt\n')
    await writeFiles(top, { 'global.txt': 'g\n', 'excluded.txt': 'e\n', 'a.txt': 'b\n' })
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    await writeFiles(top, { 'c.txt': 'c\n' })
    const seen = await workspace.observe('run', '0')
    await workspace.restore('run', 'refs/pawl/run/start')
    expect(seen.files).toEqual([{ path: 'c.txt', change: 'added' }])
    expect(seen.diff.text).toContain('+++ b/c.txt\n@@ -0,0 +1 @@\n+c\n')
    expect(await folderContents(top)).toEqual({ 'a.txt': 'file b\n', 'excluded.txt': 'file e\n', 'global.txt': 'file g\n' })
    expect(await readdir(other.path)).toEqual(['excludes'])
    expect(await readdir(join(top, '.git/logs/refs'))).toEqual(['heads'])
  })

  test('WORK-28 in a linked worktree it works on that, and a run id that a sister folder uses is refused', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', 'pack/b.txt': 'b\n' })
    await using other = await temporaryFolder()
    const linked = join(other.path, 'linked')
    await userGit(repository.path, 'worktree', 'add', '--quiet', linked, '-b', 'side')
    const workspace = gitWorkspace({ path: linked })
    await workspace.open('run')
    await writeFiles(linked, { 'a.txt': 'changed\n' })
    await workspace.observe('run', '1')
    await workspace.restore('run', 'refs/pawl/run/start')
    expect(await folderContents(linked)).toEqual({ 'a.txt': 'file a\n', 'pack/b.txt': 'file b\n' })
    for (const path of [repository.path, join(repository.path, 'pack')]) {
      const refused = { code: 'workspace.run-elsewhere' }
      await expect(gitWorkspace({ path }).open('run')).rejects.toMatchObject(refused)
      await expect(gitWorkspace({ path }).restore('run', 'refs/pawl/run/1')).rejects.toMatchObject(refused)
    }
  })

  test('KEEP-3 KEEP-4 git log shows no snapshot, git gc keeps them, and a large or filtered file is kept once for all runs', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', '.gitattributes': '*.bin filter=lfs\n' })
    const top = repository.path
    const log = await userGit(top, 'log', '--all', '--oneline')
    await writeFile(join(top, 'large.bin'), randomBytes(5_500_000))
    const snapshots: string[] = []
    for (const run of ['first', 'second']) {
      const workspace = gitWorkspace({ path: top })
      await workspace.open(run)
      for (const label of ['1', '2']) {
        await writeFiles(top, { 'a.txt': `${run} ${label}\n` })
        snapshots.push((await workspace.observe(run, label)).snapshot)
      }
    }
    expect(await userGit(top, 'log', '--all', '--oneline')).toBe(log)
    await userGit(top, 'gc', '--quiet', '--prune=now')
    const [, packed = 0] = /size-pack: (\d+)/.exec(await userGit(top, 'count-objects', '-v')) ?? []
    expect(Number(packed)).toBeLessThan(6_500)
    await gitWorkspace({ path: top }).restore('first', snapshots[0] ?? '')
    expect(await folderContents(top)).toMatchObject({ 'a.txt': 'file first 1\n' })
    expect(await userGit(top, 'fsck', '--strict')).toBe('')
  })

  test('WORK-29 snapshots can be listed and dropped, and the next tree is whole even after git cleaned up', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    await writeFiles(top, { 'dir/new.txt': 'only in snapshots\n' })
    const { tree } = await workspace.observe('run', '1')
    await workspace.observe('run', '2')
    expect((await listSnapshots(top, 'run')).map(({ label }) => label).toSorted()).toEqual(['1', '2', 'start'])
    expect(await dropSnapshots(top, 'run', ['1'])).toEqual(['refs/pawl/run/1'])
    expect(await dropSnapshots(top, 'run')).toHaveLength(2)
    expect(await dropSnapshots(top, 'run')).toEqual([])
    await userGit(top, 'gc', '--quiet', '--prune=now')
    expect((await workspace.observe('run', '3')).tree).toBe(tree)
    await userGit(top, 'update-ref', '-d', 'refs/pawl/run/3')
    await userGit(top, 'gc', '--quiet', '--prune=now')
    expect((await workspace.observe('run', '4')).tree).toBe(tree)
    expect(await userGit(top, 'fsck', '--strict')).toBe('')
  })

  test('WORK-30 a change right after an observation is seen, even of the same size', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const workspace = gitWorkspace({ path: repository.path })
    await workspace.open('run')
    const trees = new Set<string>()
    for (let count = 0; count < 5; count += 1) {
      await writeFiles(repository.path, { 'a.txt': `${count}\n` })
      trees.add((await workspace.observe('run', String(count))).tree)
    }
    expect(trees.size).toBe(5)
  })

  test('WORK-31 a folder that is missing, in no repository or ignored is refused with the way out', async () => {
    await using folder = await temporaryFolder()
    const missing = gitWorkspace({ path: join(folder.path, 'none') })
    await expect(missing.open('run')).rejects.toMatchObject({ code: 'workspace.folder-missing' })
    const plain = gitWorkspace({ path: folder.path })
    await expect(plain.open('run')).rejects.toMatchObject({ code: 'workspace.not-a-repository', message: /git init/ })
    await using repository = await temporaryRepository({ '.gitignore': 'build/\n' })
    await writeFiles(repository.path, { 'build/a.txt': 'a\n' })
    const ignored = gitWorkspace({ path: join(repository.path, 'build') })
    await expect(ignored.open('run')).rejects.toMatchObject({ code: 'workspace.folder-ignored', message: /git init/ })
  })

  test('WORK-84 a repository that an agent deletes, or puts another in the place of, is reported in a sentence with the way out', async () => {
    await using parent = await temporaryRepository({ 'other.txt': 'o\n' })
    const top = join(parent.path, 'inner')
    await mkdir(top)
    await userGit(top, 'init', '--quiet')
    await writeFiles(top, { 'a.txt': 'a\n' })
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const { snapshot } = await workspace.observe('run', '0')
    const gone = {
      code: 'workspace.repository-gone',
      message: `The git repository of ${top} that keeps the snapshots of this run is gone, damaged or not the same any more: bring its .git back from a copy and resume the run, or abort it.`,
    }
    const copy = join(parent.path, 'copy')
    await rename(join(top, '.git'), copy)
    await expect(workspace.observe('run', '1', snapshot)).rejects.toMatchObject(gone)
    await expect(workspace.restore('run', snapshot)).rejects.toMatchObject(gone)
    await expect(workspace.ignored?.('run', ['a.txt'])).rejects.toMatchObject(gone)
    // Another process finds the repository above, or a new one, and takes neither for the run's own.
    const resumed = () => gitWorkspace({ path: top }).open('run', snapshot)
    await expect(resumed()).rejects.toMatchObject(gone)
    await userGit(top, 'init', '--quiet')
    await expect(resumed()).rejects.toMatchObject(gone)
    expect(await listSnapshots(parent.path, 'run')).toEqual([])
    expect(await listSnapshots(top, 'run')).toEqual([])
    await rm(join(top, '.git'), { recursive: true })
    await rename(copy, join(top, '.git'))
    expect(await resumed()).toEqual({ cwd: top })
    expect(await workspace.observe('run', '1', snapshot)).toMatchObject({ files: [] })
  })

  test('WORK-97 whether the files are still those of a snapshot is reported, also of one that was only touched or is not the last', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const first = await workspace.observe('run', '0')
    const isAsKept = (snapshot: string) => workspace.isAsKept?.('run', snapshot)
    expect(await isAsKept(first.snapshot)).toBe(true)
    await writeFiles(top, { 'a.txt': 'a\n' })
    expect(await isAsKept(first.snapshot)).toBe(true)
    await writeFiles(top, { 'new.txt': 'n\n' })
    expect(await isAsKept(first.snapshot)).toBe(false)
    const second = await workspace.observe('run', '1', first.snapshot)
    expect(await isAsKept(second.snapshot)).toBe(true)
    expect(await isAsKept(first.snapshot)).toBe(false)
    await workspace.restore('run', first.snapshot)
    expect([await isAsKept(first.snapshot), await isAsKept(second.snapshot)]).toEqual([true, false])
  })

  test('WORK-94 a restore goes by the tree in the journal, also where somebody moved the name of the snapshot', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const { snapshot, tree } = await workspace.observe('run', '0')
    await writeFiles(top, { 'a.txt': 'planted\n' })
    const planted = await workspace.observe('run', '1')
    await userGit(top, 'update-ref', snapshot, planted.snapshot)
    expect(await workspace.restore('run', snapshot, { tree })).toMatchObject({ tree, files: [{ path: 'a.txt' }] })
    expect(await readFile(join(top, 'a.txt'), 'utf8')).toBe('a\n')
    const gone = { tree: tree.replaceAll(/./g, '1') }
    await expect(workspace.restore('run', snapshot, gone)).rejects.toMatchObject({ code: 'workspace.snapshot-moved' })
  })

  test('WORK-95 modes and links come back where the settings of the user pass them over', async () => {
    await using repository = await temporaryRepository({ 'run.sh': '#!/bin/sh\n' })
    const top = repository.path
    await userGit(top, 'config', 'core.fileMode', 'false')
    await userGit(top, 'config', 'core.symlinks', 'false')
    await chmod(join(top, 'run.sh'), 0o755)
    await symlink('run.sh', join(top, 'link'))
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const { snapshot } = await workspace.observe('run', '0')
    await rm(join(top, 'run.sh'))
    await rm(join(top, 'link'))
    await workspace.restore('run', snapshot)
    expect((await stat(join(top, 'run.sh'))).mode & 0o111).toBe(0o111)
    expect(await readlink(join(top, 'link'))).toBe('run.sh')
  })

  test('WORK-85 where there is no repository any more a run that continues says so, and one that begins what to do', async () => {
    await using folder = await temporaryFolder()
    const workspace = gitWorkspace({ path: folder.path })
    await expect(workspace.open('run', 'refs/pawl/run/0')).rejects.toMatchObject({ code: 'workspace.repository-gone' })
    await expect(workspace.open('run')).rejects.toMatchObject({ code: 'workspace.not-a-repository', message: /git init/ })
  })

  test('WORK-86 a submodule is not asked about itself, so a broken one is in nobody’s way, and a commit keeps it as it was', async () => {
    await using library = await temporaryRepository({ 'lib.txt': 'l\n' })
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    await userGit(top, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path, 'sub')
    await userGit(top, 'commit', '--quiet', '--message', 'Submodule')
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    await rm(join(top, '.git', 'modules'), { recursive: true })
    await workspace.observe('run', '0')
    await writeFiles(top, { 'a.txt': 'b\n' })
    const wanted = { key: '1/commit/0', branch: 'pawl/run', message: 'Mend' }
    const made = await workspace.commit?.('run', wanted)
    expect(await userGit(top, 'diff-tree', '-r', '--name-only', 'HEAD', String(made?.commit))).toBe('a.txt\n')
  })

  test('WORK-32 links are kept as links, and nothing outside the folder is reached through them', async () => {
    await using repository = await temporaryRepository({ 'dir/x.txt': 'x\n' })
    await using other = await temporaryFolder()
    await writeFiles(other.path, { 'x.txt': 'outside\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const { snapshot } = await workspace.observe('run', '0')
    await rm(join(top, 'dir'), { recursive: true })
    await symlink(other.path, join(top, 'dir'))
    const seen = await workspace.observe('run', '1', snapshot)
    expect(seen.files).toEqual([
      { path: 'dir', change: 'added' },
      { path: 'dir/x.txt', change: 'deleted' },
    ])
    await workspace.restore('run', snapshot)
    expect(await folderContents(top)).toEqual({ 'dir/x.txt': 'file x\n' })
    expect(await folderContents(other.path)).toEqual({ 'x.txt': 'file outside\n' })
    await mkdir(join(top, 'later'))
    await chmod(join(top, 'dir/x.txt'), 0o755)
    await workspace.restore('run', seen.snapshot)
    expect(await folderContents(top)).toEqual({ dir: `link ${other.path}`, 'later/': 'empty folder' })
  })
})
