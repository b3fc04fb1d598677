import { resolve } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { provenanceRecords } from '../../../present/provenance.ts'
import { counted } from '../../../core/wording.ts'
import type { Event, StoredEvent } from '../../../core/event.ts'
import type { SealedEvent } from '../../../stores/store.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { ledgerGrid } from '../../../present/ledger-grid.ts'
import { printable, printableJson } from '../../../present/layout.ts'
import { runReport } from '../../../present/run-report.ts'
import { runView } from '../../../present/run-view.ts'
import { attestationOf } from './attestation.ts'
import { signWithSsh } from './ssh-signature.ts'
import { withKnownRun } from '../stored-run.ts'
import { writeNewFile } from './write-new-file.ts'
import { evolveAll } from '../../../loops/evolve.ts'
import { htmlReport } from '../../../loops/research/report-html.ts'
import { checkpointOf, convergenceChart, markdownReport, researchResult } from '../../../loops/research/index.ts'

export type ExportFormat = (typeof FORMATS)[number]

export interface ExportOptions {
  /** A file to write instead of standard output. */
  readonly out?: string
  /** Default `jsonl`: the sealed events one per line, exactly as stored, so that anyone can verify them. */
  readonly format?: string
  /** Write over a file that is there. */
  readonly force?: boolean
  /** An ssh key that signs an attestation: the signature is written beside it, as FILE.sig. */
  readonly sign?: string
}

/** Hands a run out: its events, its events with the view of them, a report to read, who did what, or an attestation. */
export async function exportRun(
  context: CliContext,
  run: string,
  { out, format = 'jsonl', force = false, sign }: ExportOptions = {},
): Promise<number> {
  const { terminal, isJson } = context
  requireFormat(format)
  if (isJson && out === undefined && TEXTS.has(format)) {
    throw new PawlError('usage.format', `${format} is not JSON: leave --json out, or write it to a file with --out.`)
  }
  if (sign !== undefined && (format !== 'in-toto' || out === undefined))
    throw new PawlError(
      'usage.sign',
      `--sign signs an attestation in a file: pawl export ${run} --format in-toto --out FILE --sign KEY`,
    )
  const exported = await withKnownRun(context, run, async (known, store) => ({
    known,
    events: await store.readStored(run),
  }))
  if (out === undefined) {
    for (const line of linesOf(format, exported)) print(context, line)
    return EXIT.done
  }
  const path = resolve(out)
  const signature = sign === undefined ? undefined : await signWithSsh(sign, `${[...linesOf(format, exported)].join('\n')}\n`)
  await writeNewFile(path, linesOf(format, exported), force)
  if (signature) await writeNewFile(`${path}.sig`, signature, force)
  const { length } = exported.events
  if (isJson) terminal.json({ run, path, format, events: length, ...(signature ? { signature: `${path}.sig` } : {}) })
  else if (isResearchFormat(format)) terminal.say(`The ${format.split('-')[0]} on ${run} is in ${path}.`)
  else terminal.say(`${counted(length, 'event')} of run ${run} are in ${path} (${format}).`)
  if (signature && !isJson)
    terminal.say(`Its signature is in ${path}.sig. Verify: pawl verify --attestation ${path} --signers FILE`)
  return EXIT.done
}

/** What only runs of research can be handed out as: a report to read, the same as data, a chart, a checkpoint in the seed's shape. */
export const RESEARCH_FORMATS = ['report', 'report-html', 'report-json', 'chart', 'checkpoint'] as const

const FORMATS = ['jsonl', 'json', 'markdown', 'provenance-jsonl', 'in-toto', ...RESEARCH_FORMATS] as const

/** Formats for people. */
const TEXTS: ReadonlySet<string> = new Set(['markdown', 'report', 'report-html', 'chart'])

function requireFormat(format: string): asserts format is ExportFormat {
  if ((FORMATS as readonly string[]).includes(format)) return
  throw new PawlError('usage.format', `"${format}" is not a format of export; there are ${FORMATS.join(', ')}.`, {
    value: format,
  })
}

interface Exported {
  /** As they are read, and as they were written. */
  readonly known: readonly SealedEvent[]
  readonly events: readonly StoredEvent[]
}

/** Line by line, so that a long run need not fit into one text. */
function* linesOf(format: ExportFormat, { known, events }: Exported): Generator<string> {
  if (format === 'jsonl') for (const event of events) yield printableJson(event)
  else if (format === 'provenance-jsonl') for (const record of provenanceRecords(known)) yield printableJson(record)
  else if (format === 'in-toto') yield printableJson(attestationOf(known))
  else if (isResearchFormat(format)) yield* researchExport(known, format)
  else {
    const view = runView(known)
    if (format === 'json') yield printableJson({ run: view.run, events, view })
    else
      yield* runReport(view, ledgerGrid(known))
        .trimEnd()
        .split('\n')
        .map((line) => printable(line))
  }
}

/** With `--json` only `terminal.json` reaches standard output. */
function print({ terminal, isJson }: CliContext, line: string): void {
  if (isJson) terminal.json(JSON.parse(line))
  else terminal.say(line)
}

type ResearchFormat = (typeof RESEARCH_FORMATS)[number]

/** Whether a format is one of them. */
export function isResearchFormat(format: string): format is ResearchFormat {
  return (RESEARCH_FORMATS as readonly string[]).includes(format)
}

/** The lines of it. */
export function researchExport(events: readonly Event[], format: ResearchFormat): readonly string[] {
  const state = evolveAll(undefined, events)
  if (!state?.slices?.research)
    throw new PawlError(
      'usage.format',
      `The format "${format}" is for runs of research: use markdown, json or jsonl for this one.`,
      {
        value: format,
      },
    )
  if (format === 'checkpoint') return [printableJson(checkpointOf(state))]
  const result = researchResult(state)
  if (format === 'report-json') return [printableJson(result)]
  const texts = {
    chart: () => convergenceChart(result.convergences),
    report: () => markdownReport(result),
    'report-html': () => htmlReport(result),
  }
  const text = texts[format]()
  return printable(text).trimEnd().split('\n')
}
