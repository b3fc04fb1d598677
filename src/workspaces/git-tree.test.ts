import { execFile } from 'node:child_process'
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflateSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryRepository, userGit, userState, writeFiles } from '../../test/support/temporary-repository.ts'
import { folderContents } from '../testing/workspace-conformance.ts'
import { gitWorkspace } from './git-workspace.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

describe.concurrent('what is in a tree of git', () => {
  test('WORK-23 what is restored is what was on disk, whatever line-end rules, filters and encodings say', async () => {
    const attributes =
      '*.txt text eol=crlf\n*.auto text=auto\n*.id ident\n*.lfs filter=upper\n*.u16 working-tree-encoding=UTF-16\n'
    await using repository = await temporaryRepository({ '.gitattributes': attributes })
    const top = repository.path
    const filter = '[filter "upper"] clean = tr a-z A-Z\nsmudge = tr A-Z a-z\nrequired = true\n'
    await appendFile(join(top, '.git/config'), `[core] autocrlf = true\nsafecrlf = true\n${filter}`)
    const endings = { lf: 'a\nb\n', crlf: 'a\r\nb\r\n', mixed: 'a\r\nb\n', none: 'a' }
    for (const [name, content] of Object.entries(endings)) {
      await writeFiles(top, { [`${name}.txt`]: content, [`${name}.auto`]: content, [`${name}.plain`]: content })
    }
    await writeFiles(top, { 'x.id': '$Id$\n', 'x.lfs': 'MiXed\n', 'x.u16': 'not utf-16 \u00ff\n' })
    const before = await folderContents(top)
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const kept = await workspace.observe('run', '0')
    for (const name of Object.keys(before)) if (name !== '.gitattributes') await rm(join(top, name))
    await workspace.restore('run', kept.snapshot)
    expect(await folderContents(top)).toEqual(before)
    expect((await workspace.observe('run', '1')).tree).toBe(kept.tree)
  })

  test('BOX-30 a proof never reads an object that somebody filled with something else', async () => {
    await using repository = await temporaryRepository({ 'deep/a.test.js': 'old\n' })
    const top = repository.path
    await gitWorkspace({ path: top }).open('run')
    const { snapshot } = await gitWorkspace({ path: top }).observe('run', '0')
    const read = async () => (await gitWorkspace({ path: top }).filesOf!(snapshot)).read('deep/a.test.js')
    expect(String(await read())).toBe('old\n')
    for (const name of ['deep/a.test.js', 'deep']) {
      const id = (await userGit(top, 'rev-parse', `${snapshot}:${name}`)).trim()
      const content = name === 'deep' ? `100644 a.test.js\0${'x'.repeat(20)}` : 'new\n'
      const whole = deflateSync(`${name === 'deep' ? 'tree' : 'blob'} ${content.length}\0${content}`)
      const file = join(top, '.git/objects', id.slice(0, 2), id.slice(2))
      const genuine = await readFile(file)
      await rm(file)
      await writeFile(file, whole)
      await expect(read()).rejects.toThrow(`${id} has another content than was kept`)
      await writeFile(file, genuine)
    }
    // By another name: git would put one object in the place of the other.
    const [old] = (await userGit(top, 'rev-parse', `${snapshot}:deep/a.test.js`)).split('\n')
    await writeFiles(top, { new: 'new\n' })
    await userGit(top, 'replace', old!, (await userGit(top, 'hash-object', '-w', 'new')).trim())
    expect(String(await read())).toBe('old\n')
  })

  test('PROJ-3 what changes in a submodule is seen, compared and restored; a submodule that comes later is left out', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', '.gitignore': '*.log\n' })
    await using library = await temporaryRepository({ 'lib.txt': 'l\n', 'deep/d.txt': 'd\n', '.gitignore': 'build\n' })
    const top = repository.path
    const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path]
    await userGit(top, ...add, 'libs/module')
    await userGit(top, 'commit', '--quiet', '--message=module')
    const state = await userState(top)
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const kept = await workspace.observe('run', '0')
    expect(kept.notes).toEqual([])
    const changes = { 'libs/module/lib.txt': 'changed\n', 'libs/module/deep/new.txt': 'n\n', 'libs/module/build/x.o': 'x\n' }
    await writeFiles(top, changes)
    const seen = await workspace.observe('run', '1', kept.snapshot)
    expect(seen.files).toEqual([
      { path: 'libs/module/deep/new.txt', change: 'added' },
      { path: 'libs/module/lib.txt', change: 'modified' },
    ])
    expect(seen.diff.text).toContain('-l\n+changed')
    // The commit is the submodule's own affair.
    await userGit(join(top, 'libs/module'), 'commit', '--quiet', '--all', '--message=by the agent')
    expect((await workspace.observe('run', '2', seen.snapshot)).files).toEqual([])
    await rm(join(top, 'libs/module/build'), { recursive: true })
    await workspace.restore('run', kept.snapshot)
    expect(await readFile(join(top, 'libs/module/lib.txt'), 'utf8')).toBe('l\n')
    await userGit(join(top, 'libs/module'), 'reset', '--quiet', '--hard', 'HEAD~1')
    expect(await userState(top)).toEqual(state)
    await userGit(top, ...add, 'later')
    expect((await workspace.observe('run', '3', kept.snapshot)).notes).toEqual([
      expect.stringMatching(/^your own git now obeys submodule\.later\.url/),
      'left out: later/ is a repository of its own',
    ])
    const { cwd } = await gitWorkspace({ path: top, worktree: true }).open('tree')
    expect(await readFile(join(cwd, 'libs/module/deep/d.txt'), 'utf8')).toBe('d\n')
  })

  test('WORK-25 other repositories inside are left out, named, and never changed', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', 'dir/b.txt': 'b\n' })
    const top = repository.path
    await userGit(top, 'init', '--quiet', join(top, 'dir/nested'))
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const kept = await workspace.observe('run', '0')
    await writeFiles(top, { 'dir/nested/n.txt': 'n\n', 'dir/b.txt': 'c\n', 'new/x.txt': 'x\n' })
    await userGit(top, 'init', '--quiet', join(top, 'new/repo'))
    const seen = await workspace.observe('run', '1', kept.snapshot)
    expect(seen.files.map(({ path }) => path)).toEqual(['dir/b.txt', 'new/x.txt'])
    expect(seen.notes).toHaveLength(2)
    await workspace.restore('run', kept.snapshot)
    expect(await folderContents(top)).toMatchObject({
      'dir/b.txt': 'file b\n',
      'dir/nested/n.txt': 'file n\n',
    })
    expect(await readdir(join(top, 'new/repo'))).toEqual(['.git'])
    await rm(join(top, 'a.txt'))
    await userGit(top, 'init', '--quiet', join(top, 'a.txt'))
    await writeFiles(top, { 'dir/b.txt': 'untouched by a refusal\n' })
    await expect(workspace.restore('run', kept.snapshot)).rejects.toMatchObject({ code: 'workspace.repository-in-the-way' })
    expect(await folderContents(top)).toMatchObject({ 'dir/b.txt': 'file untouched by a refusal\n' })
  })

  test('WORK-26 a file that is tracked although a rule ignores it is kept and restored', async () => {
    await using repository = await temporaryRepository({ '.gitignore': 'dist\n', 'dist/a.js': '1\n', 'dist/b.js': '1\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const { snapshot } = await workspace.observe('run', '0')
    await writeFiles(top, { 'dist/a.js': '2\n', 'dist/new.js': 'n\n' })
    await rm(join(top, 'dist/b.js'))
    expect((await workspace.observe('run', '1', snapshot)).files).toEqual([
      { path: 'dist/a.js', change: 'modified' },
      { path: 'dist/b.js', change: 'deleted' },
    ])
    await workspace.restore('run', snapshot)
    expect(await folderContents(top)).toMatchObject({
      'dist/a.js': 'file 1\n',
      'dist/b.js': 'file 1\n',
      'dist/new.js': 'file n\n',
    })
  })

  test('WORK-27 a file that is ignored in one tree and not in the other is not lost either way', async () => {
    await using repository = await temporaryRepository({ '.gitignore': '.env\n' })
    const top = repository.path
    await writeFiles(top, { '.env': 'old secret\n' })
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const ignored = await workspace.observe('run', '0')
    await writeFiles(top, { '.gitignore': '', 'added.txt': 'a\n' })
    const seen = await workspace.observe('run', '1', ignored.snapshot)
    expect(seen.files.map(({ path }) => path)).toContain('.env')
    await workspace.restore('run', ignored.snapshot)
    expect(await folderContents(top)).toEqual({ '.gitignore': 'file .env\n', '.env': 'file old secret\n' })
    await writeFiles(top, { '.env': 'new secret\n' })
    const restored = await workspace.restore('run', seen.snapshot)
    expect(await folderContents(top)).toMatchObject({ '.env': 'file old secret\n' })
    expect(await userGit(top, 'show', `${restored.savedAs}:.env`)).toBe('new secret\n')
  })

  test('WORK-27 ignored files where the snapshot has a file or a folder are saved before they give way', async () => {
    await using repository = await temporaryRepository({ file: 'f\n', 'folder/x.txt': 'x\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const { snapshot, tree } = await workspace.observe('run', '0')
    await rm(join(top, 'file'))
    await rm(join(top, 'folder'), { recursive: true })
    await writeFiles(top, { '.gitignore': 'file\nfolder\n', 'file/deep/secret': 's\n', folder: 'secret too\n' })
    await userGit(top, 'rm', '--cached', '--quiet', '-r', 'file', 'folder')
    const restored = await workspace.restore('run', snapshot)
    expect(await folderContents(top)).toEqual({ file: 'file f\n', 'folder/x.txt': 'file x\n' })
    expect(restored.tree).toBe(tree)
    expect(await userGit(top, 'show', `${restored.savedAs}:file/deep/secret`)).toBe('s\n')
    expect(await userGit(top, 'show', `${restored.savedAs}:folder`)).toBe('secret too\n')
  })

  test('WORK-33 a file that became a pipe is left out with a note', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const workspace = gitWorkspace({ path: repository.path })
    await workspace.open('run')
    await rm(join(repository.path, 'a.txt'))
    await promisify(execFile)('mkfifo', [join(repository.path, 'a.txt'), join(repository.path, 'new pipe')])
    const { files, notes } = await workspace.observe('run', '0')
    expect(files).toEqual([{ path: 'a.txt', change: 'deleted' }])
    expect(notes).toEqual(['left out: a.txt cannot be read'])
  })
})
