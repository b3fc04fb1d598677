import { isDeepStrictEqual } from 'node:util'
import { PawlError } from '../../../core/pawl-error.ts'
import type { RunConfig } from '../../../core/run-config.ts'
import type { Store } from '../../../stores/store.ts'
import type { BoundSession } from '../../../engine/bound-sessions.ts'
import { freeRunId, knownRun, warnOfBlindBudget } from '../start-run.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import { loadRules } from '../../../settings/load-rules.ts'
import type { PawlConfig } from '../../../settings/pawl-config.ts'
import { shortPath, textFile } from '../../../settings/text-file.ts'
import { driveRun } from '../drive-run.ts'
import { INSTALLABLE } from '../install/agent-files.ts'
import { type SessionFlags, sessionFrom } from '../agent-session.ts'
import { builtInFolds } from '../../../loops/evolve.ts'
import { dirname } from 'node:path'
import { outcomeOf } from '../../../core/outcome.ts'
import { bindRun, requireFreeSession } from '../../../engine/bind-run.ts'
import { differenceOf } from '../../../engine/opening-facts.ts'
import { requireOutsideWork } from '../run-permissions.ts'
import { withFloor } from '../session-floor.ts'
import { loadState } from '../../../engine/session.ts'
import { openRun } from '../../../engine/until-work.ts'
import { withHistory } from '../../../evidence/own-history.ts'
import { outsideAgent, partsFrom } from '../../../registry/parts-from.ts'
import { ceilingsOf } from '../../../settings/ceilings.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import { ralphLoop, type RalphSettings } from '../../../loops/ralph/index.ts'
import { RALPH_ITERATIONS_MAX, RALPH_LOOP } from '../../../loops/ralph/settings.ts'
import { withCommonLimit } from '../agent-time-limits.ts'
import { commonConfig } from '../common-config.ts'
import { agentSpec, givenCheckSpecs, loopSettings, type StartFlags } from '../run-settings.ts'
import { reviewSpecs } from '../../../settings/reviewers.ts'

/** Gives an agent the same prompt again and again until it says a promise that the checks confirm, or a limit or a person ends it. */
export async function ralph(context: CliContext, flags: RalphFlags): Promise<number> {
  // Before the store: a mistake in a flag or a file must not leave a store behind.
  const session = flags.bind === undefined ? undefined : sessionFrom(boundBy(flags), process.env, '--bind SESSION --agent NAME')
  const prompt = await promptFrom(flags)
  const written = await loadConfig(context.project.configPath)
  const config = await withRules(flags, written)
  const asked = ralphConfig(context.project.root, withAgent(flags, config, session), config, prompt)
  const runConfig = session ? withFloor(asked, flags, written) : asked
  warnOfBlindBudget(context, runConfig)
  return withStore(context, async (store) => {
    const run = flags.id === undefined ? await freeId(store, prompt) : await knownOrNew(store, flags.id, runConfig)
    if (session) {
      const known = await loadState(store, run)
      if (known && differenceOf(known.given, runConfig) !== undefined) await requireOutsideWork(context, run, 'changed')
      await requireFreeSession(store, dirname(context.project.storePath), run, session)
      return openForSession(context, store, run, { config: runConfig, session })
    }
    return driveRun(context, store, run, runConfig, { canAsk: flags.ask !== false, detach: flags.detach, queue: flags })
  })
}

/** `--bind` alone means the session in which it is called; the agent is the run's own, if it has hooks. */
function boundBy({ bind, agent, worktree }: RalphFlags): SessionFlags {
  if (worktree) throw new PawlError('usage.bind', '--bind and --worktree do not go together: the session works where it is.')
  const isKnown = INSTALLABLE.some((each) => each === agent)
  return { ...(typeof bind === 'string' ? { session: bind } : {}), ...(agent !== undefined && isKnown ? { agent } : {}) }
}

/** A session that calls is itself the agent if none is named. */
function withAgent(flags: RalphFlags, config: PawlConfig | undefined, session: BoundSession | undefined): RalphFlags {
  const isNamed = flags.agent !== undefined || flags.agentCommand !== undefined || config?.agent !== undefined
  return isNamed || !session ? flags : { ...flags, agent: session.agent }
}

async function promptFrom({ prompt, promptFile }: RalphFlags): Promise<string> {
  if (prompt !== undefined && promptFile !== undefined)
    throw new PawlError('usage.prompt', '--prompt and --prompt-file are both given: leave one of them out.')
  if (prompt === undefined && promptFile === undefined)
    throw new PawlError('usage.prompt', 'What is the agent told each time? Give --prompt-file PROMPT.md, or --prompt "TEXT".')
  const text = prompt ?? (await textFile(promptFile ?? ''))
  if (text === undefined) throw new PawlError('usage.no-file', `There is no file ${shortPath(promptFile ?? '')} with a prompt.`)
  if (text.trim() === '') {
    const which = promptFile === undefined ? '--prompt' : shortPath(promptFile)
    throw new PawlError('usage.prompt', `${which} is empty: the agent would get no prompt.`)
  }
  return text
}

