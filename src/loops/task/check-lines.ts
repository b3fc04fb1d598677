import type { State } from '../../core/state.ts'
import { shellWord } from '../../core/shell-word.ts'

/** How the work is checked, told plainly, so that the agent can run the checks itself. */
export function checkLines({ config }: State, reviewed = 'what passes the rest'): readonly string[] {
  return config.checks.map(({ settings: { name, command, review } }) => {
    if (review !== undefined) return `${String(name)}: ${review === 'person' ? 'a person' : 'another agent'} reviews ${reviewed}`
    const shown = Array.isArray(command) ? command.map((word) => shellWord(String(word))).join(' ') : command
    const isNamedAfterIt = typeof shown !== 'string' || shown === name
    return isNamedAfterIt ? String(name) : `${String(name)}: \`${shown}\``
  })
}
