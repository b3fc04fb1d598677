import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { maxIterations } from '../../src/guards/index.ts'
import type { SealedEvent } from '../../src/stores/store.ts'
import { type ModelReply, type ModelTurn, sinceUser } from '../../src/testing/model-server/index.ts'
import { editorFor } from '../../src/testing/model-server/fixes-file.ts'
import { startPawl } from '../e2e/pawl-process.ts'
import { agentStage } from './agent-session.ts'
import { type DrivenAgent, drivenAgents } from './agents.ts'
import { eventsIn, eventsOf, settingsOf, until } from './driven-project.ts'
import { drivenRun, RUN } from './driven-run.ts'
import { FAILING_PROJECT, hastyModel } from './failing-project.ts'

/** Those that tell at the end what the session used in all. */
const counting = drivenAgents.filter(({ name }) => name === 'claude' || name === 'qwen' || name === 'codex')

/** Of these, those that tell their tokens message by message too: of work that is cut off some are known at once. */
const telling = counting.filter(({ name }) => name !== 'codex')

/** A model that makes one wrong change and then the right one. While it hangs, it answers once and no more. */
class CountedModel {
  isHanging = false
  /** Tokens of all that it answered. */
  served = 0
  /** How often it was asked and did not answer. */
  hung = 0

  script(project: string): (turn: ModelTurn) => Promise<ModelReply> {
    const model = hastyModel(['a - b', 'a * b', 'a + b'])(project)
    return async (turn) => {
      if (this.isHanging && sinceUser(turn).length > 0) {
        this.hung++
        await new Promise(() => undefined)
      }
      this.served += TOKENS
      return { ...model(turn), usage: { inputTokens: TOKENS - 10, outputTokens: 10 } }
    }
  }
}

const TOKENS = 110

describe.each(counting)('$name, in one session whose work is cut off', (agent) => {
  test.for([1, 2])(
    'AGENTS-22 by the time limit in iteration %i: its tokens add up to what was served',
    async (cutAt, context) => {
      context.skip(agent.missing !== undefined, agent.missing)
      const model = new CountedModel()
      await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: (project) => model.script(project) })
      const settings = { timeoutMs: agent.enoughMs, session: 'continue' } as const
      await using run = await drivenRun(agent, stage, { guards: [maxIterations(4)], agent: settings })
      const outcome = await run.drive((event) => {
        if (event.type === 'work.started') model.isHanging = event.data.iteration === cutAt
      })
      expect(outcome).toMatchObject({ status: 'completed', iterations: 3, tokens: model.served })
      expect(outcome).not.toHaveProperty('areTokensPartial')
      const events = await run.events()
      expect(eventsOf(events, 'work.failed')).toMatchObject([{ data: { reason: 'timed-out', ...toldAtCut(agent) } }])
      expect(new Set(workEnds(events).map(({ data }) => data.session)).size).toBe(1)
      expect(tokensOf(events)).toBe(model.served)
    },
  )

  test('AGENTS-23 by a Ctrl-C of Pawl: what it used is on record, its session continues, and its tokens add up', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const model = new CountedModel()
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: (project) => model.script(project) })
    await writeFile(join(stage.project, 'pawl.yaml'), settingsOf(agent))
    const options = { cwd: stage.project, home: stage.home, env: stage.env }
    model.isHanging = true
    const interrupted = startPawl(['task', 'Make add add.', '--id', RUN, '--no-ask'], options)
    await until(async () => model.hung > 0 || interrupted.isOver())
    interrupted.signal('SIGINT')
    expect(await interrupted.finished).toMatchObject({ code: 130 })
    const [abandoned] = eventsOf(await eventsIn(stage), 'work.abandoned')
    expect(abandoned?.data).toMatchObject({ session: expect.any(String), ...toldAtCut(agent) })
    expect(await totalsShown(options)).toMatchObject({ areTokensPartial: true })
    expect(abandoned?.by).toMatchObject({ role: 'agent', name: agent.name, model: expect.any(String) })
    model.isHanging = false
    expect(await startPawl(['resume', RUN, '--no-ask'], options).finished).toMatchObject({ code: 0 })
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a + b')
    const events = await eventsIn(stage)
    expect(new Set(workEnds(events).map(({ data }) => data.session)).size).toBe(1)
    expect(tokensOf(events)).toBe(model.served)
    const shown = await totalsShown(options)
    expect(shown.tokens).toBe(model.served)
    expect(shown).not.toHaveProperty('areTokensPartial')
  })
})

