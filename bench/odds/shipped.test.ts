import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { baselines } from '../baselines/index.ts'
import { SHIPPED_LOSSES, shippedFigures, shippedLines } from './shipped.ts'

test('ODDS-60 what ships is measured on any folder of recorded loops, by kind and dataset, with every baseline', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-shipped-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const loops = [
    ...[1, 2, 3].map((n) => recorded('mine', `solved-${n}`, [false, false, true])),
    ...[1, 2, 3].map((n) =>
      recorded(
        'other',
        `failed-${n}`,
        Array.from({ length: 8 }, () => false),
      ),
    ),
  ]
  writeFileSync(join(folder, 'mine.jsonl'), loops.map((loop) => JSON.stringify(loop)).join('\n'))

  const figures = await shippedFigures(folder)

  expect(figures.loops).toBe(6)
  expect(figures.parts.map(({ kind, dataset }) => [kind, dataset])).toEqual([
    ['attempts', null],
    ['attempts', 'mine'],
    ['attempts', 'other'],
  ])
  const [all, mine, other] = figures.parts
  expect(all?.counts).toEqual({ loops: 6, tasks: 6, solved: 3, failed: 3 })
  expect(all?.avoidedAt.map(({ lost }) => lost)).toEqual(SHIPPED_LOSSES)
  const names = all?.policies.map(({ policy }) => policy) ?? []
  expect(names).toEqual(expect.arrayContaining([...baselines.map(({ name }) => name), 'pawl defaults', 'pawl all']))
  expect(new Set(names).size).toBe(names.length)
  // Two failures in a row come before each success: that rule loses them all.
  expect(mine?.policies.find(({ policy }) => policy === '2 consecutive failures')?.lost).toBe(1)
  expect(all?.promises.every(({ kept }) => ['yes', 'no', 'not shown'].includes(kept))).toBe(true)
  // Without a success nothing can be lost: what avoids the most of the eight iterations each is best at every loss.
  expect(other?.avoidedAt[0]).toMatchObject({ lost: 0, bestBaseline: 0.75, bestBaselineLost: 0, hull: 0.75 })
  expect(other?.promises.map(({ lost }) => lost)).toEqual(other?.promises.map(() => 0))
  expect(shippedLines(figures).join('\n')).not.toContain('NaN')
  expect(shippedLines(figures)[0]).toBe('attempts, all datasets: 6 loops, 3 solved, 3 failed')
})

function recorded(dataset: string, task: string, passes: readonly boolean[]): object {
  const solvedAt = passes.indexOf(true) + 1
  return {
    dataset,
    id: task,
    task,
    config: 'a',
    model: null,
    agent: 'a',
    kind: 'attempts',
    max_iterations: 8,
    outcome: solvedAt > 0 ? 'solved' : 'failed',
    solved_at: solvedAt > 0 ? solvedAt : null,
    exit: null,
    iterations: passes.map((passed, index) => ({
      n: index + 1,
      passed,
      score: passed ? 1 : 0,
      error: passed ? null : 'AssertionError: expected 1, got 2',
      action: null,
      solution: `attempt ${index}`,
      tokens: null,
      cost: null,
    })),
  }
}
