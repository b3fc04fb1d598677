import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  gitTestEnvironment,
  temporaryFolder,
  temporaryRepository,
  userGit,
  writeFiles,
} from '../../test/support/temporary-repository.ts'
import { COMPILE_CACHE } from '../../test/support/programs.ts'
import { folderContents } from '../testing/workspace-conformance.ts'
import { listSnapshots } from './git-snapshot.ts'
import { gitWorkspace } from './git-workspace.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

const isRoot = process.getuid?.() === 0

/** Where root keeps this code to itself, nobody else can run it. */
const isClosedToOthers = isRoot && foldersAbove(import.meta.dirname).some((folder) => (statSync(folder).mode & 0o005) !== 0o005)

describe.concurrent('git restore', () => {
  test('WORK-40 killed with -9 while files are being written and called again, it ends right and answers with what was there first', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `dir ${index % 50}/file ${index}.txt`)
    const filesOf = (content: string) => Object.fromEntries(names.map((name) => [name, `${content}\n`.repeat(4000)]))
    await using repository = await temporaryRepository(filesOf('old'))
    const path = repository.path
    const workspace = gitWorkspace({ path })
    await workspace.open('run')
    const { snapshot, tree } = await workspace.observe('run', '0')
    const before = await folderContents(path)
    await writeFiles(path, { ...filesOf('new'), 'added.txt': 'a\n' })
    const present = await folderContents(path)
    const isRestored = async (name: string) => (await readFile(join(path, name), 'utf8').catch(() => '')).startsWith('old')
    let wasHalfway = false
    for (let attempt = 1; attempt <= 5 && !wasHalfway; attempt += 1) {
      await writeFiles(path, { ...filesOf('new'), 'added.txt': 'a\n' })
      const child = restoreInChild(path, snapshot)
      while (child.exitCode === null && !(await isRestored('dir 0/file 0.txt'))) await sleep(1)
      await killGroup(child)
      wasHalfway = (await isRestored('dir 0/file 0.txt')) && !(await isRestored('dir 9/file 9.txt'))
    }
    expect(wasHalfway).toBe(true)
    const restored = await workspace.restore('run', snapshot)
    expect(await folderContents(path)).toEqual(before)
    expect(restored).toMatchObject({ tree, savedAs: expect.stringMatching(/saved-\d+$/) })
    await workspace.restore('run', restored.savedAs!)
    expect(await folderContents(path)).toEqual(present)
  })

  test('WORK-40 killed with -9 at any of its calls of git and called again, it ends right and nothing is lost', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', 'gone/b.txt': 'b\n', '.gitignore': '.env\n' })
    await using bin = await temporaryFolder()
    const path = repository.path
    await writeFiles(path, { '.env': 'secret\n' })
    const before = await folderContents(path)
    const workspace = gitWorkspace({ path })
    await workspace.open('run')
    const { snapshot } = await workspace.observe('run', '0')
    let calls = 0
    // Every fourth call, for each takes a process of its own.
    for (let wasKilled = true; wasKilled && calls < 40; calls += 4) {
      await writeFiles(path, { 'a.txt': `changed ${calls}\n`, 'new/c.txt': 'c\n', '.gitignore': '' })
      await rm(join(path, 'gone'), { recursive: true })
      const child = restoreInChild(path, snapshot, await gitThatKills(bin.path, calls + 1))
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
      wasKilled = signal === 'SIGKILL'
      await workspace.restore('run', snapshot)
      expect(await folderContents(path)).toEqual(before)
      const last = (await listSnapshots(path, 'run')).filter(({ label }) => label.startsWith('saved-')).slice(-3)
      const saved = await Promise.all(last.map(({ snapshot: name }) => userGit(path, 'show', `${name}:a.txt`)))
      expect(saved).toContain(`changed ${calls}\n`)
    }
    expect(calls).toBeGreaterThan(10)
  })

  test('WORK-41 files that come and go meanwhile fail neither an observation nor a restore', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const path = repository.path
    const workspace = gitWorkspace({ path })
    await workspace.open('run')
    const stop = new AbortController()
    const churn = comeAndGo(path, stop.signal)
    const seen = []
    for (let count = 0; count < 3; count += 1) seen.push(await workspace.observe('run', String(count)))
    stop.abort()
    await churn
    await workspace.restore('run', 'refs/pawl/run/start')
    expect(seen).toHaveLength(3)
    expect(await folderContents(path)).toEqual({ 'a.txt': 'file a\n' })
  })

  test.skipIf(isClosedToOthers)(
    'WORK-42 a file that cannot be read is left out with a note, and stops a restore that would overwrite it',
    async () => {
      await using repository = await temporaryRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
      const path = repository.path
      // Root reads everything, so it has the test done by somebody else.
      if (isRoot) await promisify(execFile)('chown', ['-R', '65534:65534', path])
      const program = `
      import { chmod, readFile, writeFile } from 'node:fs/promises'
      process.chdir(${JSON.stringify(path)})
      const workspace = gitWorkspace({ path: '.' })
      await workspace.open('run')
      await writeFile('a.txt', 'closed')
      await writeFile('b.txt', 'changed')
      await chmod('a.txt', 0)
      const { notes, files } = await workspace.observe('run', '1')
      const refusal = await workspace.restore('run', 'refs/pawl/run/start').catch((error) => error.code)
      console.log(JSON.stringify({ notes, files, refusal, b: await readFile('b.txt', 'utf8') }))`
      const child = inChild(program, {}, isRoot ? { uid: 65534, gid: 65534 } : {})
      expect(JSON.parse(await outputOf(child))).toEqual({
        notes: ['left out: a.txt cannot be read'],
        files: [
          { path: 'a.txt', change: 'deleted' },
          { path: 'b.txt', change: 'modified' },
        ],
        refusal: 'workspace.file-unreadable',
        b: 'changed',
      })
    },
  )
})

