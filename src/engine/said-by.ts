import { type Claim, claimIn } from '../core/claim.ts'
import type { Spinning } from '../core/spinning.ts'
import { spinningIn } from '../core/measures/spinning-text.ts'
import { withoutEcho } from '../core/without-echo.ts'
import { redactSaid } from '../secrets/filter.ts'
import type { WorkDetails } from '../agents/agent.ts'
import type { Captured } from '../process/output.ts'

interface Said extends Pick<WorkDetails, 'words'> {
  readonly output?: Captured
  readonly summary?: string
}

/**
 * The promise that an agent claims at the end of its work; `brief` is not its own words. What it said last counts; where the driver
 * cannot tell what was said, the end of what was printed. The reason is read where there are no secrets any more, since it is cut short.
 */
export async function claimBy(
  { words, output, summary }: Said,
  promises: readonly string[],
  brief: string,
): Promise<Claim | undefined> {
  const said = words ?? output?.text ?? ''
  const claim = claimIn(withoutEcho(lastWords(said, summary), brief), promises)
  if (claim?.reason === undefined) return claim
  const { promise } = claim
  const clean = claimIn(withoutEcho(lastWords(await redactSaid(said), await redactSaid(summary ?? '')), brief), promises)
  return { promise, ...(clean?.promise === promise && clean.reason !== undefined ? { reason: clean.reason } : {}) }
}

/** Whether an agent says the same again and again, and what, without secrets. A short text is no circle worth stopping for. */
export async function spinningBy({ words, output }: Said): Promise<{ readonly spinning?: Spinning }> {
  const said = words ?? output?.text ?? ''
  const spinning = said.length < SPINNING_CHARACTERS_MIN ? undefined : spinningIn(said)
  if (spinning === undefined) return {}
  const clean = await redactSaid(said)
  return { spinning: clean === said ? spinning : { ...spinning, unit: spinningIn(clean)?.unit ?? UNIT_WITHHELD } }
}

const LAST_CHARACTERS_MAX = 20_000
const SPINNING_CHARACTERS_MIN = 2000
const UNIT_WITHHELD = '(not shown: there is a secret near it)'

function lastWords(said: string, summary = ''): string {
  return `${said.slice(-LAST_CHARACTERS_MAX)}\n${summary}`
}
