import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeProject } from './project.ts'

const TASK = ['task', 'good', '--id', 'store', '--check', 'grep -q good a.txt', '--agent-command']

describe.concurrent('a store that cannot be written', () => {
  test('RUN-122 if no store can be made there is one clear error, exit code 1, and nothing is started', async (context) => {
    const project = await makeProject(context)
    await writeFile(join(project.root, '.pawl'), 'a file')
    const agent = await project.script('agent.sh', 'echo x >"$NOTES/begun"')
    const failed = await project.pawl(...TASK, agent)
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(/^pawl: \S+pawl\.db cannot be a file: a part of this path is not a folder.*\n$/)
    expect(existsSync(join(project.notes, 'begun'))).toBe(false)
  })

  test.skipIf(process.getuid?.() === 0)(
    'RUN-123 a folder that is read-only is one clear error with exit code 1',
    async (context) => {
      const project = await makeProject(context)
      await chmod(project.root, 0o555)
      context.onTestFinished(() => chmod(project.root, 0o755))
      const failed = await project.pawl(...TASK, 'true')
      expect(failed).toMatchObject({ code: 1, stdout: '' })
      expect(failed.stderr).toMatch(/^pawl: \S+pawl\.db cannot be opened for writing: .*\n$/)
    },
  )

  test.skipIf(!canMount())(
    'RUN-124 a full disk is one clear error; what was acknowledged is there, and with room again the run continues',
    async (context) => {
      const project = await makeProject(context)
      const folder = join(project.root, '.pawl')
      await mkdir(folder)
      expect(mount(folder)).toBe(true)
      context.onTestFinished(() => unmount(folder))
      const agent = await project.script(
        'agent.sh',
        `cat >/dev/null; if [ -e "$NOTES/begun" ]; then echo good >a.txt; exit; fi
      echo half >a.txt; echo x >"$NOTES/begun"; wait_for fill; cat /dev/zero >.pawl/filler; exit 0`,
      )
      const runner = project.start([...TASK, agent])
      await project.noted('begun')
      const acknowledged = await project.events('store')
      expect(acknowledged.at(-1)?.type).toBe('work.started')
      await project.note('fill')
      const failed = await project.over(runner)
      expect(failed.code).toBe(1)
      expect(failed.stderr).toMatch(
        /^pawl: The disk is full, so nothing more can be written to \S+pawl\.db: free some space and try again; .*\n$/,
      )

      await rm(join(folder, 'filler'))
      expect((await project.events('store')).slice(0, acknowledged.length)).toEqual(acknowledged)
      expect(await project.pawl('verify', 'store')).toMatchObject({ code: 0 })
      expect(await project.pawl('resume', 'store')).toMatchObject({ code: 0 })
      expect((await project.of('store', 'iteration.ended')).map(({ data }) => data.iteration)).toEqual([1])
    },
  )
})

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mount-'))
  const isMounted = mount(folder)
  if (isMounted) unmount(folder)
  rmdirSync(folder)
  return isMounted
}

/** A separate disk, small enough to be full at once. */
function mount(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { env: SYSTEM_PATH }).status === 0
}

function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder], { env: SYSTEM_PATH })
}

const SYSTEM_PATH = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
