import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ELSEWHERE_ONCE, pidsElsewhere } from './elsewhere.ts'
import { isRunning, makeProject, type Project, until } from './project.ts'
import type { PawlProcess } from './pawl-process.ts'

describe.concurrent('what an agent or a check may cost', () => {
  test('RUN-119 an agent that prints a gigabyte, binary junk or nothing costs little memory and little room, and the log says what was cut', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      `cat >/dev/null; echo "line $PAWL_ITERATION" >>a.txt
      case $PAWL_ITERATION in
        1) yes "a line of output that goes on and on" | head -c 1000000000 ;;
        2) head -c 5000000 /dev/urandom ;;
      esac`,
    )
    const runner = project.start(['task', 'x', '--id', 'loud', '--agent-command', agent, '--check', 'grep -q "line 3" a.txt'])
    const peak = await memoryPeak(runner)
    expect(await project.over(runner)).toMatchObject({ code: 0 })
    expect(peak ?? 0).toBeLessThan(300_000_000)
    expect(statSync(project.storePath).size).toBeLessThan(4_000_000)
    const log = (await project.pawl('log', 'loud', '--type', 'work.finished', '--json')).stdout.trimEnd().split('\n')
    const outputs = log.map((line) => JSON.parse(line).data.output)
    expect(outputs.map((output) => output?.bytesCut)).toEqual([expect.any(Number), expect.any(Number), undefined])
    expect(outputs[0].bytes + outputs[0].bytesCut).toBeGreaterThanOrEqual(1_000_000_000)
    expect(outputs[1].bytesCut).toBeGreaterThan(4_000_000)
    expect(outputs[2]).toBeUndefined()
    expect(await project.isWhole('loud')).toBe(true)
  })

  test('RUN-120 an agent that hangs is ended with all it started, the checks still run, and it counts as an attempt', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', `echo half >a.txt; ${NOTE_PIDS}; wait_for never`)
    const runner = await project.pawl(
      'task',
      'x',
      '--id',
      'hang',
      '--agent-command',
      agent,
      '--check',
      'grep -q good a.txt',
      '-n',
      '1',
      '--timeout',
      '2s',
    )
    expect(runner.code).toBe(3)
    expect(await survivors(project)).toEqual([])
    const [failed] = await project.of('hang', 'work.failed')
    expect(failed?.data).toMatchObject({
      reason: 'timed-out',
      fault: 'agent',
      message: expect.stringContaining('was not done within 2 s and was ended'),
    })
    expect((await project.of('hang', 'check.failed')).map(({ data }) => data.key)).toEqual(['0/check/0', '1/check/0'])
    expect((await project.of('hang', 'iteration.ended')).map(({ data }) => [data.iteration, data.filesChanged])).toEqual([[1, 1]])
  })

  test('DRIVE-60 progress, card, show and log say that the run’s time ended the work, and don’t call it a failure of the agent', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'echo thinking; wait_for never')
    const words = ['--agent-command', agent, '--check', 'false', '--budget-time', '6s', '--no-ask']
    const runner = await project.pawl('task', 'x', '--id', 'late', ...words)
    expect(runner.code).toBe(4)
    const told = (await Promise.all([project.pawl('show', 'late'), project.pawl('log', 'late')])).map(({ stdout }) => stdout)
    for (const text of [runner.stderr + runner.stdout, ...told].map((each) => each.replaceAll(/\s+/g, ' '))) {
      expect(text).toMatch(/No more time was left for sh: it was ended after [\d.]+ m?s of work\. It last said: thinking/)
      expect(text).toContain('The time budget is used up')
      expect(text).not.toMatch(/timed.out|not done within|agent (?:itself )?failed/)
    }
  })

  test.runIf(process.platform === 'linux')(
    'RUN-309 at its time limit an agent is ended with what it put into another process group or session',
    async (context) => {
      const project = await makeProject(context)
      const agent = await project.script('agent.sh', ELSEWHERE_ONCE)
      const task = ['task', 'x', '--id', 'far', '--agent-command', agent, '--check', 'grep -q good a.txt', '-n', '1']
      expect(await project.pawl(...task, '--timeout', '2s')).toMatchObject({ code: 3 })
      expect((await pidsElsewhere(project)).map(isRunning)).toEqual([false, false])
    },
  )

  test('RUN-121 a check that hangs is ended with all it started, and has failed', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; echo good >a.txt')
    const check = await project.script('check.sh', `grep -q good a.txt || exit 1; ${NOTE_PIDS}; wait_for never`)
    const runner = await project.pawl(
      'task',
      'x',
      '--id',
      'hang',
      '--agent-command',
      agent,
      '--check',
      check,
      '-n',
      '1',
      '--check-timeout',
      '2s',
    )
    expect(runner.code).toBe(3)
    expect(await survivors(project)).toEqual([])
    const failed = await project.of('hang', 'check.failed')
    expect(failed.at(-1)?.data.failures).toMatchObject([
      { kind: 'timeout', message: expect.stringContaining('Not done within 2 s.') },
    ])
  })
})

const NOTE_PIDS = 'sleep 60 & echo "$$ $!" >"$NOTES/pids"'

async function survivors(project: Project): Promise<readonly number[]> {
  const pids = (await project.noted('pids')).split(' ').map(Number)
  expect(pids).toHaveLength(2)
  return pids.filter(isRunning)
}

/** The most memory a process ever had, as the system last said before it ended; nothing if the system does not say. */
async function memoryPeak(runner: PawlProcess): Promise<number | undefined> {
  let peak: number | undefined
  await until('the end of the runner', () => {
    const status = runner.isOver() ? '' : readStatus(runner.pid)
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? []
    if (kilobytes !== undefined) peak = Number(kilobytes) * 1024
    return runner.isOver() ? true : undefined
  })
  return peak
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
