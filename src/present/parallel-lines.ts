import type { Event } from '../core/event.ts'
import { agentName, type PartSpec } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import { counted, iterationNoun, money, shortened } from '../core/wording.ts'
import type { ChildProgress } from '../loops/parallel/events.ts'
import { settingsIn } from '../loops/parallel/settings.ts'
import { wonWords } from '../loops/parallel/words.ts'
import { partName } from './config-view.ts'
import { padded, type Screen, textWidth } from './layout.ts'

/** What a parallel run is made of, in a few words; `undefined` for any other. */
export function parallelSummary(loop: PartSpec): readonly string[] | undefined {
  const settings = settingsIn(loop)
  if (!settings) return undefined
  const { mode, children, parallel, best } = settings
  const agents = [...new Set(children.map(({ config }) => partName(config.agent)))]
  const checks = [...new Set(children.flatMap(({ config }) => config.checks.map(partName)))]
  const how = mode === 'race' ? (best ? 'the best wins' : 'the first wins') : `${parallel} at a time`
  return [
    mode === 'race' ? 'race' : counted(children.length, 'task'),
    agents.join(', '),
    ...(checks.length === 0 ? [] : [checks.join(', ')]),
    how,
    'own worktrees',
  ]
}

/** A line for each thing that happens to a child; `undefined` for an event of any other kind. */
export function parallelLines(event: Event, state: State, { paint, columns }: Screen): readonly string[] | undefined {
  const settings = settingsIn(state.config.loop)
  if (!settings) return undefined
  const width = Math.max(...settings.children.map(({ id }) => textWidth(id)))
  const line = (child: string, text: string): string =>
    `  ${padded(child, width)}  ${shortened(text, Math.max(40, columns - width - 4))}`
  switch (event.type) {
    case 'child.started': {
      const { child, run, stage, conflicts = [] } = event.data
      const merges =
        conflicts.length === 0
          ? 'is merged and proven again'
          : `is merged: ${counted(conflicts.length, 'conflict')} for its agent`
      return [line(child, stage === 'work' ? `begins (${run})` : `${merges} (${run})`)]
    }
    case 'child.asked':
      return [
        paint('yellow', line(event.data.child, `waits: ${event.data.text.split('\n')[0]}`)),
        line('', paint('cyan', `pawl answer ${event.data.run}`)),
      ]
    case 'child.continued':
      return [line(event.data.child, 'continues')]
    case 'child.finished': {
      const { child, status, message, iterations } = event.data
      const mark = status === 'proven' ? paint('green', '✓') : paint('yellow', '■')
      return [line(child, `${mark} ${status === 'proven' ? `proven after ${iterationNoun(iterations)}` : message}`)]
    }
    case 'child.merged': {
      const { child, how } = event.data
      return [line(child, paint('green', how === 'contained' ? 'adds nothing that is not there' : 'merged'))]
    }
    case 'winner.chosen':
      return [line(event.data.child, paint('green', `wins: ${wonWords(event.data.by, event.data.against)}`))]
    case 'run.resumed':
      return [paint('dim', '  resumed')]
    default:
      return event.type.startsWith('child.') || event.type === 'iteration.ended' || event.type === 'iteration.started'
        ? []
        : undefined
  }
}

/** The branch with the result, with the commands to look at it and to merge it; for a race, the table that says why. */
export function parallelResult(state: State, screen: Screen): readonly string[] {
  const settings = settingsIn(state.config.loop)
  const progress = state.slices?.parallel
  if (!settings || !progress) return []
  const { paint } = screen
  const table = settings.mode === 'race' ? raceTable(state, screen) : []
  const { branch, tip, landed, merged, isDirty } = progress
  const stash = isDirty ? 'git stash -u && ' : ''
  const dirty = isDirty ? [`  Note    your uncommitted changes are the first commit of ${branch}`] : []
  if (merged.length === 0 || branch === undefined) return table
  const way =
    tip === undefined
      ? ['  Nothing differs from the commit that is checked out.']
      : [
          `  Look    ${paint('cyan', `git log -p HEAD..${branch}`)}`,
          `  Merge   ${paint('cyan', `${stash}git merge ${branch}`)}`,
          ...dirty,
        ]
  return [...table, ...(landed?.result === 'done' ? [`  Landed  ${landed.branch} has it`] : way)]
}

/** One line an agent, with what decided. */
function raceTable(state: State, { paint, columns }: Screen): readonly string[] {
  const { children } = settingsIn(state.config.loop) ?? { children: [] }
  const progress = state.slices?.parallel
  if (!progress) return []
  const { winner } = progress
  const rows = children.map(({ id, config }) => [
    id === agentName(config.agent) ? id : `${id} (${agentName(config.agent)})`,
    ...cells(progress.children[id], winner?.child === id),
  ])
  const all = [['agent', 'result', 'proof', 'failing', 'lines', 'cost'], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? '')))) ?? []
  const lines = all.map((row) => `  ${row.map((cell, column) => padded(cell, widths[column] ?? 0)).join('  ')}`.trimEnd())
  const kept = children.flatMap(({ id }) => {
    const { status, result } = progress.children[id] ?? {}
    return status === 'stopped' && result ? [paint('dim', `  ${shortened(`${id}: ${result.message}`, columns - 2)}`)] : []
  })
  const [head = '', ...rest] = lines
  const why = winner ? [`  ${winner.child} won: ${wonWords(winner.by, winner.against)}`] : []
  return [paint('dim', head), ...rest, ...why, ...kept]
}

function cells(child: ChildProgress | undefined, isWinner: boolean): readonly string[] {
  const { status = 'open', result, costUsd = 0 } = child ?? {}
  const cost = result === undefined ? '' : result.isCostPartial && costUsd === 0 ? '?' : money(costUsd)
  const isThrough = result?.status === 'proven'
  return [
    isWinner ? 'won' : status,
    result?.level ?? '',
    isThrough ? String(result.failing) : '',
    result ? String(result.lines) : '',
    cost,
  ]
}
