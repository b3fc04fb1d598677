import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { maxIterations } from '../../src/core/guards/index.ts'
import { codexAgent } from '../../src/drivers/agents/codex.ts'
import { geminiAgent } from '../../src/drivers/agents/gemini.ts'
import { commandCheck } from '../../src/drivers/checks/command-check.ts'
import { sqliteStore } from '../../src/drivers/stores/sqlite-store.ts'
import { gitWorkspace } from '../../src/drivers/workspaces/git-workspace.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import { drive } from '../../src/runner/drive.ts'
import { collectingContext } from '../../src/surfaces/cli/commands/collecting-context.ts'
import { importRuns } from '../../src/surfaces/cli/commands/import.ts'
import { partsFrom } from '../../src/surfaces/cli/compose.ts'
import { agentStage } from './agent-session.ts'
import { codex, drivenAgents, gemini, type DrivenAgent } from './agents.ts'
import { FAILING_PROJECT, hastyModel } from './failing-project.ts'

const programOf = (name: string) => drivenAgents.find((agent) => agent.name === name)?.program ?? name

/** One home and one model for both. */
const both = {
  settings: (url: string) => ({ ...codex.settings(url), ...gemini.settings(url) }),
  environment: (url: string) => ({ ...codex.environment(url), ...gemini.environment(url) }),
}

describe('Codex and Gemini CLI in one run', () => {
  test('FALL-17 the second goes on when the plan of the first is used up, and what both did can be imported from what they left', async (context) => {
    context.skip(codex.missing !== undefined, codex.missing)
    const model = hastyModel(['a - b', 'a + b'])
    await using stage = await agentStage(both, {
      files: FAILING_PROJECT,
      script: (project) => (turn) =>
        turn.api === 'responses' ? { fault: 'rate-limited', resetInSeconds: 7200, isUsedUp: true } : model(project)(turn),
    })
    const common = { variables: stage.env, timeoutMs: 90_000 }
    const first = codexAgent({ ...common, program: programOf('codex'), permissionMode: 'full' })
    const second = geminiAgent({ ...common, program: programOf('gemini'), model: 'gemini-2.5-pro' })
    const storePath = join(stage.project, '.pawl', 'pawl.db')
    const store = sqliteStore({ path: storePath })
    const config = {
      loop: taskLoop({ goal: 'Make add add.' }).spec,
      guards: [maxIterations(2).spec],
      agent: first.spec,
      fallbacks: [second.spec],
      checks: [commandCheck({ name: 'tests', command: [process.execPath, '--test'] }).spec],
      workspace: gitWorkspace({ path: stage.project }).spec,
    }
    const project = { root: stage.project, storePath, configPath: join(stage.project, 'pawl.yaml') }
    expect(await drive(partsFrom(config, store, project), 'fix-add')).toMatchObject({ status: 'completed', iterations: 1 })
    const events = await store.read('fix-add')
    await store.close()
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

/** How long one may try that would go on for minutes, or without end. */
const TRYING_MS: Readonly<Partial<Record<DrivenAgent['name'], number>>> = { codex: 10_000, gemini: 12_000, opencode: 20_000 }

describe.each(drivenAgents.map((agent) => [agent.name, agent] as const))('%s without a network', (name, first) => {
  const second = drivenAgents.find((agent) => agent.name === (name === 'gemini' ? 'codex' : 'gemini')) as DrivenAgent

  test('AGENTS-24 where its provider cannot be reached another one does the work, in the same iteration', async (context) => {
    const missing = first.missing ?? second.missing
    context.skip(missing !== undefined, missing)
    const pair = {
      settings: (url: string) => ({ ...first.settings(NOWHERE), ...second.settings(url) }),
      environment: (url: string) => ({
        ...first.environment(NOWHERE),
        ...second.environment(url),
        CLAUDE_CODE_MAX_RETRIES: '1',
      }),
    }
    await using stage = await agentStage(pair, { files: FAILING_PROJECT, script: hastyModel(['a - b', 'a + b']) })
    const made = ({ make, program, options }: DrivenAgent, timeoutMs = 90_000) =>
      make({ program, variables: stage.env, timeoutMs, ...options }).spec
    const storePath = join(stage.project, '.pawl', 'pawl.db')
    const store = sqliteStore({ path: storePath })
    const config = {
      loop: taskLoop({ goal: 'Make add add.' }).spec,
      guards: [maxIterations(1).spec],
      agent: made(first, TRYING_MS[name]),
      fallbacks: [made(second)],
      checks: [commandCheck({ name: 'tests', command: [process.execPath, '--test'] }).spec],
      workspace: gitWorkspace({ path: stage.project }).spec,
    }
    const project = { root: stage.project, storePath, configPath: join(stage.project, 'pawl.yaml') }
    expect(await drive(partsFrom(config, store, project), 'fix-add')).toMatchObject({ status: 'completed', iterations: 1 })
    const events = await store.read('fix-add')
    await store.close()
    expect(events.flatMap((event) => (event.type === 'work.failed' ? [event.data] : []))).toMatchObject([
      { fault: 'provider-limit', message: expect.stringMatching(/^The provider (?:of \w+ cannot be reached|cannot serve)/) },
    ])
    expect(events.flatMap((event) => (event.type === 'agent.switched' ? [event.data] : []))).toMatchObject([
      { from: name, to: second.name, reason: 'provider-limit' },
    ])
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a + b')
  })
})
