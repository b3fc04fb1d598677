import { PawlError } from '../../../core/pawl-error.ts'
import type { Store } from '../../../ports/store.ts'
import { knownState, waiveGuard } from '../../../runner/person-facts.ts'
import { loadState } from '../../../runner/load-state.ts'
import { systemClock } from '../../../runner/system-clock.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { loadConfig } from '../config/load-config.ts'
import { driveRun } from '../drive-run.ts'
import { EXIT } from '../exit-codes.ts'
import { reconfigured, type SettingFlags } from '../run-settings.ts'

export interface ResumeFlags extends SettingFlags {
  readonly due?: boolean
  readonly waive?: string
  readonly ask?: boolean
}

/** Goes on with a run, or with every run whose wait is over. */
export async function resume(context: CliContext, flags: ResumeFlags, run?: string): Promise<number> {
  if (flags.due === true && run !== undefined)
    throw new PawlError('usage.due', `--due goes on with every run whose wait is over: leave out "${run}", or leave out --due.`)
  if (flags.due === true) return withStore(context, (store) => resumeDue(context, store))
  if (run === undefined)
    throw new PawlError('usage.no-run', 'Which run? Give its name (pawl ls lists them), or --due for all whose wait is over.')
  return withStore(context, (store) => resumeOne(context, store, run, flags))
}

async function resumeOne(context: CliContext, store: Store, run: string, flags: ResumeFlags): Promise<number> {
  const before = await knownState(store, run)
  const { program } = before.config
  if (program !== undefined && flags.waive !== undefined) {
    if (before.status === 'completed' || before.status === 'aborted')
      throw new PawlError('run.over', `Run ${run} is ${before.status} already.`)
    await waive(store, run, flags.waive)
    if (context.isJson) context.terminal.json({ run, waived: flags.waive })
    else context.terminal.say(`${flags.waive} may be passed once. It takes effect when ${program} goes on with ${run}.`)
    return EXIT.done
  }
  if (program !== undefined) {
    throw new PawlError('run.of-a-program', `Run ${run} has parts that are functions of ${program}: resume it with that program.`)
  }
  if (flags.waive !== undefined) await waive(store, run, flags.waive)
  const config = reconfigured(before, flags, await loadConfig(context.project.configPath))
  return driveRun(context, store, run, config, { canAsk: flags.ask !== false })
}

async function waive(store: Store, run: string, guard: string): Promise<void> {
  const { config } = await knownState(store, run)
  const names = config.guards.map((spec) => spec.name)
  const isCombined = config.guards.some((spec) => spec.parts !== undefined)
  if (!names.includes(guard) && !isCombined)
    throw new PawlError('usage.unknown-guard', `Run ${run} has no guard "${guard}"; it has ${names.join(', ')}.`, {
      value: guard,
    })
  await waiveGuard(store, systemClock, run, guard)
}

/** One after another: each works in the same folder. The worst exit code counts. */
async function resumeDue(context: CliContext, store: Store): Promise<number> {
  let worst: number = EXIT.done
  let count = 0
  for (const { run } of await store.runs()) {
    const state = await loadState(store, run)
    const isWaiting = state?.status === 'running' || state?.status === 'paused'
    if (!isWaiting || !state.timer || state.timer.until > Date.now() || state.config.program !== undefined) continue
    count++
    worst = Math.max(worst, await driveRun(context, store, run, state.given, { canAsk: false }))
  }
  if (count === 0) context.terminal.say('No run is due.')
  return worst
}
