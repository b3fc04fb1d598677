import { builtInFolds } from '../../../loops/evolve.ts'
import { join, resolve } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import type { RunConfig } from '../../../core/run-config.ts'
import { redactJson } from '../../../secrets/filter.ts'
import { configText, DEFAULT_RESEARCH_RULES, type ReadConfig } from '../../../loops/research/index.ts'
import type { Store } from '../../../stores/store.ts'
import { loadState } from '../../../engine/session.ts'
import { systemClock } from '../../../process/clock.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import { shortPath } from '../../../settings/text-file.ts'
import { driveRun, tellResearch } from '../drive-run.ts'
import { EXIT } from '../exit-codes.ts'
import { freeRunId, knownRun } from '../start-run.ts'
import { researchConfig, type ResearchFlags } from '../research-config.ts'
import { pastOf } from '../../../evidence/research-results.ts'
import { checkpointWriter, loadCheckpoint, loadConfigFolder, makeCheckpointFolder } from '../research-files.ts'
import { loadResearchFile, RESEARCH_FILE } from '../../../settings/research-file.ts'
import { requireNewFile, writeNewFile } from './write-new-file.ts'
import { exportRun } from './export.ts'

/** Finds something out about a codebase: gaps, specialists, verified citations, until it converges. `init` writes the file of settings. */
export async function research(context: CliContext, flags: ResearchFlags, question: string | undefined): Promise<number> {
  if (question?.trim() === 'init') return init(context, flags)
  const goal = question?.trim() ?? ''
  if (goal === '')
    throw new PawlError(
      'usage.no-question',
      'What do you want to know? pawl research "Where is the login handled and what uses it?" (pawl research init writes a file of settings.)',
    )
  if (flags.report !== undefined) requireNewFile(resolve(flags.report), flags.force ?? false)
  const { overrides, unused, ...checkpoints } = await settingsFrom(context, flags)
  const checkpoint = flags.from === undefined ? {} : { checkpoint: await loadCheckpoint(resolve(flags.from)) }
  const config = await loadConfig(context.project.configPath)
  const folder = checkpointFolder(context, checkpoints)
  const request = { goal, overrides, ...checkpoint, ...(folder === undefined ? {} : { ownFolder: folder }) }
  // What cannot be meant is refused before the store is opened.
  const { workspace } = researchConfig(context.project, flags, config, request)
  const isWritable = folder !== undefined && isMade(context, folder, String(workspace.settings['path']), checkpoints)
  if (unused.length > 0) context.terminal.warn(`Without effect here: ${unusedWords(unused)}`)
  return withStore(context, async (store) => {
    const runConfig = researchConfig(context.project, flags, config, { ...request, ...(await pastOf(store, flags.id)) })
    const run =
      flags.id === undefined ? await freeRunId(store, goal) : await knownOrNew(store, flags.id, await redactJson(runConfig))
    const onEvent = isWritable
      ? { onEvent: checkpointWriter(folder, await loadState(store, run, builtInFolds), (line) => context.terminal.warn(line)) }
      : {}
    const code = await driveRun(context, store, run, runConfig, { canAsk: flags.ask !== false, detach: flags.detach, ...onEvent })
    if (flags.detach) return code
    await tellResearch(context, store, run)
    const { report, force = false } = flags
    const format = /\.html?$/i.test(report ?? '') ? 'report-html' : 'report'
    // With --json the document is the only thing on standard output.
    if (report !== undefined) await exportRun({ ...context, isJson: false }, run, { out: report, format, force })
    return code
  })
}

/** Keys one by one; of many only how many each section has. */
function unusedWords(unused: readonly string[]): string {
  if (unused.length <= UNUSED_SHOWN_MAX) return unused.join(', ')
  const sections = Map.groupBy(unused, (key) => key.split('.')[0] ?? key)
  const counts = [...sections].map(([section, keys]) =>
    keys.length === 1 ? (keys[0] ?? section) : `${section} (${keys.length})`,
  )
  return `${unused.length} keys of ${counts.join(', ')}`
}

const UNUSED_SHOWN_MAX = 12

async function settingsFrom({ project }: CliContext, { config, configDir }: ResearchFlags) {
  if (config !== undefined && configDir !== undefined)
    throw new PawlError('usage.config', '--config is one file, --config-dir a folder of three: give one of them.')
  if (configDir !== undefined) return loadConfigFolder(resolve(configDir))
  return loadResearchFile(config === undefined ? join(project.root, RESEARCH_FILE) : resolve(config), config !== undefined)
}

type CheckpointSettings = Pick<ReadConfig, 'checkpointDirectory' | 'checkpointRetentionMs'>

function checkpointFolder({ project }: CliContext, { checkpointDirectory }: CheckpointSettings): string | undefined {
  return checkpointDirectory === undefined ? undefined : resolve(project.root, checkpointDirectory)
}

/** Reports a folder that cannot be made, and nothing else. */
function isMade(
  { terminal }: CliContext,
  folder: string,
  workspace: string,
  { checkpointRetentionMs }: CheckpointSettings,
): boolean {
  const trouble = makeCheckpointFolder(folder, {
    workspace,
    now: systemClock.now(),
    ...(checkpointRetentionMs === undefined ? {} : { retentionMs: checkpointRetentionMs }),
  })
  if (trouble !== undefined) terminal.warn(trouble)
  return trouble === undefined
}

async function init({ project, terminal, isJson }: CliContext, { force = false }: ResearchFlags): Promise<number> {
  const path = join(project.root, RESEARCH_FILE)
  await writeNewFile(path, configText(DEFAULT_RESEARCH_RULES).trimEnd().split('\n'), force)
  if (isJson) terminal.json({ written: true, path })
  else terminal.say(`Wrote ${shortPath(path)}: every setting of research at its default, with a word on each.`)
  return EXIT.done
}

/** A known id is resumed; its question stays, which the journal has without secrets. */
async function knownOrNew(store: Store, id: string, config: RunConfig): Promise<string> {
  const known = await knownRun(store, id, config, `read it with \`pawl export ${id} --format report\``)
  if (known && known.config.loop.settings['goal'] !== config.loop.settings['goal'])
    throw new PawlError(
      'usage.other-question',
      `Run ${id} asks something else: choose another --id, or continue it: \`pawl resume ${id}\`.`,
    )
  return id
}
