import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderContents } from '../../src/testing/workspace-conformance.ts'
import { userState } from '../support/temporary-repository.ts'
import { makeProject } from './project.ts'

describe.concurrent('where a run works', () => {
  test('RUN-125 with --worktree the user’s folder stays byte for byte what it is, during the run and after it', async (context) => {
    const project = await makeProject(context, { files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
    await project.write('b.txt', 'not committed\n')
    await project.write('new.txt', 'not even added\n')
    const look = async () => {
      const { status: _ignoredFiles, ...state } = await userState(project.root)
      return { files: await folderContents(project.root), state }
    }
    const before = await look()
    const agent = await project.script(
      'agent.sh',
      'cat >/dev/null; echo good >a.txt; rm b.txt; echo x >"$NOTES/begun"; wait_for go',
    )
    const runner = project.start([
      'task',
      'good',
      '--id',
      'tree',
      '--agent-command',
      agent,
      '--check',
      'grep -q good a.txt',
      '--worktree',
    ])
    await project.noted('begun')
    expect(await look()).toEqual(before)
    await project.note('go')
    expect(await project.over(runner)).toMatchObject({ code: 0 })
    expect(await look()).toEqual(before)

    const { stdout } = await project.pawl('diff', 'tree')
    expect(stdout).toMatch(/^\+good$/m)
    expect(stdout).toMatch(/^-not committed$/m)
    expect(stdout).not.toContain('new.txt')
  })

  test('CLI-446 a cleaned run is shown, compared and resumed, in a worktree made again', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; echo "line $PAWL_ITERATION" >>a.txt')
    const task = ['task', 'two', '--id', 'tree', '--agent-command', agent, '--check', 'grep -q "line 2" a.txt', '--worktree']
    expect((await project.pawl(...task, '--max-iterations', '1', '--no-ask')).code).not.toBe(0)
    const folder = '.pawl/worktrees/tree'
    const cleaned = await project.pawl('clean', 'tree')
    expect(cleaned).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${folder}; its files are kept as refs/pawl/tree/1`),
    })
    expect(existsSync(join(project.root, folder))).toBe(false)
    expect((await project.pawl('diff', 'tree')).stdout).toMatch(/^\+line 1$/m)
    expect((await project.pawl('show', 'tree')).code).toBe(0)

    const resumed = await project.pawl('resume', 'tree', '--max-iterations', '3')
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining(`  Files   ${folder} (pawl clean`) })
    expect(await project.read(`${folder}/a.txt`)).toBe('a\nline 1\nline 2\n')
    expect(await project.pawl('clean')).toMatchObject({ code: 0 })
    expect((await project.pawl('resume', 'tree')).stdout).not.toContain(folder)
    const { stdout } = await project.pawl('diff', 'tree', '--total')
    expect(stdout).toMatch(/^\+line 1\n\+line 2$/m)
  })

  test('CLI-447 a run that begins where other runs have worktrees says so, with the command that removes them', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; echo good >a.txt')
    const task = ['task', 'good', '--agent-command', agent, '--check', 'grep -q good a.txt']
    expect((await project.pawl(...task, '--id', 'own', '--worktree')).stdout).not.toContain('of other runs')
    expect((await project.pawl(...task, '--id', 'main')).stdout).toMatch(
      /1 worktree of other runs in .pawl\/worktrees.*pawl clean/,
    )
    await project.pawl('clean')
    await project.write('a.txt', 'bad\n')
    expect((await project.pawl(...task, '--id', 'next')).stdout).not.toContain('of other runs')
  })

  test('CLI-441 the agent’s commits are shown during the run, in its log and by show', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      `cat >/dev/null; echo good >a.txt
      git -c user.name=A -c user.email=a@example.org commit --quiet --all --message='Mend it'`,
    )
    const run = await project.pawl('task', 'good', '--id', 'own', '--agent-command', agent, '--check', 'grep -q good a.txt')
    const told = /1 new commit on main: \w+ Mend it/
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(told) })
    expect((await project.pawl('log', 'own')).stdout).toMatch(told)
    expect((await project.pawl('show', 'own')).stdout).toMatch(told)
  })

  test('RUN-126 a folder without git works too: crash, undoing, diff and restore', async (context) => {
    const project = await makeProject(context, { isGit: false, files: { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' } })
    const before = await folderContents(project.root)
    const agent = await project.script(
      'agent.sh',
      `cat >/dev/null
      if [ -e "$NOTES/begun" ]; then ls >"$NOTES/seen"; echo good >a.txt; exit; fi
      echo half >a.txt; echo half >half.txt; rm -r deep; echo x >"$NOTES/begun"; wait_for never`,
    )
    const runner = project.start(['task', 'good', '--id', 'plain', '--agent-command', agent, '--check', 'grep -q good a.txt'])
    await project.noted('begun')
    runner.signal('SIGKILL')
    await runner.finished

    const resumed = await project.pawl('resume', 'plain')
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('kept as refs/pawl/plain/saved-1') })
    expect(await project.noted('seen')).toBe('a.txt\ndeep\n')
    expect((await project.pawl('diff', 'plain')).stdout).toContain('-a\n+good\n')
    expect(await folderContents(project.root)).toEqual({ ...before, 'a.txt': 'file good\n' })

    expect(await project.pawl('restore', 'plain', '0', '--yes')).toMatchObject({ code: 0 })
    expect(await folderContents(project.root)).toEqual(before)
    expect(await project.pawl('restore', 'plain', 'saved-1', '--yes')).toMatchObject({ code: 0 })
    expect(await folderContents(project.root)).toEqual({ 'a.txt': 'file half\n', 'half.txt': 'file half\n' })
  })
})
