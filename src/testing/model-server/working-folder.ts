import type { ModelMessage } from './turn.ts'

// As Codex, Claude Code, Gemini CLI and Qwen Code write it; a wording that is not known gives nothing, which no script depends on.
const WORDINGS = [
  /<cwd>([^<\n]+)<\/cwd>/,
  /working directory: *`?([^\n`]+?)`?(?:\n|$)/i,
  /working in the directory: *`?([^\n`]+?)`?(?:\n|$)/i,
  /Workspace Directories:\*{0,2}\s*-? *`?([^\n`]+?)`?(?:\n|$)/i,
]

/** The working directory an agent tells its model, where it does. */
export function workingFolder(messages: readonly ModelMessage[]): { readonly cwd?: string } {
  for (const { text } of messages) {
    for (const wording of WORDINGS) {
      const cwd = wording.exec(text)?.[1]?.trim()
      if (cwd) return { cwd }
    }
  }
  return {}
}
