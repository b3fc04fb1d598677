import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ODDS_KINDS } from '../../src/core/odds/odds-kind.ts'
import type { KindData } from '../../src/core/odds/odds-data.ts'
import { missingLoops, RECORDED_LOOPS } from '../recorded-loops.ts'
import { crossValidated } from './cross-validated.ts'
import { fit } from './fit.ts'
import { limitsOf } from './limits-of.ts'
import { recordedMoments } from './recorded-moments.ts'

/*
 * `node bench/odds/train.ts [FOLDER]`: learns the odds from recorded loops and writes the file that ships. The same loops give the same
 * file, to the last byte.
 */

const HEAD = `import type { OddsData } from './odds-data.ts'

/** Learned from recorded loops by \`bench/odds/train.ts\`; never edited by hand. */
export const SHIPPED_ODDS: OddsData = {
`

const folder = process.argv[2] ?? RECORDED_LOOPS
const missing = missingLoops(folder)
if (missing === undefined) await train()
else {
  console.error(missing)
  process.exitCode = 2
}

async function train(): Promise<void> {
  const loops = await recordedMoments(folder)
  const kinds = ODDS_KINDS.map((kind) => {
    const ofKind = loops.filter((loop) => loop.kind === kind)
    const limits = limitsOf(crossValidated(kind, ofKind, say))
    say(`${kind}: all ${ofKind.length} loops`)
    return `  ${kind}: ${literal({ ...fit(kind, ofKind), limits })},\n`
  })
  const file = join(import.meta.dirname, '..', '..', 'src', 'core', 'odds', 'shipped-odds.ts')
  writeFileSync(file, `${HEAD}${kinds.join('')}}\n`)
  say(`wrote ${file}; now run oxfmt on it`)
}

function literal(data: KindData): string {
  const fields = Object.entries(data).map(([name, value]) => `    ${name}: ${JSON.stringify(value).replaceAll('"', "'")},\n`)
  return `{\n${fields.join('')}  }`
}

function say(line: string): void {
  console.error(line)
}
