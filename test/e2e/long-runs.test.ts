import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { pawlCommand } from '../support/programs.ts'
import { userGit } from '../support/temporary-repository.ts'
import { makeProject, type Project, until } from './project.ts'

const CHECK = ['--check', 'grep -q good a.txt'] as const

/** A command whose output the shell sends into the folder. */
async function inShell({ root, home }: Project, words: readonly string[], after: string): Promise<void> {
  const line = pawlCommand(...words)
    .map((word) => `'${word}'`)
    .join(' ')
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  await promisify(execFile)('/bin/sh', ['-c', `${line} ${after}`], { cwd: root, env })
}

describe.concurrent('long runs', () => {
  test('LONG-1 a run in the background outlives its command, attach shows what its agent does and ends with it', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      'echo step one; echo > "$NOTES/began"; wait_for go; echo good > a.txt; echo all done',
    )
    const words = ['task', 'good', '--id', 'far', '--agent-command', agent, ...CHECK, '--detach']
    const started = await project.pawl(...words)
    expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining('pawl attach far') })
    await project.happened('far', 'work.started')
    const watching = project.start(['attach', 'far'])
    await until('what the agent does', () => (watching.printed().includes('    step one') ? true : undefined))
    await project.note('go')
    const { code, stdout } = await project.over(watching)
    expect(code).toBe(0)
    expect(stdout).toMatch(/ 1\/3 {2}✓ [^]*✓ All checks passed · 1 iteration [^]*Agent +all done\n[^]*pawl diff far --total/)
    expect(await project.isWhole('far')).toBe(true)
    expect((await project.pawl('attach', 'far')).stdout).toContain('No process is driving far.')
    // A mistake is said by the command itself.
    const other = await project.pawl('task', 'another goal', '--id', 'far', '--agent-command', agent, ...CHECK, '--detach')
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('another goal') })
  })

  test('LONG-2 after Ctrl-C the command that brings the half-done work back is printed, and does it', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      'echo half > a.txt; echo > "$NOTES/began"; echo x > "$NOTES/pid"; exec sleep 60',
    )
    const runner = project.start(['task', 'good', '--id', 'half', '--agent-command', agent, ...CHECK])
    await project.noted('pid')
    runner.signal('SIGINT')
    const { code, stdout } = await project.over(runner)
    expect(code).toBe(130)
    expect(stdout).toContain(
      'Half-done work in 1 file (a.txt) was undone and kept.\n  Bring it back  pawl restore half saved-1\n',
    )
    expect(await project.read('a.txt')).toBe('a\n')
    expect(await project.pawl('restore', 'half', 'saved-1', '--yes')).toMatchObject({ code: 0 })
    expect(await project.read('a.txt')).toBe('half\n')
  })

  test('LONG-3 who reviews sees what changed, cut, with the command for the whole', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'echo good > a.txt; seq 100 > b.txt')
    const words = [
      'task',
      'good',
      '--id',
      'seen',
      '--agent-command',
      agent,
      ...CHECK,
      '--reviewer',
      'person',
      '--accept-unproven',
    ]
    const { code, stdout } = await project.pawl(...words)
    expect(code).toBe(3)
    expect(stdout).toMatch(/\+good\n[^]*\n… \d+ more lines: pawl diff seen --total\n/)
  })
})

