import { flakyNames } from '../../core/measures/ledger.ts'
import type { State } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'

/** The title of the section with what people said. */
export const PERSON_SAID = 'A person said'

/** A brief from its sections; those that are empty are left out. */
export function briefOf(sections: readonly string[]): string {
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

/** A section with its title; empty where there is nothing to say. */
export function section(title: string, text: string): string {
  return text === '' ? '' : `# ${title}\n${text}`
}

/** One item for each text; one of several lines stays one item. */
export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line.includes('\n') ? line.replaceAll('\n', '\n  ') : line}`).join('\n')
}

/** Tests that passed and failed on the same files: the agent has to know that they are not its doing. */
export function flakyLines({ measures }: State): string {
  const names = flakyNames(measures.ledger)
  if (names.length === 0) return ''
  const shown = names.slice(0, FLAKY_SHOWN_MAX).map((name) => `"${shortened(name, 100)}"`)
  const more = names.length > shown.length ? [`and ${names.length - shown.length} more`] : []
  return `These passed and failed on the same files, so they do not count against your work. Leave them alone unless the goal is about them.\n${bullets([...shown, ...more])}`
}

const FLAKY_SHOWN_MAX = 5
