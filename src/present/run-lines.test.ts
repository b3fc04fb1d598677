import { describe, expect, it } from 'vitest'
import { budget, circuitBreaker, maxIterations, worthContinuing } from '../guards/index.ts'
import { plainScreen, playedRun, STARTED_AT } from '../../test/support/view-fixture.ts'
import { runLines, taskLines } from './run-lines.ts'
import { runView } from './run-view.ts'
import { runFold, type TaskView } from './run-fold.ts'
import { rulesAndGrounds } from './progress.ts'
import type { Question } from '../core/question.ts'
import { textWidth } from './layout.ts'
import { evolveAll } from '../loops/evolve.ts'
import { runReport } from './run-report.ts'
import { runRow, runTable } from './run-table.ts'

const NOW = STARTED_AT + 600_000

function oddsIn(failing: readonly number[]): string | undefined {
  const events = playedRun({ failing, guards: [maxIterations(8), circuitBreaker({ failuresMax: 3 })] })
  return runLines(runView(events), plainScreen(), NOW).find((line) => line.startsWith('Odds'))
}

describe('a run on one screen', () => {
  it('CLI-220 says the status with the command to type, why, with numbers and facts, and what it is made of', () => {
    const text = runLines(runView(playedRun({ failing: [3, 1, 2, 2] })), plainScreen(), NOW).join('\n')
    expect(text).toContain('fix-login  escalated - pawl answer fix-login')
    expect(text).toContain('Goal        Login returns a numeric userId')
    expect(text).toMatch(/Decision {4}escalate, after iteration 3 \(event \d+, on events \d+ and \d+\)/)
    expect(text).toMatch(/Evidence {4}iterations 3, iterationsMax 3; event \d+/)
    expect(text).toContain('To continue A maximum of 6 would let it continue.')
    expect(text).toContain('Checks      tests: npm test')
    expect(text).toContain('Driven by   nobody now')
  })

  it('CLI-220 has a table of iterations with the best one marked, and the command that restores it', () => {
    const lines = runLines(runView(playedRun({ failing: [3, 1, 2, 2] })), plainScreen(), NOW)
    expect(lines.find((line) => line.startsWith('  *1'))).toMatch(
      /^ {2}\*1 {2}failed +3 → 1 {6}2 +3\.0s {2}\$0\.05 {5}500 {2}Change 1\.$/,
    )
    expect(lines.join('\n')).toContain('iteration 1: 1 failure; get it with pawl restore fix-login 1')
  })

  it('CLI-220 shows the question with numbered options and the exact command to answer', () => {
    const text = runLines(runView(playedRun({ failing: [3, 1, 2, 2] })), plainScreen(), NOW).join('\n')
    expect(text).toContain('  1  Continue, with up to 6 iterations (recommended)')
    expect(text).toContain('  3  End the run (files stay as they are)')
    expect(text).toContain('Answer      pawl answer fix-login 1')
  })

  it('ODDS-11 tells the chance to succeed from here; a run that is over has none', () => {
    expect(oddsIn([3, 3, 3, 3])).toMatch(/^Odds {8}(?:under 1|~\d+)%: \d+ of \d+ comparable recorded cases succeeded$/)
    expect(oddsIn([3, 0])).toBeUndefined()
  })

  it('CLI-517 shows evidence in words, without settings that are data, and a question on the spot shows only what the guard says', () => {
    const own = { attempts: { loops: 3, shift: 0.1 } }
    const events = playedRun({ failing: [3, 1, 2, 2], guards: [maxIterations(3), worthContinuing({ own })] })
    const text = runLines(runView(events), plainScreen(), NOW).join('\n')
    expect(text).toContain('worthContinuing(')
    expect(text).not.toContain('{"')
    const run = runFold(events)
    const asked = run.state?.question?.question
    const lines = rulesAndGrounds(asked as Question, run, plainScreen())
    expect(lines).toContain('Guard       maxIterations: 3 iterations done, and the maximum is 3.')
    expect(lines.join('\n')).not.toContain('Evidence')
  })

  it('CLI-220 shows what people did and said', () => {
    const view = runView(playedRun({ failing: [3, 2, 2, 2, 0], answers: [{ choice: '1', note: 'It is an integer.' }] }))
    expect(runLines(view, plainScreen(200), NOW).join('\n')).toMatch(
      /ada answered: Continue, .*: "It is an integer\." \(event \d+\)/,
    )
  })

  it('CLI-220 names who drives it, and a run that nobody drives is idle with the command to continue', () => {
    const view = runView(playedRun({ failing: [3, 2], factsMax: 4 }))
    expect(runLines(view, plainScreen(), NOW)[0]).toBe('fix-login  idle - pawl resume fix-login')
    const held = runLines({ ...view, holder: { pid: 42, startedAt: 'x', host: 'box', isSeen: true } }, plainScreen(), NOW)
    expect(held[0]).toBe('fix-login  running')
    expect(held).toContain('Driven by   process 42 on box')
  })

  it('CLI-220 what has begun and not ended is under way, or was cut short if nobody drives', () => {
    const whole = playedRun({ failing: [3, 2] })
    const view = runView(whole.slice(0, whole.findIndex((event) => event.type === 'work.started') + 1))
    const lines = runLines(view, plainScreen(), view.updatedAt + 20_000)
    expect(lines.slice(-2)).toEqual(['Cut short', '  work 1/coder/0 for 20s'])
    const holder = { pid: 42, startedAt: 'x', host: 'box', isSeen: true }
    expect(runLines({ ...view, holder }, plainScreen(), NOW)).toContain('Under way')
  })

  it('CLI-225 says model, session and permission mode if known, and the tokens of each iteration', () => {
    const known = playedRun({ failing: [3, 1, 0] }).map((event) => {
      if (event.type === 'run.started') {
        const agent = { name: 'codex', v: 1, settings: { permissionMode: 'full' } }
        return { ...event, data: { config: { ...event.data.config, agent } } }
      }
      if (event.type !== 'work.finished') return event
      return { ...event, by: { ...event.by, model: 'gpt-5' }, data: { ...event.data, session: `thread-${event.data.key[0]}` } }
    })
    const view = runView(known)
    expect(view.config).toMatchObject({ agent: 'codex (permission mode full)', permissionMode: 'full' })
    expect(view.workers).toEqual([{ agent: 'claude', model: 'gpt-5', session: 'thread-2', since: 1, iterations: 2 }])
    expect(view.iterations.map(({ workers, tokens }) => [workers, tokens])).toEqual([
      [[{ agent: 'claude', model: 'gpt-5', session: 'thread-1' }], 500],
      [[{ agent: 'claude', model: 'gpt-5', session: 'thread-2' }], 500],
    ])
    const lines = runLines(view, plainScreen(), NOW)
    expect(lines).toContain('Model       gpt-5')
    expect(lines).toContain('Session     thread-2 of claude')
    expect(lines).toContain('Agent       codex (permission mode full)')
    expect(lines.find((line) => line.includes('the agent said'))).toMatch(/cost {2}tokens {2}the agent said$/)
    const unknown = runLines(runView(playedRun({ failing: [3, 1, 0] })), plainScreen(), NOW).join('\n')
    expect(unknown).not.toMatch(/^(?:Model|Session|Worked|Fallback) /m)
  })

  it('CLI-225 if there is no room, tokens and then agents are left out, and no line is too wide', () => {
    const names = ['one-rather-long-name', 'another-rather-long-name']
    const long = playedRun({ failing: [3, 2, 1, 0], tasks: ['A goal with quite a few words'], said: 'x'.repeat(90) }).map(
      (event) => (event.type === 'work.finished' ? { ...event, by: { ...event.by, name: names[event.seq % 2] ?? '' } } : event),
    )
    const tableOf = (columns: number) =>
      runLines(runView(long), plainScreen(columns), NOW).filter((line) => /^ {2}(?:task|a goal)/.test(line))
    expect(tableOf(120)[0]).toMatch(/agent .* tokens/)
    expect(tableOf(80)[0]).not.toMatch(/agent {2}|tokens/)
    for (const columns of [80, 120]) for (const line of tableOf(columns)) expect(textWidth(line)).toBeLessThanOrEqual(columns)
  })

  it('CLI-409 a table without bounds has all columns and all that was said, beside sentences of 80 columns', () => {
    const said = 'word '.repeat(18).trim()
    const view = runView(playedRun({ failing: [3, 2, 2, 2], said, goal: 'Every word of it '.repeat(12) }))
    const [bound, free] = [plainScreen(80), { ...plainScreen(80), tableColumns: Infinity }].map((screen) =>
      runLines(view, screen, NOW),
    ) as [string[], string[]]
    expect(bound.some((line) => line.endsWith(said))).toBe(false)
    expect(free.filter((line) => line.endsWith(said))).toHaveLength(3)
    expect(free.slice(0, 4)).toEqual(bound.slice(0, 4))
  })

  it('CLI-226 agents that took turns often are listed with their counts of iterations', () => {
    const guards = [maxIterations(20)]
    const turns = playedRun({ failing: [3, 3, 3, 3, 3, 3, 0], guards }).map((event) => {
      const isOdd = 'key' in event.data && Number(String(event.data.key).split('/')[0]) % 2 === 1
      return event.by.role === 'agent' ? { ...event, by: { ...event.by, name: isOdd ? 'codex' : 'gemini' } } : event
    })
    const lines = runLines(runView(turns), plainScreen(), NOW)
    expect(lines).toContain('Worked      codex (3 iterations), gemini (3 iterations), in 6 turns')
  })

  it('CLI-221 shows the first few and the last 20 of the iterations of a long run and says how many are left out', () => {
    const guards = [maxIterations(2000), budget({ costUsdMax: 10_000 })]
    const view = runView(playedRun({ guards, failing: Array.from({ length: 2001 }, (_, index) => 1 + (index % 5)) }))
    expect(view.iterations).toHaveLength(2000)
    const lines = runLines(view, plainScreen(), NOW)
    expect(lines.filter((line) => /^ +\*?\d+ {2}failed/.test(line))).toHaveLength(23)
    expect(lines).toContain('  … 1,977 iterations left out; --json has them all')
    expect(lines.length).toBeLessThan(80)
  })

  it('CLI-222 stays within 80 columns but for commands to copy, whatever the agent said', () => {
    const said = 'I did \u001B[31ma lot\u001B[0m: 登录 '.repeat(20)
    const lines = runLines(
      runView(playedRun({ failing: [3, 2, 2, 2], said, goal: 'Every word of it '.repeat(12) })),
      plainScreen(80),
      NOW,
    )
    expect(lines.filter((line) => textWidth(line) > 80 && !line.includes('pawl '))).toEqual([])
    expect(lines.join('\n')).not.toContain('\u001B')
  })
})

