import type { Agent, WorkResult } from '../agents/agent.ts'
import type { Usage } from '../core/event-data.ts'
import { agentName } from '../core/run-config.ts'
import type { Trip } from '../core/trip.ts'
import { counted, money, thousands } from '../core/wording.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { type CeilingLimits, type CeilingReached, type CeilingUse, type Ledger, openLedger } from '../stores/sqlite-ledger.ts'

/** Ceilings over all runs of a project, or of a user account on this machine. */
export interface Ceiling {
  readonly scope: 'project' | 'account'
  /** The ledger's file. */
  readonly path: string
  readonly limits: CeilingLimits
  /** Where they can be raised, in a few words. */
  readonly setIn: string
}

/** Finds the ceilings that hold now. Asked before every piece of work, so that a raised one holds at once. */
export type FindCeilings = () => Promise<readonly Ceiling[]>

/**
 * The agent under ceilings: what its work will use is reserved before it begins, what it used is settled after it, and work that reaches
 * a ceiling is ended. If the ledger can't be used, nothing begins.
 */
export function underCeilings(agent: Agent, find: FindCeilings): Agent {
  const work: Agent['work'] = async (request, context) => {
    let taken: Taken | WorkResult | undefined
    try {
      taken = reserve(await find(), { run: request.run, agent: agentName(agent.spec), costUsdMax: request.costUsdMax })
    } catch (error) {
      taken = failed('environment', (error as Error).message, 'Fix or delete the file that is named, then resume.')
    }
    if (taken === undefined) return agent.work(request, context)
    if ('status' in taken) {
      await context.started()
      return taken
    }
    const watch = watched(taken, context)
    let used: Usage = { isUsagePartial: true }
    try {
      const costUsdMax = Math.min(request.costUsdMax ?? Infinity, taken.leftUsd)
      const result = await agent.work({ ...request, ...(costUsdMax === Infinity ? {} : { costUsdMax }) }, watch.context)
      used = result
      return watch.ending(result)
    } finally {
      watch.stop()
      settle(taken.held, used)
    }
  }
  // An agent may be of a class.
  return Object.assign(Object.create(agent) as Agent, { work })
}

/** What can't be settled stays reserved as long as this process lives, which errs on the safe side; the work's result isn't lost over it. */
function settle(held: readonly Held[], used: Usage): void {
  for (const { ledger, id } of held) {
    try {
      ledger.settle(id, used)
    } catch {
      // The ledger was busy for seconds, or its disk is full.
    } finally {
      ledger.close()
    }
  }
}

interface Held {
  readonly ceiling: Ceiling
  readonly ledger: Ledger
  readonly id: number
}

interface Taken {
  readonly held: readonly Held[]
  readonly leftUsd: number
}

/** Reserves under every ceiling or under none. Nothing if there is no ceiling. */
function reserve(ceilings: readonly Ceiling[], work: Parameters<Ledger['reserve']>[0]): Taken | WorkResult | undefined {
  const held: Held[] = []
  let leftUsd = Infinity
  const release = (): void => {
    for (const { ledger, id } of held) {
      ledger.cancel(id)
      ledger.close()
    }
  }
  for (const ceiling of ceilings.filter(({ limits }) => Object.values(limits).some((limit) => limit !== undefined))) {
    let ledger: Ledger | undefined
    try {
      ledger = openLedger(ceiling.path)
      const reserved = ledger.reserve(work, ceiling.limits)
      if ('id' in reserved) {
        held.push({ ceiling, ledger, id: reserved.id })
        leftUsd = Math.min(leftUsd, reserved.leftUsd ?? Infinity)
        continue
      }
      ledger.close()
      release()
      return refusal(ceiling, reserved, work)
    } catch (error) {
      if (!held.some((each) => each.ledger === ledger)) ledger?.close()
      release()
      throw error
    }
  }
  return held.length === 0 ? undefined : { held, leftUsd }
}

/** How often work that reports nothing renews its reservation: as often as a claim. */
const RENEWAL_MS = 10_000

/** After this long it is looked again whether other runs have left enough. */
const LOOK_AGAIN_MS = 30_000

interface Watched {
  readonly context: EffectContext
  ending(result: WorkResult): WorkResult
  stop(): void
}

