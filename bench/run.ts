import { availableParallelism, constants, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { Figure, Measurement } from './figure.ts'
import { FIGURES } from './figures.ts'
import { report, summary, toJson } from './report.ts'

const USAGE = `npm run bench -- [--json] [--strict] [FIGURE …]

  --json     one JSON object a figure, each on a line
  --strict   exit code 1 when a bound is missed
  FIGURE     ${FIGURES.map(({ name }) => name).join(', ')}; default: all
`

// Temporary folders are removed when the process exits, which a signal alone would not let it do.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
process.exitCode = await main(process.argv.slice(2))

/** Measures what was asked for. 0: all was measured; 1: something could not be, or a bound was missed under `--strict`; 2: wrong usage. */
async function main(args: readonly string[]): Promise<number> {
  const wishes = wishesFrom(args)
  if (typeof wishes === 'string') {
    process.stderr.write(`${wishes}\n\n${USAGE}`)
    return 2
  }
  if (wishes.isHelp) {
    process.stdout.write(USAGE)
    return 0
  }
  const measurements: [Figure, Measurement][] = []
  for (const [index, figure] of wishes.figures.entries()) {
    process.stderr.write(`Measuring ${figure.name} (${index + 1} of ${wishes.figures.length}) …\n`)
    const measurement = await measured(figure)
    measurements.push([figure, measurement])
    process.stdout.write(wishes.isJson ? `${toJson(figure, measurement)}\n` : `${report(figure, measurement)}\n\n`)
  }
  if (!wishes.isJson) process.stdout.write(`${summary(measurements)}\n`)
  warnIfBusy()
  const isFailed = measurements.some(
    ([{ bound }, each]) => each.status === 'unmeasured' || (wishes.isStrict && !bound.holds(each.value)),
  )
  return isFailed ? 1 : 0
}

/** Both sides of a ratio are measured in turn, but a machine that does other things as well still blurs them. */
function warnIfBusy(): void {
  const [load = 0] = loadavg()
  const cores = availableParallelism()
  // The bench itself keeps somewhat more than one core busy.
  if (load <= cores + 1) return
  process.stderr.write(`The machine was busy (a load of ${load.toFixed(1)} on ${cores} cores): measure again when it is not.\n`)
}

interface Wishes {
  readonly figures: readonly Figure[]
  readonly isJson: boolean
  readonly isStrict: boolean
  readonly isHelp: boolean
}

/** What was asked for, or what is wrong with it. */
function wishesFrom(args: readonly string[]): Wishes | string {
  const flag = { type: 'boolean', default: false } as const
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: flag, strict: flag, help: flag },
      allowPositionals: true,
    })
    const unknown = positionals.find((name) => FIGURES.every((figure) => figure.name !== name))
    if (unknown !== undefined) return `There is no figure "${unknown}".`
    const figures = FIGURES.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
    return { figures, isJson: values.json, isStrict: values.strict, isHelp: values.help }
  } catch (error) {
    return (error as Error).message
  }
}

/** A figure that breaks must not keep the others from being measured. */
async function measured(figure: Figure): Promise<Measurement> {
  try {
    return await figure.measure((line) => process.stderr.write(`  ${line}\n`))
  } catch (error) {
    return { status: 'unmeasured', reason: error instanceof Error ? error.message : String(error) }
  }
}