function foldersAbove(folder: string): string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...foldersAbove(dirname(folder))]
}

function restoreInChild(path: string, snapshot: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  return inChild(`await gitWorkspace({ path: ${JSON.stringify(path)} }).restore('run', ${JSON.stringify(snapshot)})`, env)
}

/** A real process of its own group that works with the same code. */
function inChild(
  program: string,
  env: Readonly<Record<string, string>>,
  user: { uid?: number; gid?: number } = {},
): ChildProcess {
  const module = JSON.stringify(import.meta.resolve('./git-workspace.ts'))
  const known = `import { writeFileSync } from 'node:fs'\nif (process.env.PID_FILE) writeFileSync(process.env.PID_FILE, String(process.pid))`
  const args = ['--input-type=module', '--eval', `import { gitWorkspace } from ${module}\n${known}\n${program}`]
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  return spawn(process.execPath, args, {
    env: { ...gitTestEnvironment, ...COMPILE_CACHE, ...env },
    detached: true,
    stdio: [...stdio],
    cwd: '/',
    ...user,
  })
}

async function outputOf(child: ChildProcess): Promise<string> {
  const chunks = await child.stdout!.toArray()
  return Buffer.concat(chunks as Buffer[]).toString('utf8')
}

async function killGroup(child: ChildProcess): Promise<void> {
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  await exited
}

/** A `git` that kills the process for which it is called for the n-th time, and from then on does nothing. */
async function gitThatKills(folder: string, count: number): Promise<Record<string, string>> {
  await rm(join(folder, 'calls'), { force: true })
  const real = gitTestEnvironment['PATH']!
  const script = `#!/bin/sh
    echo >> '${folder}/calls'
    if [ "$(wc -l < '${folder}/calls')" -ge ${count} ]; then kill -9 "$(cat '${folder}/pid')"; exit 1; fi
    PATH='${real}' exec git "$@"\n`
  await writeFile(join(folder, 'git'), script, { mode: 0o755 })
  return { PATH: `${folder}:${real}`, PID_FILE: join(folder, 'pid') }
}

async function comeAndGo(path: string, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted && count < 100_000; count += 1) {
    const name = join(path, `temporary ${count % 20}.txt`)
    await writeFile(name, `${count}\n`)
    if (count % 3 > 0) await rm(name)
  }
}

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

/** On `feature`, with a snapshot `0` and half-done work on top of it; `hotfix` has a file of its own. */
async function halfDone() {
  const repository = await temporaryRepository({ 'a.txt': 'a\n' })
  const top = repository.path
  await userGit(top, 'switch', '--quiet', '--create', 'hotfix')
  await writeFiles(top, { 'hotfix.md': 'fixed\n' })
  await userGit(top, 'add', '--all')
  await userGit(top, 'commit', '--quiet', '--message=hotfix')
  await userGit(top, 'switch', '--quiet', '--create', 'feature', 'main')
  const workspace = gitWorkspace({ path: top })
  await workspace.open('run')
  const { snapshot } = await workspace.observe('run', '0')
  await writeFiles(top, { 'a.txt': 'half\n', 'half.txt': 'h\n' })
  return { top, workspace, snapshot, [Symbol.asyncDispose]: () => repository[Symbol.asyncDispose]() }
}

