import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeFiles } from '../support/temporary-repository.ts'
import { makeProject, until } from './project.ts'

describe.concurrent('a run that reached a limit', () => {
  test('RUN-114 RUN-115 the maximum ends in a card with rule, evidence, way on, best iteration and options; restore goes to the best and says how to get back', async (context) => {
    const project = await makeProject(context)
    const { agent, check } = await fallingBack(project)
    const { code, stdout } = await project.pawl(
      'task',
      'x',
      '--id',
      'best',
      '--agent-command',
      agent,
      '--check',
      check,
      '-n',
      '2',
    )
    expect(code).toBe(3)
    expect(stdout).toMatch(/^■ best needs your answer · 2\/2 iterations · /m)
    expect(stdout).toMatch(/^ {2}Best {5}pawl restore best 1 {2}\(iteration 1: /m)
    expect(stdout).toMatch(/^ {4}1 {2}Continue, \S.*\(recommended\)\n {4}2 {2}\S.*\n {4}3 {2}\S/m)
    expect(stdout).toMatch(/^ {2}Answer {3}pawl answer best 1 --resume$/m)

    expect(await project.read('a.txt')).toBe('worse\n')
    const restored = await project.pawl('restore', 'best', '--yes')
    expect(restored.code).toBe(0)
    expect(await project.read('a.txt')).toBe('better\n')
    const [, command = ''] = /Get them back: pawl (.+)$/m.exec(restored.stdout) ?? []
    expect(command).toBe('restore best saved-1')
    expect(await project.pawl(...command.split(' '), '--yes')).toMatchObject({ code: 0 })
    expect(await project.read('a.txt')).toBe('worse\n')
  })

  test('RUN-116 an answer with a note, and an answer in free words, reach the agent in its next brief', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      'cat >"$NOTES/brief-$PAWL_ITERATION"; grep -o "word:[a-z]*" "$NOTES/brief-$PAWL_ITERATION" >a.txt',
    )
    const check = await project.script('check.sh', 'grep -q word:serializer a.txt')
    expect(await project.pawl('task', 'x', '--id', 'told', '--agent-command', agent, '--check', check, '-n', '1')).toMatchObject({
      code: 3,
    })
    expect(await project.pawl('answer', 'told', '1', '--note', 'see word:ledger')).toMatchObject({ code: 0 })
    expect(await project.pawl('resume', 'told')).toMatchObject({ code: 3 })
    expect(await project.noted('brief-2')).toContain('# A person said\n- see word:ledger\n')

    expect(await project.pawl('answer', 'told', 'look at word:serializer', '--resume')).toMatchObject({ code: 0 })
    expect(await project.noted('brief-5')).toContain('- see word:ledger\n- look at word:serializer\n')
    expect((await project.of('told', 'run.reconfigured')).map(({ by }) => by.role)).toEqual(['loop', 'loop'])
  })

  test('RUN-117 a used-up budget stops with exit code 4; a higher one on resume is a fact and lets it continue', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      `cat >/dev/null; echo '{"costUsd": 3}' >"$PAWL_REPORT_FILE"; echo "line $PAWL_ITERATION" >>a.txt`,
    )
    const task = [
      'task',
      'two lines',
      '--id',
      'money',
      '--agent-command',
      agent,
      '--check',
      'grep -q "line 2" a.txt',
      '--budget-usd',
      '2',
    ]
    const stopped = await project.pawl(...task)
    expect(stopped.code).toBe(4)
    expect(stopped.stdout).toMatch(/^ {2}The cost budget .*\$3\.00 of \$2\.00/m)
    expect(stopped.stdout).toContain('pawl answer money 1')
    expect((await project.events('money')).at(-1)?.type).toBe('run.stopped')

    expect(await project.pawl('resume', 'money', '--budget-usd', '20')).toMatchObject({ code: 0 })
    const [changed, ...more] = await project.of('money', 'run.reconfigured')
    expect(more).toEqual([])
    expect(changed).toMatchObject({ by: { role: 'runner' }, data: { message: 'Changed: guards.' } })
    expect(changed?.data.config.guards.find(({ name }) => name === 'budget')?.settings).toMatchObject({ costUsdMax: 20 })
  })

  test('RUN-127 what an answer lifted stays lifted when resume changes something else', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; echo "line $PAWL_ITERATION" >>a.txt')
    const task = ['task', 'three lines', '--id', 'lift', '--agent-command', agent, '--check', 'grep -q "line 3" a.txt', '-n', '1']
    expect(await project.pawl(...task)).toMatchObject({ code: 3 })
    expect(await project.pawl('answer', 'lift', '1')).toMatchObject({ code: 0 })
    const resumed = await project.pawl('resume', 'lift', '--timeout', '5m', '--check-timeout', '5m')
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('max 4 iterations') })
    const [changed] = await project.of('lift', 'run.reconfigured')
    expect(changed?.data.config).toMatchObject({
      agent: { settings: { timeoutMs: 300_000 } },
      checks: [{ settings: { timeoutMs: 300_000 } }],
    })
  })

  test.for(['agent', 'check'] as const)(
    'RUN-118 a missing %s program asks at once with the fix, costs no iteration, and continues when fixed',
    async (missing, context) => {
      const project = await makeProject(context)
      const tool = join(project.home, 'tool')
      const agent = await project.script('agent.sh', 'cat >/dev/null; echo good >a.txt')
      const task = [
        'task',
        'good',
        '--id',
        'mend',
        '--agent-command',
        missing === 'agent' ? tool : agent,
        '--check',
        missing === 'check' ? tool : 'grep -q good a.txt',
      ]
      const asked = await project.pawl(...task)
      expect(asked.code).toBe(7)
      expect(asked.stdout).toContain(tool)
      expect(asked.stdout).toContain("This doesn't count as an attempt.")
      expect(asked.stdout).toContain('It is fixed: try again')
      expect(await project.of('mend', 'iteration.ended')).toEqual([])

      await writeFile(
        tool,
        missing === 'agent' ? '#!/bin/sh\ncat >/dev/null\necho good >a.txt\n' : '#!/bin/sh\ngrep -q good a.txt\n',
      )
      await chmod(tool, 0o755)
      expect(await project.pawl('answer', 'mend', '1', '--resume')).toMatchObject({ code: 0 })
      expect((await project.of('mend', 'iteration.ended')).map(({ data }) => data.iteration)).toEqual([1])
    },
  )
})

