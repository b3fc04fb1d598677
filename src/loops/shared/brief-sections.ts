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
