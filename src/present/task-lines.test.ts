import { describe, expect, it } from 'vitest'
import { evolveAll } from '../core/evolve.ts'
import { plainScreen, playedRun, STARTED_AT } from '../../test/support/view-fixture.ts'
import { runLines } from './run-lines.ts'
import { runReport } from './run-report.ts'
import { runRow } from './run-row.ts'
import { runTable } from './run-table.ts'
import { runView } from './run-view.ts'
import { taskLines } from './task-lines.ts'
import type { TaskView } from './task-view.ts'
import { textWidth } from './text-layout.ts'

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
