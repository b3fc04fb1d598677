import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAKES } from './fakes/fakes.ts'
import { MCP_FAKES } from './fakes/mcp-fakes.ts'
import { REVIEW_FAKES } from './fakes/review-fakes.ts'
import { HOOK_FAKES, RALPH_FAKES } from './fakes/promise-fakes.ts'
import { WORK } from './fakes/honest-work.ts'

const DOCS = join(import.meta.dirname, '../docs/evidence')

const FAKES_TABLES = [
  fakesTable(FAKES, 'agent'),
  `## In a review

Each row is a [review](../loops/review.md) of one item, and most of the reviewers approve whatever they see. In 14 of the 16 rows the tests passed in
the workspace. In the other two the run ended before the tests: an empty line and a verdict in prose are refused.`,
  fakesTable(REVIEW_FAKES, 'coder'),
  `## In a Ralph loop

Each row is a run of the [Ralph loop](../loops/ralph.md), one of each class. The agent ends every iteration with its promise.
With an emptied pawl.yaml the check fails anyway, because the run keeps the checks that it began with. With a promise that is only mentioned the work is done,
but the agent says that it isn't. With the work done and the promise alone on the last line, the run ends well; so it does with hooks.`,
  fakesTable(RALPH_FAKES, 'agent'),
  `## In a session with hooks

The same in an agent's session: the agent itself binds the run, and a [hook](../surfaces/hooks.md) answers each end of a turn. With \`--check true\` the check of pawl.yaml runs too, and fails.`,
  fakesTable(HOOK_FAKES, 'agent'),
  `## Over MCP

Each row is a loop that an agent starts with \`iteration_start\`, and pawl.yaml has the check. *Caught* means that \`iteration_complete\` did not complete it.`,
  fakesTable(MCP_FAKES, 'agent'),
].join('\n\n')

const WORK_TABLE = [
  '| work | check | result |',
  '|---|---|---|',
  ...WORK.map(([name, { check }, , expected]) =>
    row(
      name,
      `\`${check}\``,
      expected === 'refuted' || expected === 'unproven' ? `asks (\`${expected}\`)` : `done (\`${expected}\`)`,
    ),
  ),
].join('\n')

/* `PAWL_EVIDENCE=write npx vitest run test/evidence-pages.test.ts` writes the tables. */
test.each([
  ['faking-a-pass.md', FAKES_TABLES],
  ['honest-work.md', WORK_TABLE],
])('PROOF-14 docs/evidence/%s names every case that is tried, and no other', (name, table) => {
  const path = join(DOCS, name)
  const [head = ''] = readFileSync(path, 'utf8').split(/^\|/m)
  const page = `${head.trimEnd()}\n\n${table}\n`
  if (process.env['PAWL_EVIDENCE'] === 'write') writeFileSync(path, page)
  expect(readFileSync(path, 'utf8')).toBe(page)
})

function fakesTable(kinds: typeof FAKES, who: string): string {
  return [
    `| class | the ${who} … | check | result |`,
    '|---|---|---|---|',
    ...Object.entries(kinds).flatMap(([kind, fakes]) =>
      fakes.map(([how, { check }, , { believed } = {}]) =>
        row(kind, how, `\`${check}\``, believed === undefined ? 'caught' : `**believed.** ${believed}`),
      ),
    ),
  ].join('\n')
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
