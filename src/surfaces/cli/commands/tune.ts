import type { OwnOdds } from '../../../core/odds/own-odds.ts'
import type { CliContext } from '../cli-context.ts'
import { textFile } from '../config/text-file.ts'
import { writeConfig } from '../config/write-config.ts'
import { EXIT } from '../exit-codes.ts'
import { ownHistory } from '../own-history.ts'
import { sinceInstant } from '../since.ts'
import type { TunedProposal } from '../tuned-proposals.ts'
import { tuneLines } from '../views/tune-lines.ts'
import { withExistingStore } from './existing-store.ts'

export interface TuneOptions {
  /** Only runs that began since. */
  readonly since?: string
  /** Only this guard. */
  readonly guard?: string
  /** Write the proposals into `pawl.yaml`. Default: only say them. */
  readonly write?: boolean
}

/** What `pawl tune --json` prints. */
export interface TuneDocument {
  readonly since: number | null
  readonly runs: number
  readonly damaged: readonly string[]
  readonly proposals: readonly TunedProposal[]
  /** How many of one's own loops stand behind the odds of the next run, by kind, and how far they move them. */
  readonly ownOdds: OwnOdds
  /** The file that was written, and where the old one is kept. */
  readonly written: { readonly path: string; readonly backup?: string } | null
}

/** Proposes thresholds from this project's own runs and the answers people gave, and what to expect of them. Writes only when told to. */
export async function tune(context: CliContext, { since, guard, write = false }: TuneOptions = {}): Promise<number> {
  const { terminal, isJson } = context
  const from = since === undefined ? undefined : sinceInstant(since, Date.now())
  // Only here: what it needs takes longer to load than the rest.
  const { tunedProposals } = await import('../tuned-proposals.ts')
  const found = await withExistingStore(context, async (store) => ({
    ...(await tunedProposals(store, from, guard)),
    ownOdds: await ownHistory(store, context.project),
  }))
  const { runs = 0, damaged = [], tuned = [], ownOdds = {} } = found ?? {}
  const written = write && tuned.length > 0 ? await writeProposals(context, tuned) : null
  const document: TuneDocument = { since: from ?? null, runs, damaged, proposals: tuned, ownOdds, written }
  if (isJson) terminal.json(document)
  else for (const line of tuneLines(document, terminal)) terminal.say(line)
  return EXIT.done
}

/** The file is written only if what comes out can be read again. */
async function writeProposals({ project }: CliContext, tuned: readonly TunedProposal[]): Promise<TuneDocument['written']> {
  const { settingOf } = await import('../tuned-policies.ts')
  const { setInYaml } = await import('../config/set-in-yaml.ts')
  const { parseConfig } = await import('../config/parse-config.ts')
  const before = (await textFile(project.configPath)) ?? ''
  const settings = tuned.flatMap((proposal) => settingOf(proposal) ?? [])
  if (settings.length === 0) return null
  const after = settings.reduce((text, { path, value }) => setInYaml(text, path, value), before)
  parseConfig(after, project.configPath)
  const done = await writeConfig(project.configPath, after, true)
  if (done.status !== 'written') return null
  return { path: project.configPath, ...(done.backup === undefined ? {} : { backup: done.backup }) }
}
