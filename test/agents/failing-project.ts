import { join } from 'node:path'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { fixesFile, type ModelAnswer, type ModelTurn } from '../../src/testing/model-server/index.ts'
import type { AgentStage } from './agent-session.ts'

/** The program that agents call. */
export const PAWL = join(import.meta.dirname, '..', '..', 'bin', 'pawl')

/** A project whose one test fails until `add.js` adds. */
export const FAILING_PROJECT: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }\n',
  '.gitignore': '.pawl/\n',
  'add.js': 'export const add = (a, b) => a - b\n',
  'add.test.js': `import assert from 'node:assert'
import test from 'node:test'
import { add } from './add.js'
test('adds', () => assert.equal(add(1, 2), 3))
`,
}

/** A model that makes one change after another in `add.js`, and says after each one, right or wrong, that it is done. */
export function hastyModel(changes: readonly string[]): (project: string) => (turn: ModelTurn) => ModelAnswer {
  const steps = changes.slice(1).map((to, index) => ({ from: changes[index] as string, to }))
  return (project) => fixesFile({ file: join(project, 'add.js'), steps, say: 'All done.\n<promise>COMPLETE</promise>' })
}

/** The types of a run's events, in order. */
export async function eventTypes({ project }: AgentStage, run: string): Promise<readonly string[]> {
  const store = sqliteStore({ path: join(project, '.pawl', 'pawl.db') })
  try {
    return (await store.read(run)).map(({ type }) => type)
  } finally {
    await store.close()
  }
}
