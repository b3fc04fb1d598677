import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TextRef } from '../../../core/event-data.ts'
import type { Event } from '../../../core/event.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { byteWords, counted } from '../../../core/wording.ts'
import { resultIn } from '../../../evidence/research-results.ts'
import { provenanceOf } from '../../../loops/review/index.ts'
import { diffFileViews, fileHunks } from '../../../present/diff-view.ts'
import { gridView } from '../../../present/grid-view.ts'
import { basisBefore, iterationDetail } from '../../../present/iteration-detail.ts'
import { printableJson } from '../../../present/layout.ts'
import { provenanceRecords } from '../../../present/provenance.ts'
import { DetailFold } from '../../../present/run-detail.ts'
import type { SealedEvent, Store } from '../../../stores/store.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { withKnownRun } from '../stored-run.ts'
import { exportRun } from './export.ts'
import { requireNewFile, writeNewFile } from './write-new-file.ts'

export interface ReportFlags {
  /** One file that opens in a browser, from disk and without a network. Default: Markdown. */
  readonly html?: boolean
  /** Default: `RUN.html` for HTML, standard output for Markdown. */
  readonly out?: string
  readonly force?: boolean
}

/** Writes a run down to be read: as one HTML file with the page's own views, or as Markdown. */
export async function report(context: CliContext, flags: ReportFlags, run: string): Promise<number> {
  const { html = false, force = false } = flags
  if (!html) return exportRun(context, run, { ...flags, format: 'markdown' })
  const path = resolve(flags.out ?? `${run.replaceAll(/[^\w.-]/g, '_')}.html`)
  requireNewFile(path, force)
  const template = readFileSync(templatePath(), 'utf8')
  const { answers, leftOut } = await withKnownRun(context, run, (events, store) => reportAnswers(run, events, store))
  // `<` would let text of an agent end the script that holds the data.
  const data = printableJson(answers).replaceAll('<', String.raw`\u003c`)
  const document = template.replace('"PAWL-DATA"', () => data)
  await writeNewFile(path, [document], force)
  const bytes = Buffer.byteLength(document)
  if (context.isJson) context.terminal.json({ run, path, bytes, iterationsLeftOut: leftOut })
  else {
    context.terminal.say(`The report on ${run} is in ${path} (${byteWords(bytes)}).`)
    if (leftOut > 0)
      context.terminal.warn(
        `It leaves out the details of the first ${counted(leftOut, 'iteration')}: they are too much for one file.`,
      )
  }
  return EXIT.done
}

/** The page is built with the program; from source there may be none yet. */
function templatePath(): string {
  const places = ['./web/report.html', '../../../../dist/web/report.html'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new PawlError('report.no-page', "The report's template isn't built yet. Build it: npm run build")
  return found
}

/** About how much the details of the iterations may take, the newest first. */
const DETAILS_LENGTH_MAX = 12_000_000
const TEXT_LENGTH_MAX = 64 * 1024
const FILES_MAX = 100
const LINES_MAX = 2000
const TESTS_MAX = 2000
const EVENTS_MAX = 2000

interface ReportAnswers {
  /** What the API would answer, by path: the same views read it as from a server. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Of how many iterations there are no details. */
  readonly leftOut: number
}

/** Everything that the page of one run asks for. */
async function reportAnswers(run: string, events: readonly SealedEvent[], store: Pick<Store, 'getText'>): Promise<ReportAnswers> {
  const fold = new DetailFold()
  for (const event of events) fold.take(event)
  const base = `/runs/${encodeURIComponent(run)}`
  const grid = gridView(run, fold.ledger.grid(), { offset: 0, limit: TESTS_MAX })
  const research = resultIn(events)
  const answers: Record<string, unknown> = {
    [base]: { ...fold.detail(), isHeld: false },
    [`${base}/grid`]: { ...grid, total: grid.rows.length },
    [`${base}/events`]: { events: events.slice(-EVENTS_MAX) },
    [`${base}/review`]: { run, ...provenanceOf(events), records: provenanceRecords(events) },
    ...(research ? { [`${base}/research`]: research } : {}),
  }
  const { iterations } = fold.run
  let left = DETAILS_LENGTH_MAX
  let number = iterations.length
  for (; number >= 0 && left > 0; number--) {
    const from = number === 0 ? 0 : (iterations[number - 1]?.seq ?? 1) - 1
    const own = events.slice(from, (iterations[number]?.seq ?? events.length + 1) - 1)
    for (const [path, answer] of await iterationAnswers(`${base}/iterations/${number}`, number, fold, own, events, store)) {
      answers[path] = answer
      left -= JSON.stringify(answer).length
    }
  }
  return { answers, leftOut: Math.max(0, number + 1) }
}

/** One iteration: its details, the files it changed, and the texts of its checks. */
async function iterationAnswers(
  path: string,
  number: number,
  fold: DetailFold,
  own: readonly Event[],
  all: readonly Event[],
  store: Pick<Store, 'getText'>,
): Promise<readonly (readonly [path: string, answer: unknown])[]> {
  const run = fold.run.state?.run ?? ''
  const text = async (ref: TextRef): Promise<string> => (await store.getText(ref)) ?? ''
  const shortened = async (ref: TextRef): Promise<unknown> => {
    const { sha256, bytes, bytesCut = 0 } = ref
    const whole = await text(ref)
    const isCut = whole.length > TEXT_LENGTH_MAX || bytesCut > 0
    return { sha256, text: whole.slice(0, TEXT_LENGTH_MAX), bytes: bytes + bytesCut, ...(isCut ? { isCut } : {}) }
  }
  const earlier = basisBefore(number, fold.run, own[0]?.seq ?? 0).flatMap((seq) => all[seq - 1] ?? [])
  const detail = iterationDetail(number, fold.run, own, earlier)
  const works = detail.works.map(async ({ brief, words, ...work }) => ({
    ...work,
    brief: await shortened(brief),
    ...(words ? { words: await shortened(words) } : {}),
  }))
  const outputs = detail.checks.flatMap(({ output }) => output ?? [])
  const observed = own.findLast(
    (event): event is Event<'workspace.observed'> => event.type === 'workspace.observed' && event.by.role === 'workspace',
  )
  const patch = observed?.data.diff ? await text(observed.data.diff) : ''
  const files = diffFileViews(patch, observed?.data.files ?? [])
  const { filesChanged = 0, insertions = 0, deletions = 0 } = observed?.data ?? {}
  const isCut = observed?.data.diff?.bytesCut ? { isCut: true } : {}
  return [
    [path, { ...detail, works: await Promise.all(works) }],
    [
      `${path}/diff`,
      { run, iteration: number, files, filesChanged, insertions, deletions, ...isCut, command: `pawl diff ${run} ${number}` },
    ],
    ...files
      .filter(({ insertions: added }) => added !== undefined)
      .slice(0, FILES_MAX)
      .map(
        ({ path: file }) =>
          [
            `${path}/diff?file=${encodeURIComponent(file)}`,
            { run, iteration: number, path: file, ...fileHunks(patch, file, LINES_MAX) },
          ] as const,
      ),
    ...(await Promise.all(
      outputs.map(async (ref) => [`/texts/${ref.sha256}`, (await text(ref)).slice(-TEXT_LENGTH_MAX)] as const),
    )),
  ]
}