/** Two of three tasks: the first took two attempts, the second is stuck after three. */
const EVENTS = playedRun({ goal: 'The tasks of todo.md', tasks: ['Login', 'Logout', 'Reset'], failing: [2, 1, 0, 1, 1, 1] })

describe('tasks', () => {
  it('CLI-332 a view has each task with its status and attempts, and each iteration its task and attempt', () => {
    const view = runView(EVENTS)
    expect(view.tasks?.map(({ number, id, status, attempts }) => [number, id, status, attempts])).toEqual([
      [1, 'login', 'done', 2],
      [2, 'logout', 'under way', 3],
      [3, 'reset', 'open', 0],
    ])
    expect(view.iterations.map(({ task, attempt }) => [task, attempt])).toEqual([
      ['login', 1],
      ['login', 2],
      ['logout', 1],
      ['logout', 2],
      ['logout', 3],
    ])
    expect(runView(playedRun({ failing: [1, 0] })).tasks).toBeUndefined()
  })

  it('CLI-333 show says which task is under way, lists them all, and names the task of each iteration', () => {
    const text = runLines(runView(EVENTS), plainScreen(), STARTED_AT)
    expect(text).toContain('Task        2, logout (1 of 3 tasks done)')
    expect(text).toContain('  1  done       2 attempts   login   Login')
    expect(text).toContain('  2  under way  3 attempts   logout  Logout')
    expect(text).toContain('  3  open                    reset   Reset')
    expect(text.find((line) => line.includes('logout (3)'))).toMatch(/^ {2}logout \(3\) {2} *5 {2}failed/)
  })

  it('CLI-333 of many tasks those around the one under way are shown, within the width of the screen', () => {
    const tasks = Array.from({ length: 100 }, (_, index): TaskView => {
      const status = index < 50 ? 'done' : index === 50 ? 'under way' : 'open'
      return { number: index + 1, id: `task-${index + 1}`, goal: 'words '.repeat(30), status, attempts: index < 50 ? 12 : 0 }
    })
    const lines = taskLines(tasks, plainScreen())
    expect(lines).toHaveLength(22)
    expect(lines[0]).toBe('  … 45 more before these; --json has them all')
    expect(lines.at(-1)).toBe('  … 35 more after these; --json has them all')
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(80)
  })

  it('CLI-334 ls says how many tasks are done, and so does its JSON', () => {
    const state = evolveAll(undefined, EVENTS)
    if (!state) throw new Error('There is no state.')
    const row = runRow(state, false, STARTED_AT)
    expect(row).toMatchObject({ tasks: 3, tasksDone: 1 })
    expect(runTable([row], plainScreen(120), STARTED_AT)[1]).toContain('[1/3] The tasks of todo.md')
  })

  it('CLI-335 a question shows what each option leads to and what fails, in show and in a report', () => {
    const events = EVENTS.map((event) =>
      event.type === 'escalation.raised'
        ? {
            ...event,
            data: {
              ...event.data,
              question: {
                ...event.data.question,
                feedback: ['login > id: wrong (iteration 1)', 'login > name: gone (iteration 2)'],
              },
            },
          }
        : event,
    )
    const view = runView(events)
    const lines = runLines(view, plainScreen(), STARTED_AT)
    const told = lines.join(' ').replaceAll(/\s+/g, ' ')
    const report = runReport(view)
    expect(view.question?.options.map((option) => option.then?.length ?? 0)).not.toContain(0)
    for (const option of view.question?.options ?? []) {
      expect(told).toContain(`${option.label}${option.recommended ? ' (recommended)' : ''} ${option.then}`)
      expect(report).toContain(`${option.label}${option.recommended ? ' (recommended)' : ''}: `)
    }
    expect(lines).toContain('Fails       login > id: wrong (iteration 1)')
    expect(lines).toContain('            login > name: gone (iteration 2)')
    expect(report).toContain(String.raw`- login \> name: gone (iteration 2)`)
    expect(report).toContain('2. **logout** (under way, 3 attempts): Logout')
  })
})
