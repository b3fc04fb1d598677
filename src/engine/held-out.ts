import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { EffectOf } from '../core/effect.ts'
import type { Fact } from '../core/event.ts'
import type { RunConfig } from '../core/run-config.ts'
import { childEnvironment } from '../process/command-options.ts'
import { runCommand } from '../process/run-command.ts'
import { placeIn } from '../process/box.ts'
import type { RoomChanges } from '../proof/crossing.ts'
import type { HeldOutTrial } from '../proof/trial.ts'
import type { Room } from '../proof/room.ts'
import { contextOf, type Performance } from './performance.ts'

/** The script in the folder of held-out files that says whether the work is right. */
const SCRIPT = 'check.sh'
const RESULTS = '.results'
const TIMEOUT_MS = 10 * 60_000

/** The folder of held-out files, as a path; nothing if there is none. */
export function heldOutFolder({ proof, workspace }: Pick<RunConfig, 'proof' | 'workspace'>): string | undefined {
  const { heldOut } = proof || {}
  return heldOut === undefined ? undefined : resolve(String(workspace.settings['path'] ?? '.'), heldOut)
}

/** Where a run's newest output of the held-out check is: beside it, where the agent's folder does not reach. */
export function heldOutResult(folder: string, run: string): string {
  return join(folder, RESULTS, `${run}.txt`)
}

/** The held-out check of a run: its files and how it is run. A fact instead, if the folder cannot be used. */
export function heldOutOf(effect: EffectOf<'prove'>, performance: Performance): HeldOutTrial | Fact<'check.errored'> | undefined {
  const { parts, state, signal, onProgress } = performance
  const folder = heldOutFolder(state.config)
  if (folder === undefined) return undefined
  const trouble = troubleWith(folder, String(state.config.workspace.settings['path'] ?? '.'))
  const by = { role: 'check', name: NAME } as const
  if (trouble !== undefined) {
    const said = { message: trouble, fix: 'Correct `held_out` in pawl.yaml.', fault: 'config', durationMs: 0 } as const
    return { type: 'check.errored', at: parts.clock.now(), by, data: { key: effect.key, name: NAME, ...said } }
  }
  const script = readFileSync(join(folder, SCRIPT), 'utf8')
  const run = async (room: Room, isPresent: boolean): Promise<'passed' | 'failed' | 'unable' | 'aborted'> => {
    onProgress?.({ key: effect.key, line: 'proving: the held-out check' })
    const context = contextOf(effect, performance, (process) =>
      process === undefined
        ? []
        : [
            {
              type: 'check.started',
              at: parts.clock.now(),
              by,
              data: { key: effect.key, name: NAME, cell: 'new-tests-new-code', process },
            },
          ],
    )
    // It runs the agent's code.
    const box = await parts.boxFor?.({ ...room, workspace: performance.cwd }, 'check', context.refused)
    const place = placeIn(box ? { cwd: room.cwd, box } : room, '')
    const result = await runCommand({
      command: [...place.prefix, '/bin/sh', '-c', script, SCRIPT],
      cwd: place.cwd,
      env: childEnvironment([], { CI: 'true', NO_COLOR: '1' }),
      timeoutMs: TIMEOUT_MS,
      signal,
      onStarted: (identity) => context.started(identity),
    }).finally(() => box?.close())
    if (result.status === 'aborted') return 'aborted'
    if (isPresent && 'output' in result) keepResult(heldOutResult(folder, state.run), result.output.text)
    if (result.status !== 'exited') return 'failed'
    if (result.exitCode === 0) return 'passed'
    return result.exitCode === 126 || result.exitCode === 127 ? 'unable' : 'failed'
  }
  return { files: filesIn(folder), run }
}

const NAME = 'held-out'

function troubleWith(folder: string, project: string): string | undefined {
  if (!existsSync(join(folder, SCRIPT))) return `There is no ${SCRIPT} in ${folder}.`
  const way = relative(realpathSync(project), realpathSync(folder))
  return way === '' || !way.startsWith('..')
    ? 'The folder of `held_out` is inside the project, where the agent sees it.'
    : undefined
}

/** Every file but the script, by its path in the folder. */
function filesIn(folder: string): RoomChanges['write'] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    const path = relative(folder, join(entry.parentPath, entry.name))
    if (!entry.isFile() || path === SCRIPT || path.startsWith(`${RESULTS}/`) || path.startsWith('.git/')) return []
    const isExecutable = (lstatSync(join(folder, path)).mode & 0o100) !== 0
    return [{ path, kind: isExecutable ? 'executable' : 'file', content: readFileSync(join(folder, path)) } as const]
  })
}

/** For the person only: a folder that nobody may write to has none. */
function keepResult(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  } catch {
    // The verdict counts all the same.
  }
}
