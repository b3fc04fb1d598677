import { contextOf, type Performance } from './performance.ts'
import { type Effect, effectKey, type EffectOf } from '../core/effect.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Parts } from './parts.ts'
import { agentName } from '../core/run-config.ts'
import { standingIn, withAgentAtWork, withReviewerAtWork } from './agent-at-work.ts'
import { performCheck } from './perform-check.ts'
import { isWorkspaceReady } from './perform-prepare.ts'
import { performProof } from './perform-proof.ts'
import { messageOf, performWork, usageOf } from './perform-work.ts'
import { performObserve, performRestore } from './perform-workspace.ts'
import { INTERRUPTED } from '../core/evolve-effect.ts'
import type { Author, Fact } from '../core/event.ts'
import { jsonAnswer } from '../core/json-answer.ts'
import { redactedStart } from '../secrets/filter.ts'
import type { WorkResult } from '../agents/agent.ts'

/** Performs one effect and posts its facts. Resolves when they are durable; throws at once if no agent could review. */
export function perform(effect: Effect, performance: Performance): Promise<void> {
  switch (effect.kind) {
    case 'work':
      return performByAgent(effect, performance)
    case 'check':
      return performOfChecks(performance, (given) => performCheckWhenReady(effect, given))
    case 'prove':
      return performOfChecks(performance, (given) => performProof(effect, given))
    case 'phrase':
      return performPhrase(effect, performance)
    case 'observe':
      return effect.iteration === 0 && effect.by === 'agent'
        ? performFirstLook(effect, performance)
        : performObserve(effect, performance)
    case 'restore':
      return performRestore(effect, performance)
    default:
      return performOfLoop(effect, performance)
  }
}

/** A worktree that was deleted meanwhile is made ready again first. */
async function performCheckWhenReady(effect: EffectOf<'check'>, performance: Performance): Promise<void> {
  const { parts, state } = performance
  const given = withParts(performance, withReviewerAtWork(parts, state, effect.name))
  if (await isWorkspaceReady(effect, performance)) await performCheck(effect, given)
}

/** Checks that a person added are built when they are first needed. */
async function performOfChecks(performance: Performance, run: (given: Performance) => Promise<void>): Promise<void> {
  const { parts, state } = performance
  const { checkOf } = parts
  const missing = state.config.checks.filter(({ settings }) => !parts.checks.some(({ name }) => name === settings['name']))
  if (!checkOf || missing.length === 0) return run(performance)
  const added = await Promise.all(missing.map((spec) => checkOf(spec)))
  return run(withParts(performance, { ...parts, checks: [...parts.checks, ...added] }))
}

/** What only the loop knows how to do. */
async function performOfLoop(effect: Effect, performance: Performance, name: string = effect.kind): Promise<void> {
  const { parts, state, onProgress } = performance
  const loop = parts.definition.loop(state.config.loop)
  const performer = (await loop.performers?.())?.[name]
  if (!performer)
    throw new PawlError(
      'loop.no-performer',
      `The loop "${loop.spec.name}" asks for the effect "${name}", but its performers() has no such name.`,
      { value: name },
    )
  const progress = (line: string): void => onProgress?.({ key: effect.key, line })
  await performer(effect, { ...performance, now: () => parts.clock.now(), progress })
}

async function performByAgent(effect: EffectOf<'work'>, performance: Performance): Promise<void> {
  const parts = await withAgentAtWork(performance.parts, performance.state, effect.role)
  const { performer } = effect
  const given = withParts(performance, parts)
  await (performer === undefined ? performWork(effect, given) : performOfLoop(effect, given, performer))
}

function withParts(performance: Performance, parts: Parts): Performance {
  return parts === performance.parts ? performance : { ...performance, parts }
}

/** Before the first look, and so before any check: an agent that is not there is a problem for a person at once; so is a worktree that cannot be made ready. */
async function performFirstLook(effect: EffectOf<'observe'>, performance: Performance): Promise<void> {
  if (!(await isAgentMissing(performance)) && (await isWorkspaceReady(effect, performance)))
    await performObserve(effect, performance)
}

async function isAgentMissing({ parts, state, cwd, post }: Performance): Promise<boolean> {
  const agents = [parts.agent, ...Object.values(parts.roles ?? {})].map((agent) => standingIn(parts, state, agent))
  for (const part of [...agents, ...parts.checks]) {
    const trouble = await part.ready?.(cwd)
    if (!trouble) continue
    const data = { key: effectKey(0, 'agent'), reason: 'failed', durationMs: 0, ...trouble } as const
    // Whose trouble it is matters only where another agent could continue.
    const name = parts.fallbacks && 'work' in part ? { name: agentName(part.spec) } : {}
    await post([{ type: 'work.failed', at: parts.clock.now(), by: { role: 'runner', ...name }, data }])
    return true
  }
  return false
}

/** Has an agent put a question into words. Whatever goes wrong, the question is asked as it is: nobody waits for fine words. */
async function performPhrase(effect: EffectOf<'phrase'>, performance: Performance): Promise<void> {
  const { parts, state, cwd, post } = performance
  const { key, iteration, brief } = effect
  const { questioner } = parts
  const by: Author = {
    role: 'agent',
    name: 'questioner',
    ...(questioner?.model === undefined ? {} : { model: questioner.model }),
  }
  const text = await parts.store.putText({ text: brief, bytesCut: 0 })
  // It is a program like any agent: one that outlives us has to be known.
  const context = contextOf(effect, performance, (process) => [
    {
      type: 'work.started',
      at: parts.clock.now(),
      by,
      data: {
        key,
        iteration,
        role: ROLE,
        brief: text,
        ...(process === undefined ? {} : { process }),
        ...(questioner?.tellsUsage ? { tellsUsage: questioner.tellsUsage } : {}),
      },
    },
  ])
  const request = { run: state.run, iteration, role: ROLE, brief, cwd, deadlineMs: PHRASE_MS_MAX }
  const result: WorkResult = questioner
    ? await questioner.work(request, context).catch((error: unknown): WorkResult => failed(messageOf(error)))
    : failed('No questioner is configured in this program.')
  const at = parts.clock.now()
  if (result.status === 'aborted')
    return post([{ type: 'work.abandoned', at, by, data: { key, reason: INTERRUPTED, ...usageOf(result) } }])
  const fact: Fact = { type: 'question.phrased', at, by, data: { key, ...usageOf(result), ...(await words(result)) } }
  await post([fact])
}

const ROLE = 'questioner'
const PHRASE_MS_MAX = 5 * 60_000
const TEXT_CHARACTERS_MAX = 2000

async function words(result: Exclude<WorkResult, { status: 'aborted' }>): Promise<{ text: string } | { trouble: string }> {
  if (result.status !== 'finished') return { trouble: result.message }
  const answer = jsonAnswer(result.words ?? result.output?.text ?? '') ?? jsonAnswer(result.summary ?? '')
  const text = answer?.['question']
  if (typeof text !== 'string' || text.trim() === '') return { trouble: 'It did not answer with {"question": "..."}.' }
  return { text: await redactedStart(text.trim(), TEXT_CHARACTERS_MAX) }
}

function failed(message: string): WorkResult {
  return { status: 'failed', fault: 'config', message }
}
