/**
 * vitest writes values of several lines into its YAML without indenting them, which no parser reads as YAML. Here they become one
 * line each. A text of another writer comes back as it is.
 */
export function tapJoined(text: string): string {
  if (!/^ +error:\n +name: "/m.test(text)) return text
  return text.replaceAll(QUOTED, (scalar) => scalar.replaceAll('\n', String.raw`\n`))
}

const QUOTED = /^ +(?:message|actual|expected): "[^"\\]*(?:\\.[^"\\]*)*"$/gm
