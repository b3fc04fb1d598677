import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Guard } from '../../src/core/guard.ts'
import { maxIterations, repeatedAction } from '../../src/guards/index.ts'
import { acpAgent, type AcpAgentOptions } from '../../src/agents/acp/acp-agent.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { gitWorkspace } from '../../src/workspaces/git-workspace.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import { commandCheck } from '../../src/checks/command-check.ts'
import { createLoop } from '../../src/surfaces/library/create-loop.ts'
import { type ModelAnswer, type ModelTurn, sinceUser } from '../../src/testing/model-server/index.ts'
import { agentStage, type AgentStage } from './agent-session.ts'
import { gemini } from './agents.ts'
import { FAILING_PROJECT, hastyModel } from './failing-project.ts'

const GEMINI = join(import.meta.dirname, 'node_modules', '.bin', 'gemini')

/** The real Gemini CLI over ACP, in a loop with the project's own test as the check. */
function loopWith(stage: AgentStage, options: Partial<AcpAgentOptions>, guards: readonly Guard[] = []) {
  const store = sqliteStore({ path: join(stage.project, '.pawl', 'pawl.db') })
  const loop = createLoop({
    loop: taskLoop({ goal: 'Make add add.' }),
    guards: [maxIterations(3), ...guards],
    agent: acpAgent({
      command: [GEMINI, '--acp', '-m', 'gemini-2.5-pro'],
      name: 'gemini',
      variables: stage.env,
      timeoutMs: 90_000,
      ...options,
    } as AcpAgentOptions),
    checks: [commandCheck({ name: 'tests', command: [process.execPath, '--test', 'add.test.js'], variables: stage.env })],
    workspace: gitWorkspace({ path: stage.project }),
    store,
  })
  return { loop, [Symbol.asyncDispose]: () => store.close() }
}

test('AGENTS-20 Gemini CLI over ACP fixes a bug in two iterations, with its edits allowed by policy and on record', async () => {
  await using stage = await agentStage(gemini, {
    files: FAILING_PROJECT,
    script: hastyModel(['a - b', 'a * b', 'a + b']),
  })
  await using held = loopWith(stage, { permissions: { edit: 'allow' } })
  const outcome = await held.loop.run('fix-add')
  expect(outcome).toMatchObject({ status: 'completed', iterations: 2 })
  expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a + b')
  const events = await held.loop.events('fix-add')
  const finished = events.flatMap((event) => (event.type === 'work.finished' ? [event.data] : []))
  expect(finished).toHaveLength(2)
  expect(finished.every(({ session, tokens = 0 }) => session !== undefined && tokens > 0)).toBe(true)
  expect(events.flatMap((event) => (event.type === 'work.answered' ? [event.data.how] : []))).toEqual(['policy', 'policy'])
  expect(events.flatMap((event) => (event.type === 'work.acted' ? (event.data.actions ?? []) : [])).length).toBeGreaterThan(2)
  expect(stage.outside.asked).toEqual([])
})

/** A model that runs one command and then says so. */
const runsCommand =
  (command: string) =>
  () =>
  (turn: ModelTurn): ModelAnswer => {
    if (!turn.tools.includes('run_shell_command')) return { say: 'Done.' }
    const made = sinceUser(turn).flatMap(({ calls }) => calls).length
    return made === 0
      ? { call: { name: 'run_shell_command', input: { command, description: 'Makes a note' } } }
      : { say: 'Done.' }
  }

test('AGENTS-21 what Gemini CLI asks over ACP is a question to a person, and with the answer it continues', async () => {
  await using stage = await agentStage(gemini, {
    files: FAILING_PROJECT,
    script: runsCommand("printf 'export const add = (a, b) => a + b\\n' > add.js"),
  })
  await using held = loopWith(stage, {})
  const { loop } = held
  const asked = await loop.run('ask-add')
  expect(asked).toMatchObject({ status: 'escalated', message: expect.stringContaining('printf') })
  const options = ('question' in asked && asked.question?.options.map(({ choice }) => choice)) || []
  expect(options).toContain('allow-once')
  expect(options).toContain('deny-once')
  expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toBe(FAILING_PROJECT['add.js'])
  await loop.answer('ask-add', { choice: 'allow-once' })
  // It reports no tokens for the cancelled turn.
  expect(await loop.run('ask-add')).toMatchObject({ status: 'completed', iterations: 1, areTokensPartial: true })
  const events = await loop.events('ask-add')
  expect(events.find((event) => event.type === 'work.answered')?.data).toMatchObject({ how: 'earlier' })
})

const shell = (command: string): ModelAnswer => ({
  call: { name: 'run_shell_command', input: { command, description: 'Looks' } },
})

test('LIMIT-25 Gemini CLI over ACP reads the warning of a guard while it works, and does something else', async () => {
  const seen = { calls: 0, isWarned: false }
  const script =
    () =>
    (turn: ModelTurn): ModelAnswer => {
      if (!turn.tools.includes('run_shell_command')) return { say: 'Done.' }
      if (!JSON.stringify(turn.messages).includes('The same action with the same result')) {
        // Bounded, whatever becomes of the warning.
        return ++seen.calls > 25 ? { say: 'Done.' } : shell('echo same')
      }
      if (seen.isWarned) return { say: 'Done.' }
      seen.isWarned = true
      return shell("printf 'export const add = (a, b) => a + b\\n' > add.js")
    }
  await using stage = await agentStage(gemini, { files: FAILING_PROJECT, script })
  await using held = loopWith(stage, { permissions: 'allow' }, [repeatedAction()])
  expect(await held.loop.run('warn-add')).toMatchObject({ status: 'completed', iterations: 1 })
  expect(seen).toMatchObject({ isWarned: true })
  expect(seen.calls).toBeLessThan(15)
  const events = await held.loop.events('warn-add')
  expect(events.filter(({ type }) => type === 'guard.nudged')).toHaveLength(1)
})
