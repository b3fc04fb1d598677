import type { Failure } from '../../core/failure.ts'
import { feedbackFrom } from '../../core/feedback.ts'
import type { State } from '../../core/state.ts'
import { counted, shortened } from '../../core/wording.ts'
import type { WholeSettings } from './task-settings.ts'

/** What the agent is asked to do: the goal, what fails now, what was tried, what people said, how it is checked. */
export function taskBrief({ goal, feedbackLengthMax }: WholeSettings, state: State): string {
  const sections = [
    section('Goal', goal),
    section('Where this stands', standing(state)),
    section('What fails now', failing(state, feedbackLengthMax)),
    section('Tried before', tried(state)),
    section('A person said', state.notes.map((note) => `- ${note}`).join('\n')),
    section('Take care', state.nudges.map((trip) => `- ${trip.message} ${trip.hint}`).join('\n')),
    section('How your work is checked', checks(state)),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

function section(title: string, text: string): string {
  return text === '' ? '' : `# ${title}\n${text}`
}

function standing({ current, config, recent }: State): string {
  const max = config.guards.find((guard) => guard.name === 'maxIterations')?.settings['iterationsMax']
  const of = typeof max === 'number' ? ` of at most ${max}` : ''
  const before = recent.at(-1)
  return `This is iteration ${current.number}${of}.${before ? ` The last one left ${counted(before.verdict.failing, 'failure')}.` : ''}`
}

function failing(state: State, lengthMax: number): string {
  const last = state.recent.at(-1)
  const failures: readonly Failure[] = last ? last.failures : (state.baseline?.failures ?? [])
  if (failures.length === 0)
    return !last && state.baseline ? 'Nothing: all checks pass already. The goal may need tests of its own.' : ''
  const { items, itemsLeftOut } = feedbackFrom(state, lengthMax)
  const more = itemsLeftOut > 0 ? [`- and ${itemsLeftOut} more: run the checks to see them`] : []
  return [...items.map((item) => `- ${item}`), ...more].join('\n')
}

function tried({ recent }: State): string {
  return recent
    .slice(-3)
    .map((iteration) => {
      const said = iteration.said === undefined ? '' : `: ${shortened(iteration.said, 200)}`
      return `- Iteration ${iteration.iteration} changed ${counted(iteration.filesChanged, 'file')} and left ${counted(iteration.verdict.failing, 'failure')}${said}`
    })
    .join('\n')
}

/** Told plainly, so that the agent can run them itself. */
function checks({ config }: State): string {
  return config.checks
    .map((check) => {
      const { name, command } = check.settings
      const shown = Array.isArray(command) ? command.join(' ') : command
      const isNamedAfterIt = typeof shown !== 'string' || shown === name
      return isNamedAfterIt ? `- ${String(name)}` : `- ${String(name)}: \`${shown}\``
    })
    .join('\n')
}
