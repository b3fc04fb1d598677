import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { Event } from '../../../core/event.ts'
import { commandCheck } from '../../../checks/command-check.ts'
import { folderWorkspace } from '../../../workspaces/folder-workspace.ts'
import { taskLoop } from '../../../loops/task/index.ts'
import type { Agent } from '../../../agents/agent.ts'
import { currentProcessIdentity } from '../../../process/process-identity.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { createLoop } from '../../library/create-loop.ts'
import { playedRun } from '../../../../test/support/view-fixture.ts'
import { runView } from '../../../present/run-view.ts'
import { openStore } from '../../../registry/open-store.ts'
import { EXIT } from '../exit-codes.ts'
import { ls } from './ls.ts'
import { show } from './show.ts'
import { stats } from './stats.ts'
import { task } from './task.ts'

/** Drives a run whose agent reports so in iterations 1 and 2, and gives what the commands print of it. */
async function reporting(first: string, second: string) {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const script = `cat > /dev/null; echo "line $PAWL_ITERATION" >> work.txt; [ "$PAWL_ITERATION" = 1 ] && echo '${first}' > "$PAWL_REPORT_FILE" || echo '${second}' > "$PAWL_REPORT_FILE"`
  const agentCommand = `sh -c "${script.replaceAll(/["$]/g, String.raw`\$&`)}"`
  const flags = { agentCommand, check: ['grep -q "line 2" work.txt'], ask: false }
  const text = project.look()
  expect(await task(text, { ...flags, id: 'text' }, ['two lines'])).toBe(EXIT.done)
  const [listed, shown, counted] = [project.look({ json: true }), project.look({ json: true }), project.look({ json: true })]
  const [table, page, sums] = [project.look(), project.look(), project.look()]
  await ls(listed)
  await show(shown, 'text')
  await stats(counted)
  await ls(table)
  await show(page, 'text')
  await stats(sums)
  const store = openStore(text.project.storePath)
  const view = runView(await store.read('text'))
  await store.close()
  const driven = project.look({ json: true })
  await task(driven, { ...flags, check: ['false'], maxIterations: '2', id: 'json' }, ['two lines'])
  const [row] = listed.documents[0] as [object]
  return {
    said: text.out.find((line) => line.startsWith('✓ ')) ?? '',
    documents: [driven.documents[0], row, (shown.documents[0] as typeof view).totals, counted.documents[0]] as readonly object[],
    view,
    table: table.out.join('\n'),
    page: page.out.join('\n'),
    sums: sums.out.join('\n'),
  }
}

test('CLI-402 a cost that no agent told is absent from JSON and text', async () => {
  const { said, documents, view, table, page, sums } = await reporting('{"tokens":500}', '{"tokens":700,"costUsd":0}')
  for (const document of documents) {
    expect(document).not.toHaveProperty('costUsd')
    expect(document).toHaveProperty('tokens', 1200)
  }
  expect(view.iterations.some((iteration) => 'costUsd' in iteration)).toBe(false)
  expect(said).toMatch(/^✓ All checks passed · 2 iterations/)
  expect(said + table + sums).not.toContain('$')
  expect(table).toMatch(/ 2 +\S+ → 0 +1,200 tokens /)
  expect(sums).toMatch(/^Used .*, 1,200 tokens$/m)
  expect(page).toMatch(/^ +1 +failed .* - +500( |$)/m)
})

test('CLI-402 where some of the work took tokens without a cost, the rest is "at least"', async () => {
  const { said, documents, view, table, sums } = await reporting('{"tokens":500,"costUsd":0.0153}', '{"tokens":700}')
  for (const document of documents) expect(document).toMatchObject({ costUsd: 0.0153, isCostPartial: true, tokens: 1200 })
  expect(view.totals).toMatchObject({ costUsd: 0.0153, isCostPartial: true })
  expect(view.iterations.map(({ costUsd }) => costUsd)).toEqual([0.0153, undefined])
  for (const text of [said, sums]) expect(text).toContain('at least $0.0153')
  expect(table, 'CLI-409').toContain('≥ $0.0153')
})

test('CLI-402 a known cost is shown as it is', async () => {
  const { said, documents, table, sums } = await reporting('{"tokens":500,"costUsd":0.0153}', '{"tokens":700,"costUsd":0.0156}')
  for (const document of documents) {
    expect(document).toMatchObject({ costUsd: 0.0309 })
    expect(document).not.toHaveProperty('isCostPartial')
  }
  expect(said + table + sums).not.toContain('at least')
  expect(said).toMatch(/ · \$0\.0309$/)
})

test('CLI-402 runs with and without a cost add up to "at least"; if no agent reports anything there is a dash', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  await project.loop({ passesAt: 1, reports: [{ costUsd: 0.02, tokens: 10 }] }).run('priced')
  await project.loop({ passesAt: 2, reports: [{ tokens: 30 }, { tokens: 30 }] }).run('counted')
  await project.loop({ passesAt: 3, reports: [{}, {}, {}] }).run('silent')
  await project.close()
  const [table, sums, document] = [project.look(), project.look(), project.look({ json: true })]
  await ls(table)
  await stats(sums)
  await stats(document)
  expect(table.out.find((line) => line.startsWith('silent'))).toMatch(/ → 0 +- /)
  expect(sums.out.find((line) => line.startsWith('Used'))).toMatch(/, at least \$0\.02, 70 tokens$/)
  expect(document.documents[0]).toMatchObject({ costUsd: 0.02, isCostPartial: true, tokens: 70 })
})

