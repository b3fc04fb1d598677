import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../testing/cli-project.ts'
import { runView } from '../views/run-view.ts'
import { openStore } from '../compose.ts'
import { EXIT } from '../exit-codes.ts'
import { ls } from './ls.ts'
import { show } from './show.ts'
import { stats } from './stats.ts'
import { task } from './task.ts'

/** Drives a run whose agent reports so in iterations 1 and 2, and gives what the commands print of it. */
async function reporting(first: string, second: string) {
  const project = testProject()
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
  const store = openStore(text.project)
  const view = runView(await store.read('text'))
  await store.close()
  const driven = project.look({ json: true })
  await task(driven, { ...flags, check: ['false'], maxIterations: '2', id: 'json' }, ['two lines'])
  const [row] = listed.documents[0] as [object]
  return {
    said: text.out.at(-1) ?? '',
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
  expect(said).toMatch(/^Done after 2 iterations/)
  expect(said + table + sums).not.toContain('$')
  expect(table).toMatch(/ 2 +\S+ -> 0 +1,200 tokens /)
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

test('CLI-402 a cost that is known is told as it is', async () => {
  const { said, documents, table, sums } = await reporting('{"tokens":500,"costUsd":0.0153}', '{"tokens":700,"costUsd":0.0156}')
  for (const document of documents) {
    expect(document).toMatchObject({ costUsd: 0.0309 })
    expect(document).not.toHaveProperty('isCostPartial')
  }
  expect(said + table + sums).not.toContain('at least')
  expect(said).toMatch(/, \$0\.0309\): /)
})

test('CLI-402 runs with and without a cost add up to "at least"; where no agent tells anything there is a dash', async () => {
  const project = testProject()
  onTestFinished(() => project.remove())
  await project.loop({ passesAt: 1, reports: [{ costUsd: 0.02, tokens: 10 }] }).run('priced')
  await project.loop({ passesAt: 2, reports: [{ tokens: 30 }, { tokens: 30 }] }).run('counted')
  await project.loop({ passesAt: 3, reports: [{}, {}, {}] }).run('silent')
  await project.close()
  const [table, sums, document] = [project.look(), project.look(), project.look({ json: true })]
  await ls(table)
  await stats(sums)
  await stats(document)
  expect(table.out.find((line) => line.startsWith('silent'))).toMatch(/ -> 0 +- /)
  expect(sums.out.find((line) => line.startsWith('Used'))).toMatch(/, at least \$0\.02, 70 tokens$/)
  expect(document.documents[0]).toMatchObject({ costUsd: 0.02, isCostPartial: true, tokens: 70 })
})

test('CLI-402 an outcome of the library has no cost that nobody told, and says where it is known in part', async () => {
  const project = testProject()
  onTestFinished(() => project.remove())
  const unknown = project.loop({ passesAt: 2, reports: [{ tokens: 5 }, { tokens: 6 }] })
  expect(await unknown.run('unknown')).toMatchObject({ status: 'completed', tokens: 11 })
  expect(await unknown.outcome('unknown')).not.toHaveProperty('costUsd')
  const partly = project.loop({ passesAt: 4, reports: [{ tokens: 5, costUsd: 0.5 }, { tokens: 6 }] })
  expect(await partly.run('partly')).toMatchObject({ costUsd: 0.5, isCostPartial: true, tokens: 11 })
  expect(await partly.outcome('partly')).toMatchObject({ costUsd: 0.5, isCostPartial: true })
})
