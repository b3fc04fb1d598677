import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ELSEWHERE_ONCE, pidsElsewhere } from './elsewhere.ts'
import { isRunning, makeProject, until } from './project.ts'

describe.concurrent('a runner that is interrupted', () => {
  test.for(['SIGINT', 'SIGTERM', 'SIGQUIT'] as const)(
    'RUN-106 %s pauses the run with exit code 130, ends the agent and all it started, and resume continues',
    async (signal, context) => {
      const project = await makeProject(context)
      const agent = await project.script('agent.sh', HANGING_ONCE)
      const runner = project.start(['task', 'good', '--id', 'pause', '--agent-command', agent, '--check', 'grep -q good a.txt'])
      const pids = (await project.noted('pids')).split(' ').map(Number)
      runner.signal(signal)
      const { code, stdout, stderr } = await project.over(runner)
      expect(code).toBe(130)
      expect(stderr).toContain('Press Ctrl-C again to leave at once')
      expect(stdout).toContain('pawl resume pause')
      expect(pids.map(isRunning)).toEqual([false, false])
      expect((await project.events('pause')).at(-1)?.type).toBe('run.paused')

      expect(await project.pawl('resume', 'pause')).toMatchObject({ code: 0 })
      expect((await project.of('pause', 'iteration.started')).map(({ data }) => data.iteration)).toEqual([1])
      expect((await project.of('pause', 'work.started')).map(({ data }) => data.key)).toEqual(['1/coder/0', '1/coder/0'])
    },
  )

  test.runIf(process.platform === 'linux')(
    'RUN-309 Ctrl-C also ends what the agent put into another process group or session, so that nothing of it is taken for a person’s',
    async (context) => {
      const project = await makeProject(context)
      const agent = await project.script('agent.sh', ELSEWHERE_ONCE)
      const runner = project.start(['task', 'good', '--id', 'far', '--agent-command', agent, '--check', 'grep -q good a.txt'])
      const pids = await pidsElsewhere(project)
      runner.signal('SIGINT')
      expect(await project.over(runner)).toMatchObject({ code: 130 })
      expect(pids.map(isRunning)).toEqual([false, false])

      expect(await project.pawl('resume', 'far')).toMatchObject({ code: 0 })
      expect((await project.events('far')).filter(({ by }) => by.role === 'person')).toEqual([])
    },
  )

  test('RUN-107 a second Ctrl-C leaves at once, even while an agent refuses to end; resume ends that agent first', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', `trap '' TERM INT\n${HANGING_ONCE}`)
    const runner = project.start(['task', 'good', '--id', 'leave', '--agent-command', agent, '--check', 'grep -q good a.txt'])
    const [leader = 0] = (await project.noted('pids')).split(' ').map(Number)
    runner.signal('SIGINT')
    await until('the word that it is pausing', () => (runner.printed().includes('Pausing') ? true : undefined))
    await sleep(REPEATED_WITHIN_MS + 100)
    runner.signal('SIGINT')
    expect(await project.over(runner)).toMatchObject({ code: 130 })
    expect(isRunning(leader)).toBe(true)
    expect((await project.events('leave')).map(({ type }) => type)).not.toContain('run.paused')

    expect(await project.pawl('resume', 'leave')).toMatchObject({ code: 0 })
    expect(isRunning(leader)).toBe(false)
    expect((await project.of('leave', 'work.abandoned')).map(({ data }) => data.key)).toEqual(['1/coder/0'])
  })

  test.for([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGTERM'],
  ] as const)(
    'RUN-307 %s and, within a moment, %s again is one wish: the run pauses, and no agent is left behind',
    async ([first, second], context) => {
      const project = await makeProject(context)
      // It takes a while to end: what ends Pawl at once would leave it behind.
      const agent = await project.script('agent.sh', `trap '' TERM INT\n${HANGING_ONCE}`)
      const runner = project.start(['task', 'good', '--id', 'twice', '--agent-command', agent, '--check', 'grep -q good a.txt'])
      const pids = (await project.noted('pids')).split(' ').map(Number)
      runner.signal(first)
      // Told apart from the first by the system: two that are pending together are one.
      await until('the word that it is pausing', () => (runner.printed().includes('Pausing') ? true : undefined))
      runner.signal(second)
      const { code, stdout } = await project.over(runner)
      expect(code).toBe(130)
      expect(stdout).toContain('pawl resume twice')
      expect(pids.map(isRunning)).toEqual([false, false])
      expect((await project.events('twice')).at(-1)?.type).toBe('run.paused')
    },
  )

  test('RUN-135 a terminal that is closed, which may be said twice, pauses the run and leaves no agent behind', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', `trap '' TERM HUP\n${HANGING_ONCE}`)
    const runner = project.start(['task', 'good', '--id', 'closed', '--agent-command', agent, '--check', 'grep -q good a.txt'])
    const pids = (await project.noted('pids')).split(' ').map(Number)
    runner.signal('SIGHUP')
    await until('the word that it is pausing', () => (runner.printed().includes('Pausing') ? true : undefined))
    runner.signal('SIGHUP')
    expect(await project.over(runner)).toMatchObject({ code: 130 })
    expect(pids.map(isRunning)).toEqual([false, false])
    expect((await project.events('closed')).at(-1)?.type).toBe('run.paused')
  })
})

/** For so long after the first signal another one says nothing new. */
const REPEATED_WITHIN_MS = 1000

/** Hangs the first time, with its own child beside it; does the work the second time. */
const HANGING_ONCE = `
cat >/dev/null
if [ -e "$NOTES/pids" ]; then echo good >a.txt; exit 0; fi
echo half >a.txt
sleep 60 &
echo "$$ $!" >"$NOTES/pids.new"
mv "$NOTES/pids.new" "$NOTES/pids"
wait_for never
`
