import { isCancel, select, text } from '@clack/prompts'
import type { Readable, Writable } from 'node:stream'
import type { Question } from '../../core/question.ts'
import type { Answer, Person } from '../../engine/parts.ts'
import { questionInWords } from '../../present/words.ts'
import { printable } from '../../present/layout.ts'
import { giveSize } from './terminal.ts'

export interface TerminalPersonOptions {
  /** Called before the question is shown, to make room for it and to show what it rests on. */
  readonly before?: (question: Question) => void | Promise<void>
  /** The terminal. Default: that of this process. */
  readonly input?: Readable
  readonly output?: Writable
}

/** Asks on the terminal: options by number or with the arrow keys, then words for the agent. Leaving with Escape or Ctrl-C keeps the question open. */
export function terminalPerson({ before, input, output }: TerminalPersonOptions = {}): Person {
  const terminal = { ...(input ? { input } : {}), ...(output ? { output } : {}) }
  return {
    ask: async (run, recorded, signal) => {
      const question = questionInWords(recorded)
      await before?.(question)
      giveSize(output ?? process.stdout)
      const first = question.options.find(({ recommended }) => recommended === true)
      const options: Numbered[] = [
        ...question.options.map(({ choice: value, label, then, recommended }, index) => {
          const hint = [...(recommended ? ['recommended'] : []), ...(then === undefined ? [] : [then])].join(': ')
          return { value, label: printable(`${index + 1}  ${label}`), ...(hint === '' ? {} : { hint: printable(hint) }) }
        }),
        { value: LATER, label: '   Answer later', hint: `pawl answer ${run}` },
      ]
      const stop = chooseByNumber(options, input ?? process.stdin)
      const choice = await select({
        message: printable(`${run} asks: ${question.text}`),
        options,
        ...(first === undefined ? {} : { initialValue: first.choice }),
        signal,
        ...terminal,
      }).finally(stop)
      if (isCancel(choice) || choice === LATER || signal.aborted) return undefined
      const chosen = question.options.find((option) => option.choice === choice)?.consequence.kind
      const isHeard = chosen === 'continue' || chosen === 'reject'
      return isHeard ? withNote(choice, { signal, ...terminal }) : { choice }
    },
  }
}

const LATER = ''

interface Numbered {
  readonly value: string
  readonly label: string
  readonly hint?: string
  disabled?: boolean
}

/**
 * A digit moves the cursor to the option with that number, and one that no option has to the last, which answers nothing: Enter never takes
 * another option than the one typed. The prompt skips disabled options, so while all others are disabled one step down reaches the right one.
 */
function chooseByNumber(options: Numbered[], input: Readable): () => void {
  const onKey = (typed: string | undefined): void => {
    if (typed === undefined || !/^\d$/.test(typed)) return
    const target = options[Number(typed) - 1] ?? options.at(-1)
    for (const option of options) option.disabled = option !== target
    input.emit('keypress', undefined, { name: 'down' })
    for (const option of options) option.disabled = false
    // The prompt draws again with any key.
    input.emit('keypress', undefined, { name: 'redraw' })
  }
  input.on('keypress', onKey)
  return () => void input.off('keypress', onKey)
}

type Terminal = Pick<TerminalPersonOptions, 'input' | 'output'> & { readonly signal: AbortSignal }

async function withNote(choice: string, terminal: Terminal): Promise<Answer | undefined> {
  const note = await text({ message: 'Anything to tell the agent? (Enter for nothing)', ...terminal })
  if (isCancel(note)) return undefined
  return note === undefined || note.trim() === '' ? { choice } : { choice, note: note.trim() }
}
