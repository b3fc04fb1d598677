import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KindData, ODDS_KINDS } from '../../src/guards/odds/odds-data.ts'
import { benchWords } from '../bench-words.ts'
import { missingLoops, RECORDED_LOOPS } from '../recorded-loops.ts'
import { crossValidated, judgedByData } from './cross-validated.ts'
import { fit } from './fit.ts'
import { givenChances } from './given-chances.ts'
import { limitsOf } from './limits-of.ts'
import { recordedMoments } from './recorded-moments.ts'

/*
 * `npx node bench/odds/train.ts [FOLDER]`: learns the odds from recorded loops and writes the file that ships. The same loops give the same
 * file, to the last byte.
 */

const HEAD = `import type { OddsData } from './odds-data.ts'

/** Learned from recorded loops by \`bench/odds/train.ts\`; never edited by hand. */
export const SHIPPED_ODDS: OddsData = {
`

const words = benchWords(process.argv.slice(2), [])
const folder = words.folder ?? RECORDED_LOOPS
const problem = words.problem ?? missingLoops(folder)
if (problem === undefined) await train()
else {
  console.error(problem)
  process.exitCode = 2
}

async function train(): Promise<void> {
  const loops = await recordedMoments(folder)
  const kinds = ODDS_KINDS.map((kind) => {
    const ofKind = loops.filter((loop) => loop.kind === kind)
    const { judged } = crossValidated(kind, ofKind, say)
    say(`${kind}: all ${ofKind.length} loops`)
    const learned = fit(kind, ofKind)
    const limits = limitsOf(judged, judgedByData(kind, ofKind, learned))
    return `  ${kind}: ${literal({ ...learned, given: givenChances(judged), limits })},\n`
  })
  const file = join(import.meta.dirname, '..', '..', 'src', 'guards', 'odds', 'shipped-odds.ts')
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
