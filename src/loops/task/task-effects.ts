import { effectKey, type Effect } from '../../core/effect.ts'
import { stage } from '../../core/stage.ts'
import { isDone, type State } from '../../core/state.ts'
import { taskBrief } from './task-brief.ts'
import type { TaskSettings } from './index.ts'

/** Work, then a look at what changed, then the checks one after another, so that they never disturb each other. */
export function taskEffects(settings: Required<TaskSettings>, state: State): readonly Effect[] {
  const { number: iteration } = state.current
  const observe: Effect = { kind: 'observe', key: effectKey(iteration, 'observe'), iteration, by: 'agent' }
  if (iteration === 0) return stage(state, [observe], ...(settings.baseline ? checks(state) : []))
  const key = effectKey(iteration, 'coder')
  if (!isDone(state, key)) return [{ kind: 'work', key, iteration, role: 'coder', brief: taskBrief(settings, state) }]
  return stage(state, [observe], ...checks(state))
}

function checks(state: State): readonly (readonly Effect[])[] {
  const { number: iteration, checkRound } = state.current
  const role = checkRound === undefined ? 'check' : `check-${checkRound}`
  return state.config.checks.map((spec, index) => [
    {
      kind: 'check',
      key: effectKey(iteration, role, index),
      iteration,
      name: String(spec.settings['name']),
      tree: state.tree?.tree ?? '',
    },
  ])
}