/** Files of rules that are named go in place of the rules of pawl.yaml. */
async function withRules({ rule }: RalphFlags, config: PawlConfig | undefined): Promise<PawlConfig | undefined> {
  if (rule === undefined) return config
  const rules = (await Promise.all(rule.map(loadRules))).flat()
  return { agents: {}, checks: [], ...config, rules }
}

/** Named after the first line with a letter in it, with a number behind it when that name is taken. */
async function freeId(store: Store, prompt: string): Promise<string> {
  const line = prompt.split('\n').find((each) => /[a-z]/i.test(each)) ?? 'ralph'
  return freeRunId(store, line)
}

/** Running a known id is resuming it. Its prompt may be another one from now on, which is a fact; its promises were declared up front. */
async function knownOrNew(store: Store, run: string, config: RunConfig): Promise<string> {
  const state = await knownRun(store, run, config)
  if (state && !isDeepStrictEqual(state.config.loop.settings['promises'], config.loop.settings['promises']))
    throw new PawlError(
      'usage.other-promises',
      `Run ${run} exists with other promises, which hold from its beginning on: choose another --id, or continue it: \`pawl resume ${run}\`.`,
    )
  return run
}

/**
 * Takes a run up to its next brief, makes it belong to an agent's session and tells what is to be done: nothing is started, since the
 * agent is the one who asks. From here on its hook keeps it going.
 */
export async function openForSession(
  { project, terminal, isJson }: CliContext,
  store: Store,
  run: string,
  { config, session }: { readonly config: RunConfig; readonly session: BoundSession },
): Promise<number> {
  // Its program is not looked for: it may be an extension of an editor, or have another name.
  const given = await withHistory(config, await loadState(store, run, builtInFolds), store, project.storePath)
  const { storePath } = project
  const parts = await partsFrom(given, { store, storePath, agent: outsideAgent(config.agent), ceilings: ceilingsOf(storePath) })
  const { state, step } = await openRun(parts, run)
  const work = step.kind === 'perform' ? step.effects.find((effect) => effect.kind === 'work') : undefined
  if (!work) {
    if (isJson) terminal.json(outcomeOf(state))
    else terminal.say(`Run ${run}: ${state.message}`)
    return exitCodeOf(outcomeOf(state))
  }
  await bindRun({ ...parts, folder: dirname(project.storePath), isForced: true }, run, session)
  if (isJson) terminal.json({ run, ...session, brief: work.brief })
  else for (const line of [...work.brief.trimEnd().split('\n'), '', sessionNotice(run)]) terminal.say(line)
  return EXIT.done
}

function sessionNotice(run: string): string {
  return `(Run ${run} belongs to this session now: work on it and end your turn. Pawl then runs the checks and says what fails.)`
}

export interface RalphFlags extends StartFlags {
  /** The session of an agent that works on it; `true`: the one in which the command is called. */
  readonly bind?: string | true
  readonly id?: string
  readonly prompt?: string
  /** A file with the prompt. */
  readonly promptFile?: string
  /** Words that say it is done; false: none is asked for. */
  readonly promise?: readonly string[] | false
  readonly minIterations?: string
  /** Files of rules, in place of those of pawl.yaml. */
  readonly rule?: readonly string[]
  /** False: the prompt alone, each time. */
  readonly feedback?: boolean
  readonly ask?: boolean
  /** Run in the background. */
  readonly detach?: boolean
}

/** Everything that decides how a run of the ralph loop goes: flags over pawl.yaml over the defaults. */
export function ralphConfig(root: string, flags: RalphFlags, written: PawlConfig | undefined, prompt: string): RunConfig {
  const config: PawlConfig = withCommonLimit({ agents: {}, checks: [], maxIterations: RALPH_ITERATIONS_MAX, ...written }, flags)
  const checks = givenCheckSpecs(flags, config)
  if (checks.length === 0)
    throw new PawlError(
      'usage.no-check',
      'No check and no rule is given, and a promise alone proves nothing: any agent can say that it is done. Give --check "npm test" or --rule FILE, or set `checks:` or `rules:` in pawl.yaml.',
    )
  const agent = agentSpec(flags, config, checks)
  const common = commonConfig(root, flags, config, { agent, checks, reviews: reviewSpecs(flags, config, checks) })
  return { loop: ralphLoop(settingsOf(flags, config, prompt, common.guards)).spec, ...common }
}

function settingsOf(flags: RalphFlags, config: PawlConfig, prompt: string, guards: RunConfig['guards']): RalphSettings {
  const settings: Partial<RalphSettings> = loopSettings(RALPH_LOOP.entries, flags, config)
  const { iterationsMin } = settings
  const max = guards.find((guard) => guard.name === 'maxIterations')?.settings['iterationsMax']
  if (iterationsMin !== undefined && typeof max === 'number' && iterationsMin > max)
    throw new PawlError('usage.number', `--min-iterations ${iterationsMin} is more than the ${max} iterations there are at most.`)
  // An agent that waits for its session's first brief shouldn't wait for the checks as well.
  return { prompt, ...(flags.bind === undefined ? { baseline: true } : {}), ...settings }
}