describe.concurrent('a restore and branches', () => {
  test.for(['files', 'packed refs'])(
    'WORK-87 where another branch is checked out it changes nothing, says the way back, and continues from there (%s)',
    async (refs) => {
      await using project = await halfDone()
      const { top, snapshot } = project
      if (refs === 'packed refs') await userGit(top, 'pack-refs', '--all')
      await userGit(top, 'switch', '--quiet', 'hotfix')
      const before = await folderContents(top)
      const workspace = gitWorkspace({ path: top })
      const refused = { code: 'workspace.other-branch', message: expect.stringContaining('"git switch feature"') }
      await expect(workspace.restore('run', snapshot)).rejects.toMatchObject(refused)
      expect(await folderContents(top)).toEqual(before)
      expect((await listSnapshots(top, 'run')).map(({ label }) => label).toSorted()).toEqual(['0', 'start'])
      expect(await workspace.preview?.('run', snapshot)).toEqual({
        files: [
          { path: 'a.txt', change: 'modified' },
          { path: 'half.txt', change: 'deleted' },
          { path: 'hotfix.md', change: 'deleted' },
        ],
        otherBranch: { was: 'feature', now: 'hotfix', command: 'git switch feature' },
      })
      await userGit(top, 'switch', '--quiet', 'feature')
      expect(await workspace.restore('run', snapshot)).toMatchObject({ savedAs: 'refs/pawl/run/saved-1' })
      expect(await folderContents(top)).toEqual({ 'a.txt': 'file a\n' })
    },
  )

  test('WORK-87 it does as asked if that is wanted, and has nothing to refuse afterwards', async () => {
    await using project = await halfDone()
    const { top, workspace, snapshot } = project
    await userGit(top, 'switch', '--quiet', 'hotfix')
    await workspace.restore('run', snapshot, { onAnyBranch: true })
    expect(await folderContents(top)).toEqual({ 'a.txt': 'file a\n' })
    expect(await workspace.restore('run', snapshot)).not.toHaveProperty('savedAs')
  })

  test.for([
    ['a branch made at the same commit', ['switch', '--quiet', '--create', 'other']],
    ['a detached HEAD at the same commit', ['switch', '--quiet', '--detach']],
    ['a later commit on the same branch', ['commit', '--quiet', '--all', '--message=by the agent']],
  ] as const)('WORK-88 %s is no other branch', async ([, command]) => {
    await using project = await halfDone()
    const { top, workspace, snapshot } = project
    await userGit(top, ...command)
    await workspace.restore('run', snapshot)
    expect(await folderContents(top)).toEqual({ 'a.txt': 'file a\n' })
  })

  test('WORK-88 a snapshot of an older version, which does not know its branch, is restored as ever', async () => {
    await using project = await halfDone()
    const { top, workspace, snapshot } = project
    const subject = await userGit(top, 'for-each-ref', '--format=%(contents:subject)', snapshot)
    const old = await userGit(top, 'commit-tree', `${snapshot}^{tree}`, '-m', subject.trim())
    await userGit(top, 'update-ref', snapshot, old.trim())
    await userGit(top, 'switch', '--quiet', 'hotfix')
    await workspace.restore('run', snapshot)
    expect(await folderContents(top)).toEqual({ 'a.txt': 'file a\n' })
  })

  test('WORK-88 in its own worktree a run may be on any branch', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const workspace = gitWorkspace({ path: repository.path, worktree: true })
    const { cwd } = await workspace.open('run')
    const { snapshot } = await workspace.observe('run', '0')
    await userGit(cwd, 'switch', '--quiet', '--create', 'agents')
    await writeFiles(cwd, { 'a.txt': 'half\n' })
    await userGit(cwd, 'commit', '--quiet', '--all', '--message=by the agent')
    await workspace.restore('run', snapshot)
    expect(await folderContents(cwd)).toEqual({ 'a.txt': 'file a\n' })
  })

  test('WORK-88 what is checked out is read right: before the first commit, detached, and with a branch like a folder', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const commit = (await userGit(top, 'rev-parse', 'HEAD')).trim()
    const headAfter = async (label: string, ...command: readonly string[]) => {
      await userGit(top, ...command)
      await workspace.observe('run', label)
      return (await listSnapshots(top, 'run')).find((each) => each.label === label)?.head
    }
    expect(await headAfter('0', 'switch', '--quiet', '--detach')).toEqual({ commit })
    expect(await headAfter('1', 'switch', '--quiet', '--create', 'fix/é-1')).toEqual({ branch: 'fix/é-1', commit })
    await userGit(top, 'branch', 'deep/one')
    await userGit(top, 'branch', '--delete', 'deep/one')
    expect(await headAfter('2', 'switch', '--quiet', '--create', 'deep')).toEqual({ branch: 'deep', commit })
    await userGit(top, 'switch', '--quiet', '--orphan', 'empty')
    await writeFiles(top, { 'b.txt': 'b\n' })
    expect(await headAfter('3', 'status')).toEqual({ branch: 'empty' })
  })
})
