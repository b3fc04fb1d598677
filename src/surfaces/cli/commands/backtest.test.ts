import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReplayableLoop } from '../../../core/backtest/replayable-loop.ts'
import { testProject, type TestProject } from '../../../testing/cli-project.ts'
import { givenLoop } from '../../../testing/given-loop.ts'
import { loopsFrom, nothingSkipped } from '../backtest/loops-from.ts'
import { textWidth } from '../views/text-layout.ts'
import { importRuns } from './import.ts'
import { backtest, type BacktestDocument, type BacktestOptions } from './backtest.ts'

let project: TestProject
let recorded: string
let policy: string

const no = { passed: false, error: 'no' }

beforeAll(async () => {
  project = testProject()
  await project.seed({ run: 'good', failing: [3, 1, 0] })
  await project.seed({ run: 'stuck', failing: [3, 3, 3, 3], answers: [{ choice: 'abort' }] })
  recorded = join(project.root, 'recorded.jsonl')
  const loops = [
    givenLoop([no, no, no, no], { id: 'a' }),
    givenLoop([no, no, no, no], { id: 'same' }),
    givenLoop([no, no, { passed: true }], { id: 'b', outcome: 'solved', solved_at: 3 }),
    givenLoop([no, no], { id: 'c', kind: 'turns' }),
  ]
  const gap = { ...givenLoop([no]), iterations: [{ n: 2 }] }
  writeFileSync(recorded, [...loops, gap].map((loop) => JSON.stringify(loop)).join('\n') + '\n{"half":\n')
  policy = join(project.root, 'twice.yaml')
  writeFileSync(policy, 'name: twice & more\nguards:\n  same_failure: { repeats_min: 2, severity: trip }\n')
})
afterAll(() => project.remove())

async function documentOf(sources: readonly string[], options: BacktestOptions = {}): Promise<BacktestDocument> {
  const look = project.look({ json: true })
  expect(await backtest(look, sources, options)).toBe(0)
  expect(look.documents).toHaveLength(1)
  return look.documents[0] as BacktestDocument
}

async function loopsIn(root: string): Promise<readonly ReplayableLoop[]> {
  const loops: ReplayableLoop[] = []
  for await (const loop of loopsFrom(root, nothingSkipped())) loops.push(loop)
  return loops.toSorted((one, other) => one.kind.localeCompare(other.kind) || other.iterations.length - one.iterations.length)
}