describe.concurrent('housekeeping', () => {
  test('KEEP-2 runs are measured, removed and pruned; the others verify, and none at work or waiting is touched', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      'echo "$PAWL_RUN" >> a.txt; [ ! -e "$NOTES/hold" ] || { echo > "$NOTES/held"; wait_for go; }',
    )
    const task = (id: string, check: string): string[] => {
      return ['task', id, '--id', id, '--agent-command', agent, '--check', check, '--max-iterations', '1', '--accept-unproven']
    }
    for (const id of ['one', 'two']) expect(await project.pawl(...task(id, `grep -q ${id} a.txt`))).toMatchObject({ code: 0 })
    expect((await project.pawl(...task('asks', 'false'))).code).toBe(3)
    await project.note('hold')
    const working = project.start([...task('busy', 'grep -q busy a.txt'), '--worktree'])
    await project.happened('busy', 'work.started')
    const { stdout } = await project.pawl('du', '--json')
    const rows = (JSON.parse(stdout) as { runs: { run: string; journalBytes: number; snapshotBytes: number }[] }).runs
    expect(rows.map(({ run }) => run).toSorted()).toEqual(['asks', 'busy', 'one', 'two'])
    for (const row of rows) expect(Math.min(row.journalBytes, row.snapshotBytes)).toBeGreaterThan(0)

    expect((await project.pawl('rm', 'busy')).code).toBe(6)
    expect(await project.pawl('rm', 'nobody')).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no run') })
    const dry = await project.pawl('prune', '--older-than', '0d', '--dry-run')
    expect(dry.stdout).toMatch(
      /Kept busy: [^]*Kept asks: it waits for your answer[^]*Would remove 2 runs: \w+, \w+\n {2}Frees {2}\d/,
    )
    expect(await project.pawl('rm', 'one', '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Removed 1 run: one'),
    })
    expect((await project.pawl('show', 'one')).code).toBe(2)
    const refs = await userGit(project.root, 'for-each-ref', '--format=%(refname)')
    expect([refs.includes('refs/pawl/one/'), refs.includes('refs/pawl/two/')]).toEqual([false, true])
    await project.note('go')
    expect(await project.over(working)).toMatchObject({ code: 0 })
    expect(await project.pawl('verify')).toMatchObject({ code: 0 })
    expect(await project.pawl('prune', '--older-than', '0d', '--waiting', '--yes')).toMatchObject({ code: 0 })
    expect(JSON.parse((await project.pawl('ls', '--json')).stdout)).toEqual([])
    // The work itself stays.
    expect(await project.read('a.txt')).toContain('one\ntwo\n')
    expect(await readdir(join(project.root, '.pawl', 'worktrees')).catch(() => [])).not.toContain('busy')
    await userGit(project.root, 'fsck', '--strict')
  })
})

describe.concurrent('projects as they are', () => {
  test('PROJ-2 KEEP-3 what the shell writes of the run’s own output is no work and is never rolled back, and git log shows no snapshot', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'echo good > a.txt')
    const words = (id: string): string[] => ['task', 'good', '--id', id, '--agent-command', agent, ...CHECK]
    const before = await userGit(project.root, 'log', '--all', '--oneline')
    const outputs = [
      ['plain', '> run.log'],
      ...(process.platform === 'linux' ? [['piped', '2>&1 | tee run.log | cat > /dev/null']] : []),
    ]
    for (const [run = '', after = ''] of outputs) {
      await inShell(project, words(run), after)
      const seen = await project.of(run, 'workspace.observed')
      expect(seen.flatMap(({ data }) => data.files.map(({ path }) => path))).not.toContain('run.log')
      expect(await project.pawl('restore', run, '0', '--yes')).toMatchObject({ code: 0 })
      expect(await project.read('run.log')).toContain('✓ All checks passed · 1 iteration')
      expect(await project.read('a.txt')).toBe('a\n')
    }
    expect(await userGit(project.root, 'log', '--all', '--oneline')).toBe(before)
  })

  test('PROJ-1 in a package of a monorepo the run works there, says so, and leaves the rest alone', async (context) => {
    const project = await makeProject(context, {
      files: { 'package.json': '{}', 'packages/a/package.json': '{}', 'packages/b/b.txt': 'b\n' },
    })
    const cwd = join(project.root, 'packages', 'a')
    await mkdir(join(cwd, 'src'))
    await writeFile(join(cwd, 'a.txt'), 'a\n')
    const agent = await project.script('agent.sh', 'pwd > "$NOTES/where"; echo good > a.txt')
    const run = project.start(['task', 'good', '--id', 'part', '--agent-command', agent, ...CHECK], { cwd: join(cwd, 'src') })
    const { code, stdout } = await project.over(run)
    expect(code).toBe(0)
    expect(stdout).toContain('in project/packages/a, not only src')
    expect((await project.noted('where')).trim()).toBe(cwd)
    const init = await project.over(project.start(['init', '--yes', '--json'], { cwd: join(cwd, 'src') }))
    expect(JSON.parse(init.stdout)).toMatchObject({ path: join(cwd, 'pawl.yaml'), written: true })
  })
})
