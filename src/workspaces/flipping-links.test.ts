import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder, temporaryRepository } from '../../test/support/temporary-repository.ts'
import { folderWorkspace } from './folder-workspace.ts'
import { gitWorkspace } from './git-workspace.ts'

const NAMES = Array.from({ length: 40 }, (_, index) => `f${index}.txt`)

/** Turns `dir` into a link to somewhere outside and back, as fast as it can, until it is ended. */
const FLIPPER = `
const { renameSync, symlinkSync, rmSync } = require('node:fs')
const [, root, outside] = process.argv
process.chdir(root)
const attempt = (step) => { try { step() } catch {} }
process.stdout.write('ready')
const until = Date.now() + 60_000
while (Date.now() < until) {
  attempt(() => symlinkSync(outside, '.git/link'))
  attempt(() => renameSync('dir', '.git/away'))
  attempt(() => renameSync('.git/link', 'dir'))
  attempt(() => rmSync('dir'))
  attempt(() => renameSync('.git/away', 'dir'))
}`

async function flipping(root: string, outside: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--eval', FLIPPER, '--', root, outside], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(stop)
  await once(child.stdout, 'data')
  return stop
}

async function contents(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).toSorted()
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])))
}

test.runIf(process.platform === 'linux').each(['git', 'folder'])(
  'SAFE-19 links that flip during a restore of a %s workspace write and delete nothing outside',
  async (kind) => {
    await using repository = await temporaryRepository()
    await using elsewhere = await temporaryFolder()
    const [root, outside] = [repository.path, elsewhere.path]
    const workspace = kind === 'git' ? gitWorkspace({ path: root }) : folderWorkspace({ path: root, ignore: ['.git'] })
    await mkdir(join(root, 'dir'))
    for (const name of NAMES) await writeFile(join(root, 'dir', name), 'mine\n')
    await workspace.open('r')
    const { snapshot: full } = await workspace.observe('r', '1')
    await rm(join(root, 'dir'), { recursive: true })
    await mkdir(join(root, 'dir'))
    await writeFile(join(root, 'dir', 'kept.txt'), 'kept\n')
    const { snapshot: bare } = await workspace.observe('r', '2')
    for (const name of [...NAMES.slice(0, 20), 'kept.txt']) await writeFile(join(outside, name), 'theirs\n')
    const before = await contents(outside)
    const stop = await flipping(root, outside)
    const until = performance.now() + ATTACK_MS
    for (let round = 0; performance.now() < until; round++) {
      await workspace.restore('r', round % 2 === 0 ? full : bare).catch(() => undefined)
      expect(await contents(outside)).toEqual(before)
    }
    await stop()
  },
  60_000,
)

test.runIf(process.platform === 'linux').each(['git', 'folder'])(
  'SAFE-19 a folder that becomes a link in the middle of a restore of a %s workspace writes nothing outside',
  async (kind) => {
    await using repository = await temporaryRepository()
    await using elsewhere = await temporaryFolder()
    const [root, outside] = [repository.path, elsewhere.path]
    const workspace = kind === 'git' ? gitWorkspace({ path: root }) : folderWorkspace({ path: root, ignore: ['.git'] })
    await mkdir(join(root, 'dir'))
    for (let index = 0; index < 150; index++) await writeFile(join(root, 'dir', `f${index}.txt`), 'mine\n')
    await workspace.open('r')
    const { snapshot } = await workspace.observe('r', '1')
    for (let round = 0; round < 2; round++) {
      await rm(join(root, 'dir'), { recursive: true })
      await mkdir(join(root, 'dir'))
      const restoring = workspace.restore('r', snapshot)
      const giveUpAt = performance.now() + 10_000
      while ((await readdir(join(root, 'dir')).catch(() => [])).length === 0 && performance.now() < giveUpAt);
      await rename(join(root, 'dir'), join(root, '.git', 'away'))
      await symlink(outside, join(root, 'dir'))
      // It starts over once the link is noticed.
      await restoring
      expect(await readdir(outside)).toEqual([])
      expect(await readdir(join(root, 'dir'))).toHaveLength(150)
      await rm(join(root, '.git', 'away'), { recursive: true })
    }
  },
  60_000,
)

const ATTACK_MS = 1000