describe('pawl backtest', () => {
  it('BACK-30 prints one JSON document: per policy, dataset and kind what is avoided and lost, intervals and counts', async () => {
    const { results, policies, loops } = await documentOf([recorded], { policy: [policy, 'defaults'] })
    expect(loops).toBe(4)
    expect(policies.map(({ name }) => name)).toEqual(['twice & more', 'defaults'])
    expect(results[0]).toMatchObject({
      policy: 'twice & more',
      dataset: 'given',
      kind: 'attempts',
      avoided: 0.5,
      lost: 1,
      avoidedInterval: [0.5, 0.5],
      lostInterval: null,
      counts: { loops: 3, successesLost: 1, iterationsAvoided: 4 },
      guards: [{ guard: 'sameFailure', byIteration: { 2: 3 } }],
    })
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['attempts', 'turns']))
  })

  it('BACK-31 a malformed line and a loop with gaps are told with file and line, skipped and counted', async () => {
    const { skipped } = await documentOf([recorded])
    expect(skipped).toMatchObject({ malformed: 1, gaps: 1, damaged: 0 })
    expect(skipped.problems).toEqual([
      `${recorded}:5: its iterations are not numbered one by one: 2 stands where 1 should`,
      expect.stringMatching(/recorded\.jsonl:6: it is no JSON/) as string,
    ])
    const look = project.look({ columns: 100 })
    await backtest(look, [recorded])
    const text = look.out.join('\n')
    expect(text).toContain('1 line skipped that could not be read as a loop.')
    expect(text).toContain('1 loop refused whose iterations are not numbered one by one.')
  })

  it('BACK-32 prints a table a kind and dataset that fits the screen', async () => {
    const look = project.look({ columns: 100 })
    await backtest(look, [recorded], { policy: [policy] })
    expect(look.out[0]).toBe('attempts, given: 3 loops at 3 tasks, 1 solved, 2 failed')
    expect(look.out[2]).toMatch(/^twice & more +50\.0% +\[50\.0, 50\.0\] +100\.0% +sameFailure 3$/)
    expect(look.out.slice(0, 3).filter((line) => textWidth(line) > 100)).toEqual([])
  })

  it("BACK-33 without a source this project's own runs are tried, and so are those of a named project", async () => {
    const own = await documentOf([])
    expect(own.results[0]).toMatchObject({ dataset: 'pawl task', kind: 'attempts', counts: { loops: 2, solved: 1, failed: 1 } })
    expect((await documentOf([project.root])).results).toEqual(own.results)
    expect((await documentOf([project.storePath])).results).toEqual(own.results)
  })

  it('BACK-34 an empty source, an unknown kind and a missing place are errors that say what to do', async () => {
    const path = (name: string, text: string): string => {
      writeFileSync(join(project.root, name), text)
      return join(project.root, name)
    }
    const look = project.look()
    await expect(backtest(look, [path('empty.jsonl', '\n')])).rejects.toMatchObject({ code: 'recording.empty' })
    await expect(backtest(look, [path('bad.jsonl', '1\n')])).rejects.toThrow(/could be used; first: .*bad\.jsonl:1/)
    const strange = JSON.stringify({ ...givenLoop([no]), kind: 'epochs' })
    await expect(backtest(look, [path('kind.jsonl', strange)])).rejects.toThrow(/kind\.jsonl:1: the kind "epochs" is none of/)
    await expect(backtest(look, [join(project.root, 'nowhere')])).rejects.toMatchObject({ code: 'recording.missing' })
    await expect(backtest(look, [recorded], { policy: ['nowhere.yaml'] })).rejects.toMatchObject({ code: 'usage.no-policy' })
    await expect(backtest(look, [recorded], { policy: [policy, policy] })).rejects.toMatchObject({ code: 'usage.policy-twice' })
    const empty = testProject()
    await expect(backtest(empty.look(), [])).rejects.toThrow(/There are no runs yet in .*: name files of recorded loops/)
    expect(existsSync(join(empty.root, '.pawl'))).toBe(false)
    await empty.remove()
  })

  it('BACK-35 writes one page with nothing to load: the frontier as a chart and every table; over a file only when told to', async () => {
    const html = join(project.root, 'report.html')
    await documentOf([recorded], { policy: [policy, 'all'], html })
    const page = readFileSync(html, 'utf8')
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).not.toMatch(/<script|https?:|src=|href=|@import|url\(/)
    expect(page.match(/<svg /g)).toHaveLength(1)
    expect(page).toContain('<polyline class="hull"')
    expect([...page.matchAll(/<text class="label"[^>]*>([^<]*)</g)].map(([, words]) => words)).toEqual([
      'twice &amp; more',
      'all',
    ])
    expect(page).toContain('<td>twice &amp; more</td><td>50.0% <small>[50.0, 50.0]</small></td>')
    expect(page).toContain('There is no chart: it takes loops that failed and loops that were solved.')
    expect(page).toContain('sameFailure 3 <small>(2: 3)</small>')
    await expect(documentOf([recorded], { html })).rejects.toMatchObject({ code: 'usage.file-exists' })
    await documentOf([recorded], { html, force: true })
  })

  it('BACK-40 sessions that were imported are loops of the kind turns, solved at the turn from which on their tests passed', async () => {
    const imports = testProject()
    const folder = join(import.meta.dirname, '..', '..', '..', 'drivers', 'transcripts', 'fixtures')
    const failed = join(imports.root, 'failed.jsonl')
    // The same session, cut before the turn in which its tests passed at last.
    const lines = readFileSync(join(folder, 'codex.jsonl'), 'utf8').split('\n')
    writeFileSync(
      failed,
      lines
        .slice(
          0,
          lines.findIndex((line) => line.includes('"call_9"')),
        )
        .join('\n'),
    )
    await importRuns(imports.look({ json: true }), 'claude', [join(folder, 'claude.jsonl')], {})
    await importRuns(imports.look({ json: true }), 'codex', [failed], {})
    await imports.seed({ run: 'ours', failing: [3, 1, 0] })
    const look = imports.look({ json: true })
    await backtest(look, [imports.root], { policy: ['defaults'] })
    const { results } = look.documents[0] as BacktestDocument
    expect(results.map(({ dataset, kind, counts }) => [dataset, kind, counts.solved, counts.failed])).toEqual([
      ['pawl task', 'attempts', 1, 0],
      ['pawl imported', 'turns', 1, 1],
    ])
    const loops = await loopsIn(imports.root)
    expect(loops.map(({ kind, outcome, solvedAt, iterations }) => [kind, outcome, solvedAt, iterations.length])).toEqual([
      ['attempts', 'solved', 2, 2],
      ['turns', 'solved', 9, 10],
      ['turns', 'failed', undefined, 8],
    ])
    await imports.remove()
  })
})
