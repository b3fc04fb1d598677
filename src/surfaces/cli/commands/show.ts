import { existsSync, readFileSync } from 'node:fs'
import { heldOutFolder, heldOutResult } from '../../../engine/held-out.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { answersOf } from '../../../loops/research/answers.ts'
import type { ResearchResult } from '../../../loops/research/index.ts'
import { SUMMARY_LENGTH_MAX } from '../../../loops/review/progress.ts'
import { type Provenance, provenanceOf } from '../../../loops/review/index.ts'
import type { Store } from '../../../stores/store.ts'
import { lastLines } from '../../../process/last-lines.ts'
import { provenanceLines } from '../../../present/provenance.ts'
import { runLines } from '../../../present/run-lines.ts'
import { runView, type RunView } from '../../../present/run-view.ts'
import { snapshotLabel } from '../../../present/run-fold.ts'
import { snapshotPlaces } from '../run-space.ts'
import { researchLines, researchOf } from '../drive-run.ts'
import { holderOf, withKnownRun } from '../stored-run.ts'

export interface ShowFlags {
  /** Who did what in a review, instead. */
  readonly provenance?: boolean
}

/** Everything a person wants to know of a run, on one screen. */
export async function show(context: CliContext, run: string, flags: ShowFlags = {}): Promise<number> {
  const { terminal, isJson } = context
  if (flags.provenance) return showProvenance(context, run)
  let heldOut: string | undefined
  let saved: readonly string[] = []
  let research: ResearchResult | undefined
  const view = await withKnownRun(context, run, async (events, store): Promise<RunView> => {
    const [first] = events
    const folder = first?.type === 'run.started' ? heldOutFolder(first.data.config) : undefined
    heldOut = folder === undefined ? undefined : heldOutResult(folder, run)
    const holder = await holderOf(store, run)
    const told = runView(events)
    saved = await savedLabels(context, store, told)
    research = await researchOf(store, run)
    return { ...told, ...(holder ? { holder } : {}) }
  })
  const found = research ? ['', `Criteria    ${criteriaWords(research)}`, ...researchLines(research, run, terminal)] : []
  if (isJson) terminal.json(research ? { ...view, answers: answersOf(research), unmet: research.unmet } : view)
  else
    for (const line of [...runLines(view, terminal, Date.now()), ...found, ...savedLines(run, saved), ...heldOutLines(heldOut)])
      terminal.say(line)
  return EXIT.done
}

function criteriaWords({ unmet, convergences }: ResearchResult): string {
  if (convergences.length === 0) return 'not looked at yet'
  return unmet.length === 0 ? 'all reached' : `not reached: ${unmet.join(', ')}`
}

/** Trees that `pawl restore` saved: it writes nothing into the journal. */
async function savedLabels(context: CliContext, store: Store, { run, saved }: RunView): Promise<readonly string[]> {
  const places = await snapshotPlaces(context, store, [run])
  // A folder that is gone has none.
  const labels = await Promise.all(places.map(({ space }) => space.labels(run).catch(() => [])))
  const known = new Set(saved.map(({ snapshot }) => snapshotLabel(snapshot)))
  return labels
    .flat()
    .filter((label) => /^saved-\d+$/.test(label) && !known.has(label))
    .toSorted((one, other) => savedNumber(one) - savedNumber(other))
}

function savedNumber(label: string): number {
  return Number(label.slice('saved-'.length))
}

function savedLines(run: string, labels: readonly string[]): readonly string[] {
  if (labels.length === 0) return []
  return ['', 'Saved by pawl restore', ...labels.map((label) => `  ${label}: get it back with pawl restore ${run} ${label}`)]
}

/** What the held-out check printed last: for the person only, so it is in no journal. */
function heldOutLines(path: string | undefined): readonly string[] {
  if (path === undefined || !existsSync(path)) return []
  return [
    '',
    `Held-out check (${path}):`,
    ...lastLines(readFileSync(path, 'utf8'), 20, 4000)
      .split('\n')
      .map((line) => `  ${line}`),
  ]
}

async function showProvenance(context: CliContext, run: string): Promise<number> {
  const { terminal, isJson } = context
  const provenance = await withKnownRun(context, run, async (events, store) => withWords(provenanceOf(events), store))
  if (isJson) terminal.json({ run, ...provenance })
  else for (const line of provenanceLines(provenance, terminal)) terminal.say(line)
  return EXIT.done
}

/** An agent without its own summary is quoted with the end of what it said. */
async function withWords(provenance: Provenance, store: Store): Promise<Provenance> {
  const outputs = provenance.outputs.map(async (output) => {
    if (output.summary !== '' || output.said === undefined) return output
    const text = (await store.getText(output.said)) ?? ''
    return { ...output, summary: lastLines(text, LINES_MAX, SUMMARY_LENGTH_MAX) }
  })
  return { ...provenance, outputs: await Promise.all(outputs) }
}

const LINES_MAX = 3
