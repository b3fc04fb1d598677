import { describe, expect, test } from 'vitest'
import { makeProject } from './project.ts'

describe.concurrent('a person beside a run', () => {
  test('RUN-108 edits made while the run is paused are kept, observed as a person’s, and not in the diff of the agent', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      'cat >/dev/null; if [ -e "$NOTES/begun" ]; then echo good >a.txt; exit 0; fi; echo half >half.txt; echo x >"$NOTES/begun"; wait_for never',
    )
    const runner = project.start(['task', 'good', '--id', 'mine', '--agent-command', agent, '--check', 'grep -q good a.txt'])
    await project.noted('begun')
    runner.signal('SIGINT')
    expect(await project.over(runner)).toMatchObject({ code: 130 })
    await project.write('mine.txt', 'mine\n')

    const resumed = await project.pawl('resume', 'mine')
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('you changed      1 file meanwhile; kept') })
    expect(await project.read('mine.txt')).toBe('mine\n')
    await expect(project.read('half.txt')).rejects.toThrow('ENOENT')
    expect(await personsFiles(project, 'mine')).toEqual([['mine.txt']])
    const diff = await project.pawl('diff', 'mine')
    expect(diff.stdout).toContain('+good')
    expect(diff.stdout).not.toContain('mine.txt')
  })

  test('RUN-109 edits made while the run waits for an answer are kept, observed as a person’s, and not in the diff of the agent', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; echo "line $PAWL_ITERATION" >>a.txt')
    const task = ['task', 'good', '--id', 'mine', '--agent-command', agent, '--check', 'grep -q "line 2" a.txt', '-n', '1']
    expect(await project.pawl(...task)).toMatchObject({ code: 3 })
    await project.write('a.txt', `${await project.read('a.txt')}mine\n`)
    await project.write('mine.txt', 'mine\n')

    expect(await project.pawl('answer', 'mine', '1', '--resume')).toMatchObject({ code: 0 })
    expect(await project.read('a.txt')).toBe('a\nline 1\nmine\nline 2\n')
    expect(await project.read('mine.txt')).toBe('mine\n')
    expect(await personsFiles(project, 'mine')).toEqual([['a.txt', 'mine.txt']])
    const diff = await project.pawl('diff', 'mine', '2')
    expect(diff.stdout).toContain('+line 2')
    expect(diff.stdout).not.toMatch(/^[+-].*mine/m)
  })
})

async function personsFiles(project: Awaited<ReturnType<typeof makeProject>>, run: string) {
  const observed = await project.of(run, 'workspace.observed')
  return observed.filter(({ by }) => by.role === 'person').map(({ data }) => data.files.map(({ path }) => path))
}