test('CLI-402 an outcome of the library has no cost if nobody reports one, and says if it is known only in part', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const unknown = project.loop({ passesAt: 2, reports: [{ tokens: 5 }, { tokens: 6 }] })
  expect(await unknown.run('unknown')).toMatchObject({ status: 'completed', tokens: 11 })
  expect(await unknown.outcome('unknown')).not.toHaveProperty('costUsd')
  const partly = project.loop({ passesAt: 4, reports: [{ tokens: 5, costUsd: 0.5 }, { tokens: 6 }] })
  expect(await partly.run('partly')).toMatchObject({ costUsd: 0.5, isCostPartial: true, tokens: 11 })
  expect(await partly.outcome('partly')).toMatchObject({ costUsd: 0.5, isCostPartial: true })
})

/** A run whose first work is cut off before it tells any figure, as an agent that would have told some says. */
async function cutOff(project: TestProject) {
  const pause = new AbortController()
  const agent: Agent = {
    spec: { name: 'counter', v: 1, settings: {} },
    tellsUsage: true,
    work: async (_request, { started, signal }) => {
      await started()
      const ended = once(signal, 'abort')
      pause.abort()
      await ended
      return { status: 'aborted', isUsagePartial: true }
    },
  }
  const store = openStore(project.look().project.storePath)
  const loop = createLoop({
    loop: taskLoop({ goal: 'g' }),
    agent,
    checks: [commandCheck({ name: 'no', command: ['false'] })],
    workspace: folderWorkspace({ path: project.root }),
    store,
  })
  const outcome = await loop.run('cut', { signal: pause.signal })
  await store.close()
  return outcome
}

test('CLI-413 work that was cut off before any figure is not told as if nothing was used', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const unknown = { isCostPartial: true, areTokensPartial: true }
  expect(await cutOff(project)).toMatchObject({ status: 'paused', ...unknown })
  const [listed, shown, counted] = [project.look({ json: true }), project.look({ json: true }), project.look({ json: true })]
  const [table, page, sums] = [project.look(), project.look(), project.look()]
  await ls(listed)
  await show(shown, 'cut')
  await stats(counted)
  await ls(table)
  await show(page, 'cut')
  await stats(sums)
  const [row] = listed.documents[0] as [object]
  for (const document of [row, (shown.documents[0] as { totals: object }).totals, counted.documents[0] as object]) {
    expect(document).toMatchObject(unknown)
    expect(document).not.toHaveProperty('costUsd')
    expect(document).not.toHaveProperty('tokens')
  }
  expect(table.out.find((line) => line.startsWith('cut'))).toMatch(/ 1 → \? +\? +\d/)
  for (const text of [page, sums])
    expect(text.out.find((line) => line.startsWith('Used'))).toMatch(/ at work, cost and tokens not known$/)
})

test('CLI-414 a cost that cannot be one is not taken, and said in the next words; no command fails on it', async () => {
  const { documents, table, page, sums } = await reporting('{"costUsd":1e308,"tokens":500}', '{"costUsd":1e308,"tokens":700}')
  for (const document of documents) {
    expect(document).toMatchObject({ isCostPartial: true, tokens: 1200, areTokensPartial: true })
    expect(document).not.toHaveProperty('costUsd')
  }
  expect(table + page + sums).not.toMatch(/Infinity|(?<!costUsdMax )\$\d/)
  expect(page).toContain('Its report in PAWL_REPORT_FILE was not all usable: costUsd must be')
})

test('CLI-414 a journal that has such a cost already is read without it', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const store = openStore(project.look().project.storePath)
  const claimed = await store.claim('fix-login', currentProcessIdentity())
  if (claimed.status === 'held') throw new Error('Nobody holds it.')
  const events = playedRun({ failing: [2, 1, 0] }).map(withAbsurdCost)
  await store.append('fix-login', events, { claim: claimed.claim, expectedSeq: 0 })
  await store.release(claimed.claim)
  await store.close()
  const [table, page, sums, told] = [project.look(), project.look(), project.look(), project.look({ json: true })]
  await ls(table)
  await show(page, 'fix-login')
  await stats(sums)
  await show(told, 'fix-login')
  expect([table, page, sums].flatMap(({ out }) => out).join('\n')).not.toMatch(/Infinity|\$/)
  expect((told.documents[0] as { totals: object }).totals).toMatchObject({ isCostPartial: true })
})

/** What an earlier Pawl wrote down where an agent told it a cost that cannot be one: their sum is no number in JSON. */
function withAbsurdCost(event: Event): Event {
  const costUsd = event.type === 'work.finished' ? 1e308 : event.type === 'iteration.ended' ? null : undefined
  return costUsd === undefined ? event : ({ ...event, data: { ...event.data, costUsd } } as Event)
}
