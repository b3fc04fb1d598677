import { PawlError } from '../core/pawl-error.ts'
import type { CommandLine } from '../process/command-options.ts'

/** A check's command: words, or a line for the shell if it needs one (`npm test && npm run lint`). */
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

/** A command line taken apart. */
export interface SplitCommand {
  readonly words: readonly string[]
  /** The first thing in it that only a shell understands, such as `|`; absent when it is a program with its arguments. */
  readonly needsShell?: string
}

/** Takes a command line apart as `sh` would: quotes and backslashes. A quote without its partner is a `usage.command` error. */
export function splitCommand(text: string): SplitCommand {
  const line = text.trim()
  const reader = new Reader(line)
  reader.read()
  const needsShell = firstWordOfShell(line) ?? reader.needsShell
  return needsShell === undefined ? { words: reader.words } : { words: reader.words, needsShell }
}

class Reader {
  readonly words: string[] = []
  needsShell: string | undefined
  private readonly text: string
  private index = 0
  /** Not yet begun when `undefined`: an empty word needs quotes. */
  private word: string | undefined

  constructor(text: string) {
    this.text = text
  }

  read(): void {
    while (this.index < this.text.length) this.readOne(this.text[this.index++] as string)
    this.endWord()
  }

  private readOne(character: string): void {
    if (character === ' ' || character === '\t') this.endWord()
    else if (character === '\n') this.shell('a line break')
    else if (character === "'") this.readSingleQuoted()
    else if (character === '"') this.readDoubleQuoted()
    else if (character === '\\') this.readEscaped()
    else if (character === '#' && this.word === undefined) this.skipComment()
    else if (this.isForShell(character)) this.shell(character)
    else this.add(character)
  }

  private readSingleQuoted(): void {
    const end = this.text.indexOf("'", this.index)
    if (end === -1) throw this.unbalanced("'")
    this.add(this.text.slice(this.index, end))
    this.index = end + 1
  }

  private readDoubleQuoted(): void {
    const begin = this.index
    this.add('')
    for (;;) {
      const character = this.text[this.index++]
      if (character === '"') return
      if (character === undefined) {
        this.index = begin
        throw this.unbalanced('"')
      }
      if (character === '\\' && /[$`"\\\n]/.test(this.text[this.index] ?? '')) this.readEscaped()
      else if (character === '`' || (character === '$' && EXPANDED.test(this.rest()))) this.shell(character)
      else this.add(character)
    }
  }

  private readEscaped(): void {
    const character = this.text[this.index++]
    if (character === undefined)
      throw new PawlError('usage.command', 'The command ends with a backslash that quotes nothing.', { value: this.text })
    // A backslash at the end of a line joins it with the next.
    if (character !== '\n') this.add(character)
  }

  private skipComment(): void {
    this.shell('#')
    const end = this.text.indexOf('\n', this.index)
    this.index = end === -1 ? this.text.length : end
  }

  private isForShell(character: string): boolean {
    if (character === '$') return EXPANDED.test(this.rest()) || /^["']/.test(this.rest())
    if (character === '~') return this.word === undefined
    return '|&;<>()`*?['.includes(character)
  }

  private rest(): string {
    return this.text.slice(this.index, this.index + 1)
  }

  private shell(what: string): void {
    this.needsShell ??= what
    this.endWord()
  }

  private add(text: string): void {
    this.word = (this.word ?? '') + text
  }

  private endWord(): void {
    if (this.word !== undefined) this.words.push(this.word)
    this.word = undefined
  }

  private unbalanced(quote: string): PawlError {
    const rest = this.text.slice(this.index - 1, this.index + 20)
    return new PawlError('usage.command', `The quote ${quote} before ${JSON.stringify(rest.slice(1))} is never closed.`, {
      value: this.text,
    })
  }
}

/** What makes a `$` more than a dollar. */
const EXPANDED = /^[A-Za-z_0-9({@*#?$!-]/

/** An assignment before the program, or a word that is no program but part of the shell. */
function firstWordOfShell(line: string): string | undefined {
  const first = /^[^\s'"\\]*/.exec(line)?.[0] ?? ''
  if (/^[A-Za-z_]\w*=/.test(first)) return first
  return SHELL_WORDS.has(first) ? first : undefined
}

const SHELL_WORDS: ReadonlySet<string> = new Set(
  '! { if for while until case cd exit export set unset eval exec . source ulimit umask trap shift return'.split(' '),
)