/** Better in iteration 1, worse in iteration 2. */
async function fallingBack(project: Awaited<ReturnType<typeof makeProject>>) {
  return {
    agent: await project.script(
      'agent.sh',
      'cat >/dev/null; if [ "$PAWL_ITERATION" = 1 ]; then echo better >a.txt; else echo worse >a.txt; fi',
    ),
    check: await project.script(
      'check.sh',
      'echo "TAP version 13"; grep -q better a.txt && echo "ok 1 - one" || echo "not ok 1 - one"; echo "not ok 2 - two"; echo 1..2; exit 1',
    ),
  }
}

describe.concurrent('ceilings over all runs', () => {
  test('LIMIT-7 hold for runs at the same time, are shown, and hold as raised at once', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      'cat >/dev/null; echo "$PAWL_RUN" >"$NOTES/began-$PAWL_RUN"; wait_for go; echo \'{"costUsd":2,"tokens":10}\' >"$PAWL_REPORT_FILE"',
    )
    await project.write('pawl.yaml', 'ceilings: { day_usd: 5 }\n')
    const task = (id: string) => ['task', 'x', '--id', id, '--agent-command', agent, '--check', 'false', '-n', '1', '--worktree']
    const first = project.start(task('first'))
    await project.noted('began-first')
    // Nobody knows yet what this agent costs: all is reserved.
    const second = project.start(task('second'))
    await until('the wait', async () => second.printed().includes('Waiting for another run') || undefined)
    expect((await project.pawl('stats')).stdout).toContain(
      'today, this project: $0.00 of $5.00, $5.00 reserved by work under way',
    )
    await project.note('go', 'go')
    await project.over(first)
    second.signal('SIGINT')
    expect((await project.over(second)).stdout).toContain('first')
    await project.pawl(...task('third'))
    const fourth = await project.pawl(...task('fourth'))
    expect(fourth.code).toBe(3)
    expect(fourth.stdout.replaceAll(/\s+/g, ' ')).toContain('write in pawl.yaml: ceilings: { day_usd: 10 }')
    const doctor = await project.pawl('doctor')
    expect(doctor.stdout).toMatch(/ok +ceilings +today, this project: \$4\.00 of \$5\.00/)

    await project.write('pawl.yaml', 'ceilings: { day_usd: 10 }\n')
    await project.pawl('answer', 'fourth', '1', '--resume')
    expect((await project.of('fourth', 'work.finished')).length).toBe(1)

    await writeFiles(project.home, { '.config/pawl/ceilings.yaml': 'day_tokens: 5\n' })
    await project.pawl(...task('fifth'))
    const sixth = await project.pawl(...task('sixth'))
    expect(sixth.stdout.replaceAll(/\s+/g, ' ')).toContain('The ceiling of 5 tokens a day for your account')
    const { ceilings } = JSON.parse((await project.pawl('stats', '--json')).stdout)
    expect(ceilings).toMatchObject([
      { scope: 'project', limit: 'dayUsd', max: 10, spent: 8, reserved: 0 },
      { scope: 'account', limit: 'dayTokens', max: 5, spent: 10, reserved: 0 },
    ])
  })
})