const TOLD = { tokens: expect.any(Number) }

function toldAtCut(agent: DrivenAgent): object {
  return telling.includes(agent) ? TOLD : {}
}

describe.each(telling)('$name as a reviewer that is cut off', (agent) => {
  test.for(['SIGINT', 'SIGKILL'] as const)(
    'AGENTS-25 by %s of Pawl: the total is shown as a lower bound at once and after the run continued, and includes what it reported',
    async (signal, context) => {
      context.skip(agent.missing !== undefined, agent.missing)
      const model = new ReviewedModel()
      await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: (project) => model.script(project) })
      const settings = JSON.parse(settingsOf(agent)) as Record<string, unknown>
      await writeFile(join(stage.project, 'pawl.yaml'), JSON.stringify({ ...settings, reviewer: agent.name }))
      const options = { cwd: stage.project, home: stage.home, env: stage.env }
      const cut = startPawl(['task', 'Make add add.', '--id', RUN, '--no-ask'], options)
      await until(async () => model.hung > 0 || cut.isOver())
      const servedUntilCut = model.served
      cut.signal(signal)
      await cut.finished
      const shown = await totalsShown(options)
      expect(shown.areTokensPartial).toBe(true)
      // Who is killed hears nothing of what the reviewer used.
      const heardMax = signal === 'SIGKILL' ? 0 : servedUntilCut - model.servedToWork
      expect(shown.tokens).toBeGreaterThanOrEqual(model.servedToWork + Math.min(1, heardMax))
      expect(shown.tokens).toBeLessThanOrEqual(model.servedToWork + heardMax)
      model.isHanging = false
      expect(await startPawl(['resume', RUN, '--no-ask'], options).finished).toMatchObject({ code: 0 })
      expect(eventsOf(await eventsIn(stage), 'review.abandoned')).toHaveLength(1)
      const tokens = shown.tokens + model.served - servedUntilCut
      expect(await totalsShown(options)).toMatchObject({ areTokensPartial: true, tokens })
    },
  )
})

/** A model that makes the right change, and reads the file before it approves. While it hangs, a reviewer gets no further. */
class ReviewedModel {
  isHanging = true
  served = 0
  /** Of these, to the agent that does the work. */
  servedToWork = 0
  hung = 0

  script(project: string): (turn: ModelTurn) => Promise<ModelReply> {
    const work = hastyModel(['a - b', 'a + b'])(project)
    return async (turn) => {
      const isReview = JSON.stringify(turn.messages).includes('You are the reviewer')
      const hasRead = sinceUser(turn).length > 0
      if (isReview && hasRead && this.isHanging) {
        this.hung++
        await new Promise(() => undefined)
      }
      this.served += TOKENS
      if (!isReview) this.servedToWork += TOKENS
      const reading = hasRead ? undefined : editorFor(turn.tools)?.read(join(project, 'add.js'))
      const review = reading ? { call: reading } : { say: '{"verdict": "approve", "summary": "It adds."}' }
      return { ...(isReview ? review : work(turn)), usage: { inputTokens: TOKENS - 10, outputTokens: 10 } }
    }
  }
}

async function totalsShown(options: Parameters<typeof startPawl>[1]): Promise<{ tokens: number; areTokensPartial?: true }> {
  const { stdout } = await startPawl(['show', RUN, '--json'], options).finished
  return (JSON.parse(stdout) as { totals: { tokens: number } }).totals
}

function workEnds(events: readonly SealedEvent[]) {
  return [...eventsOf(events, 'work.finished'), ...eventsOf(events, 'work.failed'), ...eventsOf(events, 'work.abandoned')]
}

function tokensOf(events: readonly SealedEvent[]): number {
  return workEnds(events).reduce((sum, { data }) => sum + (data.tokens ?? 0), 0)
}
