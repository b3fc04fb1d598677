import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../../test/support/temporary-repository.ts'
import { COMPILE_CACHE } from '../../test/support/programs.ts'
import { folderContents } from '../testing/workspace-conformance.ts'
import type { FolderManifest } from './folder-store.ts'
import { folderWorkspace } from './folder-workspace.ts'

const START = 'refs/pawl/run/start'

describe.concurrent('folder workspace', () => {
  test('WORK-70 each distinct content is kept once, wherever and however often it occurs', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, { 'a.txt': 'same\n', 'b/c.txt': 'same\n', 'd.txt': 'other\n' })
    const workspace = folderWorkspace({ path: folder.path })
    await workspace.open('run')
    await workspace.observe('run', '0')
    await folderWorkspace({ path: folder.path }).open('another')
    const objects = await readdir(join(folder.path, '.pawl/snapshots/objects'), { recursive: true, withFileTypes: true })
    expect(objects.filter((entry) => entry.isFile() && entry.name !== 'cache.json')).toHaveLength(2)
  })

  test('WORK-71 an unchanged file is not read again, and a change right after an observation is seen even of the same size', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, { 'old.txt': 'old\n' })
    const workspace = folderWorkspace({ path: folder.path })
    await workspace.open('run')
    const trees = new Set<string>()
    for (let count = 0; count < 10; count += 1) {
      await writeFiles(folder.path, { 'a.txt': `${count}\n` })
      trees.add((await workspace.observe('run', String(count))).tree)
    }
    expect(trees.size).toBe(10)
    await sleep(2100)
    const { tree, snapshot } = await workspace.observe('run', 'settled')
    const [sha256] = await contentsOf(folder.path, snapshot)
    const content = join(folder.path, '.pawl/snapshots/objects', sha256!.slice(0, 2), sha256!.slice(2))
    await rm(content)
    expect((await workspace.observe('run', 'again', snapshot)).tree).toBe(tree)
    await expect(readFile(content)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(workspace.restore('run', snapshot)).rejects.toMatchObject({ code: 'workspace.content-missing' })
    await rm(join(folder.path, '.pawl/snapshots/objects'), { recursive: true })
    await workspace.open('run')
    await workspace.observe('run', 'whole')
    await writeFiles(folder.path, { 'a.txt': 'changed\n' })
    await workspace.restore('run', 'refs/pawl/run/whole')
    expect(await folderContents(folder.path)).toEqual({ 'a.txt': 'file 9\n', 'old.txt': 'file old\n' })
  })

  test('WORK-72 pipes, sockets and files that come and go are left out with a note, never a failure', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, { 'a.txt': 'a\n' })
    await promisify(execFile)('mkfifo', [join(folder.path, 'pipe')])
    const server = createServer().listen(join(folder.path, 'socket'))
    await once(server, 'listening')
    const workspace = folderWorkspace({ path: folder.path })
    await workspace.open('run')
    const { notes, files } = await workspace.observe('run', '0')
    server.close()
    expect(notes).toEqual(['left out: pipe is neither a file nor a folder', 'left out: socket is neither a file nor a folder'])
    expect(files).toEqual([])
    const stop = new AbortController()
    const churn = comeAndGo(folder.path, stop.signal)
    for (let count = 0; count < 5; count += 1) await workspace.observe('run', String(count))
    stop.abort()
    await churn
    await workspace.restore('run', START)
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.txt'))).toEqual(['a.txt'])
  })

  test('WORK-73 killed with -9 in the middle of a restore and called again, it ends right and answers with what was there first', async () => {
    await using folder = await temporaryFolder()
    const path = folder.path
    const names = Array.from({ length: 300 }, (_, index) => `dir ${index % 20}/file ${index}.txt`)
    const filesOf = (content: string) => Object.fromEntries(names.map((name) => [name, `${content}\n`]))
    await writeFiles(path, filesOf('old'))
    const workspace = folderWorkspace({ path })
    await workspace.open('run')
    const before = await folderContents(path)
    const isRestored = async (name: string) => (await readFile(join(path, name), 'utf8')) === 'old\n'
    let wasHalfway = false
    for (let attempt = 1; attempt <= 5 && !wasHalfway; attempt += 1) {
      await writeFiles(path, { ...filesOf('new'), 'added.txt': 'a\n' })
      const child = restoreInChild(path)
      while (child.exitCode === null && !(await isRestored('dir 0/file 0.txt'))) await sleep(1)
      await kill(child)
      wasHalfway = (await isRestored('dir 0/file 0.txt')) && !(await isRestored('dir 9/file 9.txt'))
    }
    expect(wasHalfway).toBe(true)
    const restored = await workspace.restore('run', START)
    expect(await folderContents(path)).toEqual(before)
    await workspace.restore('run', restored.savedAs!)
    expect(await folderContents(path)).toMatchObject({ 'added.txt': 'file a\n', 'dir 0/file 0.txt': 'file new\n' })
  })

  test('WORK-74 a file that is ignored in one tree and not in the other is not lost either way', async () => {
    await using folder = await temporaryFolder()
    const path = folder.path
    await writeFiles(path, { 'a.txt': 'a\n', 'env.txt': 'old secret\n' })
    const strict = folderWorkspace({ path, ignore: ['env.txt'] })
    const loose = folderWorkspace({ path })
    await strict.open('run')
    const whole = await loose.observe('run', '1')
    await strict.restore('run', START)
    expect(await folderContents(path)).toEqual({ 'a.txt': 'file a\n', 'env.txt': 'file old secret\n' })
    await loose.restore('run', START)
    expect(await folderContents(path)).toEqual({ 'a.txt': 'file a\n', 'env.txt': 'file old secret\n' })
    await writeFiles(path, { 'env.txt': 'new secret\n' })
    const { savedAs } = await strict.restore('run', whole.snapshot)
    expect(await folderContents(path)).toMatchObject({ 'env.txt': 'file old secret\n' })
    await loose.restore('run', savedAs!)
    expect(await folderContents(path)).toMatchObject({ 'env.txt': 'file new secret\n' })
  })

  test('WORK-75 what is in no snapshot and is in the way stops a restore before anything is changed', async () => {
    await using folder = await temporaryFolder()
    const path = folder.path
    await writeFiles(path, { thing: 'a file\n', 'a.txt': 'a\n' })
    const workspace = folderWorkspace({ path })
    await workspace.open('run')
    await rm(join(path, 'thing'))
    await writeFiles(path, { 'thing/node_modules/x.js': 'x\n', 'a.txt': 'changed\n' })
    await expect(workspace.restore('run', START)).rejects.toMatchObject({
      code: 'workspace.file-in-the-way',
      message: /node_modules/,
    })
    expect(await folderContents(path)).toEqual({ 'thing/node_modules/x.js': 'file x\n', 'a.txt': 'file changed\n' })
  })

  test('WORK-76 a store of its own is never part of a tree, and another folder cannot use its snapshots', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'one')
    const store = join(path, 'backup')
    await writeFiles(folder.path, { 'one/a.txt': 'a\n', 'two/b.txt': 'b\n' })
    const workspace = folderWorkspace({ path, store })
    await workspace.open('run')
    const { files, tree } = await workspace.observe('run', '0')
    expect(files).toEqual([])
    expect((await workspace.observe('run', '1')).tree).toBe(tree)
    const refused = { code: 'workspace.run-elsewhere' }
    await expect(folderWorkspace({ path: join(folder.path, 'two'), store }).open('run')).rejects.toMatchObject(refused)
    await expect(folderWorkspace({ path: join(folder.path, 'none') }).open('run')).rejects.toMatchObject({
      code: 'workspace.folder-missing',
    })
  })

  test('WORK-77 all permission bits come back, large files too, and folders left empty are removed', async () => {
    await using folder = await temporaryFolder()
    const path = folder.path
    const large = Buffer.alloc(9 * 1024 * 1024, 'large ')
    await writeFile(join(path, 'large.bin'), large)
    await writeFile(join(path, 'private'), 'p\n', { mode: 0o600 })
    const workspace = folderWorkspace({ path })
    await workspace.open('run')
    await rm(join(path, 'large.bin'))
    await chmod(join(path, 'private'), 0o644)
    await mkdir(join(path, 'stays empty'))
    await writeFiles(path, { 'goes/with/file.txt': 'f\n' })
    await workspace.restore('run', START)
    expect((await readFile(join(path, 'large.bin'))).equals(large)).toBe(true)
    expect((await readdir(path)).toSorted()).toEqual(['.pawl', 'large.bin', 'private', 'stays empty'])
    expect((await promisify(execFile)('stat', ['-c', '%a', join(path, 'private')])).stdout).toBe('600\n')
  })
})

async function contentsOf(path: string, snapshot: string): Promise<string[]> {
  const manifest = await readFile(join(path, '.pawl/snapshots/runs', `${snapshot.slice('refs/pawl/'.length)}.json`), 'utf8')
  return (JSON.parse(manifest) as FolderManifest).entries.flatMap((entry) => (entry.kind === 'file' ? [entry.sha256] : []))
}

async function comeAndGo(path: string, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted && count < 100_000; count += 1) {
    const name = join(path, `temporary ${count % 20}.txt`)
    await writeFile(name, `${count}\n`)
    if (count % 3 > 0) await rm(name)
  }
}

function restoreInChild(path: string): ChildProcess {
  const module = JSON.stringify(import.meta.resolve('./folder-workspace.ts'))
  const program = `import { folderWorkspace } from ${module}
    await folderWorkspace({ path: ${JSON.stringify(path)} }).restore('run', '${START}')`
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: COMPILE_CACHE,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
