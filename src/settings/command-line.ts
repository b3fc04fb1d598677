import { PawlError } from '../core/pawl-error.ts'
import type { CommandLine } from '../process/command-options.ts'
import { splitCommand } from './split-command.ts'

/** A check's command: words, or a line for the shell where it needs one (`npm test && npm run lint`). */
export function checkCommandLine(text: string): CommandLine {
  const { words, needsShell } = splitCommand(text)
  return needsShell === undefined ? { command: someWords(words, text) } : { command: text.trim(), shell: true }
}

/** An agent's command. It gets a shell only when asked for with `shell`: briefs and shells do not mix by accident. */
export function agentCommandLine(text: string, shell = false): CommandLine {
  if (shell) {
    if (text.trim() === '') throw emptyCommand(text)
    return { command: text.trim(), shell: true }
  }
  const { words, needsShell } = splitCommand(text)
  if (needsShell === undefined) return { command: someWords(words, text) }
  const sentence = `The command needs a shell (because of ${needsShell}): call one (sh -c '…'), set shell: true in pawl.yaml, or put quotes around what is meant as it stands.`
  throw new PawlError('usage.command', sentence, { value: text })
}

function someWords(words: readonly string[], text: string): readonly string[] {
  if (words[0] === undefined || words[0].trim() === '') throw emptyCommand(text)
  return words
}

function emptyCommand(text: string): PawlError {
  return new PawlError('usage.command', 'The command is empty: give a program and its arguments, such as npm test.', {
    value: text,
  })
}
