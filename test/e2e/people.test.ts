import { describe, expect, test } from 'vitest'
import { pawlCommand } from '../support/programs.ts'
import { CAN_HAVE_TERMINAL } from './pawl-process.ts'
import { isRunning, makeProject, until } from './project.ts'

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
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringMatching(/kept: 1 file that you changed meanwhile/) })
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

  test('CLI-411 a run’s own work cannot abort, answer, resume, restore or bind it, but can look at it and end another', async (context) => {
    const project = await makeProject(context)
    const idle = await project.script('idle.sh', 'cat >/dev/null')
    const check = ['--check', 'grep -q good a.txt', '-n', '1']
    expect(await project.pawl('task', 'x', '--id', 'other', '--agent-command', idle, ...check)).toMatchObject({ code: 3 })
    const calls = [
      'abort mine',
      'answer mine 1',
      'answer mine false-alarm --guard noProgress',
      'resume mine --waive maxIterations',
      'restore mine 0 --yes',
      'bind mine --session s --agent claude',
      'answer mine',
      'show mine',
      'abort other',
    ]
    const agent = await project.script(
      'agent.sh',
      `cat >/dev/null; echo good >a.txt
      pawl() { ${pawlCommand()
        .map((word) => `'${word}'`)
        .join(' ')} "$@" 2>"$NOTES/error" >/dev/null; echo "$? $(cat "$NOTES/error")" >>"$NOTES/calls"; }
      ${calls.map((call) => `pawl ${call}`).join('; ')}`,
    )
    expect(await project.pawl('task', 'x', '--id', 'mine', '--agent-command', agent, ...check)).toMatchObject({ code: 0 })
    const told = (await project.noted('calls'))
      .trimEnd()
      .split('\n')
      .map((line) => line.trim())
    expect(told).toEqual([
      ...['aborted', 'answered', 'answered', 'resumed', 'restored', 'bound'].map((done) =>
        expect.stringMatching(new RegExp(`^1 .*Run mine cannot be ${done} from within its own work`)),
      ),
      expect.stringContaining('Run mine asks nothing'),
      '0',
      '0',
    ])
    const people = (await project.events('mine')).filter(({ by }) => by.role === 'person')
    expect(people).toEqual([])
    expect(await project.of('other', 'run.aborted')).toHaveLength(1)
  })

  test.runIf(process.platform === 'linux')(
    'CLI-430 a run’s own work is known by its process too: without PAWL_RUN, in its own session, left behind in the session, or as a check',
    async (context) => {
      const project = await makeProject(context)
      const idle = await project.script('idle.sh', 'cat >/dev/null')
      const atMost = ['-n', '1']
      const other = ['task', 'x', '--id', 'other', '--agent-command', idle, '--check', 'false', ...atMost]
      expect(await project.pawl(...other)).toMatchObject({ code: 3 })
      const alone = await project.script('alone.sh', calling('alone', 'answer mine 1'))
      const left = await project.script('left.sh', `sleep 0.3; ${calling('left', 'resume mine')}`)
      const check = await project.script('check.sh', `grep -q good a.txt && { ${calling('check', 'abort mine')}; }`)
      const agent = await project.script(
        'agent.sh',
        `cat >/dev/null; echo good >a.txt; unset PAWL_RUN PAWL_PROCESS_GROUP
        ${calling('plain', 'abort mine')}
        setsid --wait ${alone}
        (${left} &); wait_for left
        ${calling('other', 'abort other')}`,
      )
      const mine = ['task', 'x', '--id', 'mine', '--agent-command', agent, '--check', check, ...atMost]
      expect(await project.pawl(...mine)).toMatchObject({ code: 0 })
      const told = { plain: 'aborted', alone: 'answered', left: 'resumed', check: 'aborted' }
      for (const [file, done] of Object.entries(told))
        expect(await project.noted(file)).toMatch(
          new RegExp(`Run mine cannot be ${done} from within its own work \\(process \\d+, [^]*\\n1\\n$`),
        )
      expect(await project.noted('other')).toBe('0\n')
      expect((await project.events('mine')).filter(({ by }) => by.role === 'person')).toEqual([])
      expect(await project.of('other', 'run.aborted')).toHaveLength(1)
    },
  )

  test.skipIf(!CAN_HAVE_TERMINAL)(
    'RUN-110 an answer given elsewhere while the question is open on the terminal is taken',
    async (context) => {
      const project = await makeProject(context)
      const agent = await project.script('agent.sh', 'cat >"$NOTES/brief-$PAWL_ITERATION"; echo "line $PAWL_ITERATION" >>a.txt')
      const task = ['task', 'two lines', '--id', 'ask', '--agent-command', agent, '--check', 'grep -q "line 2" a.txt', '-n', '1']
      const runner = project.start(task, { hasTerminal: true })
      await until('the question', () => (runner.printed().includes('ask asks:') ? true : undefined))
      expect(runner.isOver()).toBe(false)
      expect(await project.pawl('answer', 'ask', '1', '--note', 'from elsewhere')).toMatchObject({ code: 0 })

      expect(await project.over(runner)).toMatchObject({ code: 0 })
      expect(await project.noted('brief-2')).toContain('# A person said\n- from elsewhere')
      expect(await project.of('ask', 'escalation.answered')).toHaveLength(1)
      expect(await project.of('ask', 'run.resumed')).toHaveLength(0)
    },
  )

  test.skipIf(!CAN_HAVE_TERMINAL)(
    'RUN-113 a terminal that is closed at a question leaves the question open; resume does not go past it',
    async (context) => {
      const project = await makeProject(context)
      const agent = await project.script('agent.sh', 'cat >/dev/null; echo x >>"$NOTES/attempts"')
      const runner = project.start(['task', 'x', '--id', 'ask', '--agent-command', agent, '--check', 'false', '-n', '1'], {
        hasTerminal: true,
      })
      await until('the question', () => (runner.printed().includes('ask asks:') ? true : undefined))
      runner.signal('SIGKILL')
      await runner.finished
      await until('the driver to leave', async () =>
        JSON.parse((await project.pawl('show', 'ask', '--json')).stdout).holder ? undefined : true,
      )
      expect((await project.events('ask')).at(-1)?.type).toBe('escalation.raised')
      expect(await project.pawl('resume', 'ask')).toMatchObject({ code: 3 })
      expect(await project.noted('attempts')).toBe('x\n')
    },
  )

  test('RUN-111 an abort from elsewhere ends the agent and all it started, and the runner with exit code 5', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      'cat >/dev/null; sleep 60 & echo "$$ $!" >"$NOTES/pids.new"; mv "$NOTES/pids.new" "$NOTES/pids"; wait_for never',
    )
    const runner = project.start(['task', 'x', '--id', 'end', '--agent-command', agent, '--check', 'false'])
    const pids = (await project.noted('pids')).split(' ').map(Number)
    expect(pids.map(isRunning)).toEqual([true, true])
    expect(await project.pawl('abort', 'end', '--reason', 'wrong branch')).toMatchObject({ code: 0, stderr: '' })

    expect(await project.over(runner)).toMatchObject({ code: 5, stdout: expect.stringContaining('wrong branch') })
    expect(pids.map(isRunning)).toEqual([false, false])
    expect(await project.of('end', 'work.started')).toHaveLength(1)
  })

  test('RUN-112 an abort also ends an agent whose runner is gone', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; echo $$ >"$NOTES/pid"; wait_for never')
    const runner = project.start(['task', 'x', '--id', 'end', '--agent-command', agent, '--check', 'false'])
    const pid = Number(await project.noted('pid'))
    runner.signal('SIGKILL')
    await runner.finished
    expect(isRunning(pid)).toBe(true)
    expect(await project.pawl('abort', 'end')).toMatchObject({ code: 0 })
    expect(isRunning(pid)).toBe(false)
  })
})

async function personsFiles(project: Awaited<ReturnType<typeof makeProject>>, run: string) {
  const observed = await project.of(run, 'workspace.observed')
  return observed.filter(({ by }) => by.role === 'person').map(({ data }) => data.files.map(({ path }) => path))
}

/** For scripts: calls the command line, and notes under a name what it complained of and its exit code. */
function calling(note: string, call: string): string {
  const pawl = pawlCommand()
    .map((word) => `'${word}'`)
    .join(' ')
  const file = `"$NOTES/${note}.new"`
  return `${pawl} ${call} 2>${file} >/dev/null; echo "$?" >>${file}; mv ${file} "$NOTES/${note}"`
}
