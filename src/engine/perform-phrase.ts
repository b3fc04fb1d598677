import { INTERRUPTED } from '../core/evolve-effect.ts'
import type { EffectOf } from '../core/effect.ts'
import type { Author, Fact } from '../core/event.ts'
import { jsonAnswer } from '../core/json-answer.ts'
import { redactedStart } from '../secrets/filter.ts'
import type { WorkResult } from '../agents/agent.ts'
import { contextOf, type Performance } from './performance.ts'
import { messageOf, usageOf } from './perform-work.ts'

/** Has an agent put a question into words. Whatever goes wrong, the question is asked as it stands: nobody waits for fine words. */
export async function performPhrase(effect: EffectOf<'phrase'>, performance: Performance): Promise<void> {
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