/** Notes what the work used so far, and ends it at a ceiling. */
function watched({ held }: Taken, context: EffectContext): Watched {
  const over = new AbortController()
  let used: Usage = {}
  let endedBy: Trip | undefined
  const cover = (): void => {
    for (const { ceiling, ledger, id } of held) {
      let reached: CeilingReached | undefined
      try {
        reached = ledger.cover(id, used, ceiling.limits)
      } catch {
        // The next report or renewal tries again; without any, the reservation lapses and the work's end settles it.
        continue
      }
      if (!reached || endedBy) continue
      endedBy = tripOf(ceiling, reached)
      over.abort()
    }
  }
  const timer = setInterval(cover, RENEWAL_MS)
  timer.unref()
  return {
    context: {
      ...context,
      signal: AbortSignal.any([context.signal, over.signal]),
      report: (report) => {
        const isMore = report.used.costUsd !== used.costUsd || report.used.tokens !== used.tokens
        used = report.used
        context.report?.(report)
        if (isMore) cover()
      },
    },
    ending: (result) =>
      endedBy && result.status === 'aborted' && !context.signal.aborted ? { ...result, status: 'finished', endedBy } : result,
    stop: () => clearInterval(timer),
  }
}

function tripOf(ceiling: Ceiling, reached: CeilingReached): Trip {
  return {
    guard: 'ceiling',
    severity: 'trip',
    topic: reached.limit,
    code: 'ceiling.reached',
    message: `${ceilingWords(ceiling, reached)} is reached.`,
    evidence: { facts: [], measures: { max: reached.max, spent: reached.spent, used: reached.wanted } },
    hint: raiseWords(ceiling, reached),
  }
}

/** Waits if the rest is only reserved, since other work will settle soon; asks if it is spent. */
function refusal(ceiling: Ceiling, reached: CeilingReached, { run, agent }: { run: string; agent: string }): WorkResult {
  const { spent, reserved, wanted, isHeldBy, isEstimated, limit } = reached
  const say = wordsOf(limit)
  const held = reserved > 0 ? `, ${say(reserved)} reserved` : ''
  const need = wanted > 0 ? `; ${agent} may need ${say(wanted)}` : ''
  const message = `${ceilingWords(ceiling, reached)} leaves too little: ${say(spent)} spent${isEstimated ? ' (estimated)' : ''}${held}${need}.`
  if (isHeldBy) {
    const result = failed('provider-limit', message, `It waits for ${counted(isHeldBy.length, 'run')}: ${isHeldBy.join(', ')}.`)
    return { ...result, isCeiling: true, retryAt: Date.now() + LOOK_AGAIN_MS }
  }
  const asks = failed('environment', message, `${raiseWords(ceiling, reached)}\nThen: pawl answer ${run} 1 --resume`)
  return { ...asks, isCeiling: true }
}

function failed(fault: 'environment' | 'provider-limit', message: string, fix: string) {
  return { status: 'failed', fault, message, fix } as const
}

/** The line that raises it, with a value that lets the work begin. */
function raiseWords({ setIn, scope }: Ceiling, { limit, max, spent, reserved, wanted }: CeilingReached): string {
  const key = limit.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)
  const needed = Math.ceil((spent + reserved + wanted) * 1.5 * 100) / 100
  const to = limit.endsWith('Usd') ? Math.max(max * 2, needed) : Math.ceil(Math.max(max * 2, needed))
  const line = scope === 'project' ? `ceilings: { ${key}: ${to} }` : `${key}: ${to}`
  return `To raise it, write in ${setIn}: ${line}`
}

/** "The ceiling of $20.00 a day for this project". */
function ceilingWords({ scope }: Pick<Ceiling, 'scope'>, { limit, max }: Pick<CeilingUse, 'limit' | 'max'>): string {
  const whose = scope === 'project' ? 'this project' : 'your account'
  return `The ceiling of ${wordsOf(limit)(max)} a ${limit.startsWith('day') ? 'day' : 'month'} for ${whose}`
}

/** How amounts under a ceiling are said. */
function wordsOf(limit: keyof CeilingLimits): (amount: number) => string {
  return limit.endsWith('Usd') ? money : (amount) => `${thousands(amount)} tokens`
}
