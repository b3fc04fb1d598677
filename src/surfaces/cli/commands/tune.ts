import { PawlError } from '../../../core/pawl-error.ts'
import type { CliContext } from '../cli-context.ts'
import { comparedWithFile, isInPlace, settingOf, tunedProposals } from '../tune-proposals.ts'
import { textFile } from '../../../settings/text-file.ts'
import { writeConfig } from '../../../settings/config-text.ts'
import { EXIT } from '../exit-codes.ts'
import { requireGuardName } from '../guard-name.ts'
import { ownHistory } from '../../../evidence/own-history.ts'
import { sinceInstant } from '../time-flags.ts'
import type { TunedProposal, TuningCounts } from '../../../evidence/proposals.ts'
import { type TuneDocument, tuneLines } from '../../../present/stats-lines.ts'
import { withExistingStore } from '../stored-run.ts'

export interface TuneOptions {
  /** Only runs that began since. */
  readonly since?: string
  /** Only this guard. */
  readonly guard?: string
  /** Write the proposals into `pawl.yaml`. Default: only say them. */
  readonly write?: boolean
}

/** Proposes thresholds from this project's own runs and the answers people gave, and what to expect of them. Writes only when told to. */
export async function tune(context: CliContext, { since, guard, write = false }: TuneOptions = {}): Promise<number> {
  const { terminal, isJson } = context
  const from = since === undefined ? undefined : sinceInstant(since, Date.now())
  const found = await withExistingStore(context, async (store) => ({
    ...(await tunedProposals(store, {
      ...(from === undefined ? {} : { from }),
      ...(guard === undefined ? {} : { guard }),
      compare: (proposals) => comparedWithFile(context, proposals, write),
    })),
    ownOdds: await ownHistory(store, context.project.storePath),
  }))
  const { runs = 0, counts = NOTHING, damaged = [], tuned: proposals = [], ownOdds = {}, guards = [] } = found ?? {}
  if (guard !== undefined) requireGuardName(guard, guards)
  const open = proposals.filter(({ inPlace }) => !inPlace)
  const written = write ? await writeProposals(context, open) : null
  const document: TuneDocument = { since: from ?? null, runs, counts, damaged, proposals, ownOdds, written }
  if (isJson) terminal.json(document)
  else for (const line of tuneLines(document, terminal)) terminal.say(line)
  return EXIT.done
}

const NOTHING: TuningCounts = { solved: 0, failed: 0, open: 0 }

/** The file is written only if what comes out can be read again and says what was proposed. */
async function writeProposals({ project }: CliContext, open: readonly TunedProposal[]): Promise<TuneDocument['written']> {
  const { setInYaml } = await import('../../../settings/set-in-yaml.ts')
  const { parseConfig } = await import('../../../settings/parse-config.ts')
  const before = (await textFile(project.configPath)) ?? ''
  const settable = open.flatMap((proposal) => {
    const setting = settingOf(proposal)
    return setting ? [{ proposal, setting }] : []
  })
  if (settable.length === 0) return null
  const after = settable.reduce((text, { setting: { path, value } }) => setInYaml(text, path, value), before)
  const config = parseConfig(after, project.configPath)
  const unset = settable.find(({ proposal }) => !isInPlace(proposal, config))
  if (unset) {
    const sentence = `${project.configPath} is written in a way that it cannot be changed by a program: put these lines into it yourself:\n${unset.proposal.yaml}`
    throw new PawlError('config.not-set', sentence, { value: project.configPath })
  }
  const done = await writeConfig(project.configPath, after, true)
  const backup = done.status === 'written' ? done.backup : undefined
  return { path: project.configPath, ...(backup === undefined ? {} : { backup }) }
}
