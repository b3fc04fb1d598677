import { join, resolve } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import type { RunConfig } from '../../../core/run-config.ts'
import { checkedRunId } from '../../../core/run-id.ts'
import { counted } from '../../../core/wording.ts'
import { configText, DEFAULT_RESEARCH_RULES, researchResult } from '../../../loops/research/index.ts'
import type { Store } from '../../../ports/store.ts'
import { loadState } from '../../../runner/load-state.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { loadConfig } from '../config/load-config.ts'
import { shortPath } from '../config/text-file.ts'
import { driveRun } from '../drive-run.ts'
import { EXIT } from '../exit-codes.ts'
import { nameFromGoal } from '../name-from-goal.ts'
import { researchConfig, type ResearchFlags } from '../research-config.ts'
import { loadCheckpoint, loadConfigFolder, loadResearchFile, RESEARCH_FILE } from '../research/load-research-config.ts'
import { pastOf } from '../research/research-results.ts'
import { checkpointWriter } from '../research/checkpoint-writer.ts'
import { answerLines } from '../views/research-answers.ts'
import { writeNewFile } from './write-new-file.ts'
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
  const { overrides, unused, checkpointDirectory } = await settingsFrom(context, flags)
  const checkpoint = flags.from === undefined ? {} : { checkpoint: await loadCheckpoint(resolve(flags.from)) }
  const config = await loadConfig(context.project.configPath)
  const wish = { goal, overrides, ...checkpoint }
  // What cannot be meant is refused before the store is opened.
  researchConfig(context.project, flags, config, wish)
  if (unused.length > 0) context.terminal.warn(`Without effect here: ${unused.join(', ')}`)
  return withStore(context, async (store) => {
    const runConfig = researchConfig(context.project, flags, config, { ...wish, ...(await pastOf(store, flags.id)) })
    const run = flags.id === undefined ? await freeId(store, goal) : await knownOrNew(store, flags.id, runConfig)
    const checkpoints =
      checkpointDirectory === undefined
        ? {}
        : {
            onEvent: checkpointWriter(resolve(context.project.root, checkpointDirectory), await loadState(store, run), (line) =>
              context.terminal.warn(line),
            ),
          }
    const code = await driveRun(context, store, run, runConfig, { canAsk: flags.ask !== false, ...checkpoints })
    await tell(context, store, run, flags)
    return code
  })
}

async function settingsFrom({ project }: CliContext, { config, configDir }: ResearchFlags) {
  if (config !== undefined && configDir !== undefined)
    throw new PawlError('usage.config', '--config is one file, --config-dir a folder of three: give one of them.')
  if (configDir !== undefined) return loadConfigFolder(resolve(configDir))
  return loadResearchFile(config === undefined ? join(project.root, RESEARCH_FILE) : resolve(config), config !== undefined)
}

async function init({ project, terminal, isJson }: CliContext, { force = false }: ResearchFlags): Promise<number> {
  const path = join(project.root, RESEARCH_FILE)
  await writeNewFile(path, configText(DEFAULT_RESEARCH_RULES).trimEnd().split('\n'), force)
  if (isJson) terminal.json({ written: true, path })
  else terminal.say(`Wrote ${shortPath(path)}: every setting of research at its default, with a word on each.`)
  return EXIT.done
}

async function freeId(store: Store, goal: string): Promise<string> {
  return nameFromGoal(goal, new Set((await store.runs()).map((entry) => entry.run)))
}

/** A known id is resumed; its question stays. */
async function knownOrNew(store: Store, id: string, { loop }: RunConfig): Promise<string> {
  const run = checkedRunId(id)
  const state = await loadState(store, run)
  if (!state) return run
  const known = state.config.loop
  if (known.name !== loop.name)
    throw new PawlError('usage.other-loop', `Run ${run} is a run of the ${known.name} loop: choose another --id.`)
  if (state.status === 'completed' || state.status === 'aborted')
    throw new PawlError(
      'usage.run-over',
      `Run ${run} is ${state.status} already: choose another --id, or read it with \`pawl export ${run} --format report\`.`,
    )
  if (known.settings['goal'] !== loop.settings['goal'])
    throw new PawlError(
      'usage.other-question',
      `Run ${run} asks something else: choose another --id, or go on with it by \`pawl resume ${run}\`.`,
    )
  return run
}

/** The answers in short, and where the whole is. */
async function tell(context: CliContext, store: Store, run: string, { report, force = false }: ResearchFlags): Promise<void> {
  const { terminal, isJson } = context
  const state = await loadState(store, run)
  if (!state?.research) return
  const result = researchResult(state)
  if (!isJson) for (const line of answerLines(result, terminal)) terminal.say(line)
  if (report === undefined) {
    if (!isJson)
      terminal.say(terminal.paint('dim', `All ${counted(result.findings.length, 'finding')}: pawl export ${run} --format report`))
    return
  }
  await exportRun({ ...context, isJson: false }, run, { out: report, format: 'report', force })
}
