import type { Spinning } from '../core/spinning.ts'
import { spinningIn } from '../core/measures/spinning-text.ts'
import { redactSaid } from '../secrets/filter.ts'
import type { WorkDetails } from '../agents/agent.ts'
import type { Captured } from '../process/output.ts'

interface Said extends Pick<WorkDetails, 'words'> {
  readonly output?: Captured
}

/** Whether an agent says the same again and again, and what, without secrets. A short text is no circle worth stopping for. */
export async function spinningBy({ words, output }: Said): Promise<{ readonly spinning?: Spinning }> {
  const said = words ?? output?.text ?? ''
  const spinning = said.length < SPINNING_CHARACTERS_MIN ? undefined : spinningIn(said)
  if (spinning === undefined) return {}
  const clean = await redactSaid(said)
  return { spinning: clean === said ? spinning : { ...spinning, unit: spinningIn(clean)?.unit ?? UNIT_WITHHELD } }
}

const SPINNING_CHARACTERS_MIN = 2000
const UNIT_WITHHELD = '(not shown: there is a secret near it)'
