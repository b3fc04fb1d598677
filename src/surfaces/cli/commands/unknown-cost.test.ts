import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../testing/cli-project.ts'
import { runView } from '../views/run-view.ts'
import { openStore } from '../compose.ts'
import { EXIT } from '../exit-codes.ts'
import { ls } from './ls.ts'
import { show } from './show.ts'
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
  const [listed, shown, table] = [project.look({ json: true }), project.look({ json: true }), project.look()]
  await ls(listed)
  await show(shown, 'text')
  await ls(table)
  const store = openStore(text.project)
  const view = runView(await store.read('text'))
  await store.close()
  const driven = project.look({ json: true })
  await task(driven, { ...flags, check: ['false'], maxIterations: '2', id: 'json' }, ['two lines'])
  const [row] = listed.documents[0] as [object]
  return {
    said: text.out.at(-1) ?? '',
    documents: [driven.documents[0], row, (shown.documents[0] as typeof view).totals] as readonly object[],
    view,
    table: table.out.join('\n'),
  }
}

test('CLI-402 a cost that no agent told is absent from JSON and text', async () => {
  const { said, documents, view, table } = await reporting('{"tokens":500}', '{"tokens":700}')
  for (const document of documents) {
    expect(document).not.toHaveProperty('costUsd')
    expect(document).toHaveProperty('tokens', 1200)
  }
  expect(view.iterations.some((iteration) => 'costUsd' in iteration)).toBe(false)
  expect(said).toMatch(/^Done after 2 iterations/)
  expect(said + table).not.toContain('$')
})

test('CLI-402 where some of the work took tokens without a cost, the rest is "at least"', async () => {
  const { said, documents, view } = await reporting('{"tokens":500,"costUsd":0.0153}', '{"tokens":700}')
  expect(documents.map((document) => 'costUsd' in document && document.costUsd)).toEqual([0.0153, 0.0153, 0.0153])
  expect(documents[0]).toMatchObject({ isCostPartial: true })
  expect(view.totals).toMatchObject({ costUsd: 0.0153, isCostPartial: true })
  expect(view.iterations.map(({ costUsd }) => costUsd)).toEqual([0.0153, undefined])
  expect(said).toContain('at least $0.0153')
})

test('CLI-402 a cost that is known is told as it is', async () => {
  const { said, documents } = await reporting('{"tokens":500,"costUsd":0.0153}', '{"tokens":700,"costUsd":0.0156}')
  expect(documents[0]).toMatchObject({ costUsd: 0.0309 })
  expect(documents[0]).not.toHaveProperty('isCostPartial')
  expect(said).toMatch(/, \$0\.0309\): /)
})
