import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { maxIterations } from '../../src/guards/index.ts'
import { collectingContext } from '../support/collecting-context.ts'
import { importRuns } from '../../src/surfaces/cli/commands/import.ts'
import { agentStage } from './agent-session.ts'
import { codex, drivenAgents, gemini, type DrivenAgent } from './agents.ts'
import { drivenRun } from './driven-run.ts'
import { FAILING_PROJECT, hastyModel } from './failing-project.ts'

const drivenOf = (name: DrivenAgent['name']) => drivenAgents.find((agent) => agent.name === name) as DrivenAgent

type Homely = Pick<DrivenAgent, 'settings' | 'environment'>

/** One home for both. The first may have its model elsewhere. */
function together(first: Homely, second: Homely, firstUrl?: string): Homely {
  return {
    settings: (url) => ({ ...first.settings(firstUrl ?? url), ...second.settings(url) }),
    environment: (url) => ({ ...first.environment(firstUrl ?? url), ...second.environment(url), CLAUDE_CODE_MAX_RETRIES: '1' }),
  }
}

describe('Codex and Gemini CLI in one run', () => {
  test('FALL-17 the second continues when the plan of the first is used up, and what both did can be imported from what they left', async (context) => {
    context.skip(codex.missing !== undefined, codex.missing)
    const model = hastyModel(['a - b', 'a + b'])
    await using stage = await agentStage(together(codex, gemini), {
      files: FAILING_PROJECT,
      script: (project) => (turn) =>
        turn.api === 'responses' ? { fault: 'rate-limited', resetInSeconds: 7200, isUsedUp: true } : model(project)(turn),
    })
    await using run = await drivenRun(drivenOf('codex'), stage, { guards: [maxIterations(2)], fallback: drivenOf('gemini') })
    expect(await run.drive()).toMatchObject({ status: 'completed', iterations: 1 })
    const events = await run.events()
    expect(events.flatMap((event) => (event.type === 'agent.switched' ? [event.data] : []))).toMatchObject([
      { from: 'codex', to: 'gemini', reason: 'provider-limit', until: expect.any(Number) },
    ])
    expect(events.flatMap((event) => (event.type === 'work.finished' ? [event.by.name] : []))).toEqual(['gemini'])
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a + b')
    const look = collectingContext(stage.project, true)
    expect(await importRuns(look, 'gemini', [join(stage.home, '.gemini')], {})).toBe(0)
    expect(await importRuns(look, 'gemini', [join(stage.home, '.gemini')], { driven: true })).toBe(0)
    expect(look.documents).toMatchObject([
      { files: [{ status: 'driven', run: 'fix-add' }] },
      { files: [{ status: 'imported', turns: 3, tokens: 330 }] },
    ])
  })
})

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9'

/** How long one may try that would continue for minutes, or without end. */
const TRYING_MS: Readonly<Partial<Record<DrivenAgent['name'], number>>> = { codex: 10_000, gemini: 12_000, opencode: 20_000 }

describe.each(drivenAgents.map((agent) => [agent.name, agent] as const))('%s without a network', (name, first) => {
  const second = drivenOf(name === 'gemini' ? 'codex' : 'gemini')

  test('AGENTS-24 where its provider cannot be reached another one does the work, in the same iteration', async (context) => {
    const missing = first.missing ?? second.missing
    context.skip(missing !== undefined, missing)
    await using stage = await agentStage(together(first, second, NOWHERE), {
      files: FAILING_PROJECT,
      script: hastyModel(['a - b', 'a + b']),
    })
    const trying = TRYING_MS[name]
    const agent = trying === undefined ? {} : { timeoutMs: trying }
    await using run = await drivenRun(first, stage, { guards: [maxIterations(1)], agent, fallback: second })
    expect(await run.drive()).toMatchObject({ status: 'completed', iterations: 1 })
    const events = await run.events()
    expect(events.flatMap((event) => (event.type === 'work.failed' ? [event.data] : []))).toMatchObject([
      { fault: 'provider-limit', message: expect.stringMatching(/^The provider (?:of \w+ cannot be reached|cannot serve)/) },
    ])
    expect(events.flatMap((event) => (event.type === 'agent.switched' ? [event.data] : []))).toMatchObject([
      { from: name, to: second.name, reason: 'provider-limit' },
    ])
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a + b')
  })
})
