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

/** Asks on the terminal: options with the arrow keys, then words for the agent. Leaving with Escape or Ctrl-C keeps the question open. */
export function terminalPerson({ before, input, output }: TerminalPersonOptions = {}): Person {
  const terminal = { ...(input ? { input } : {}), ...(output ? { output } : {}) }
  return {
    ask: async (run, recorded, signal) => {
      const question = questionInWords(recorded)
      await before?.(question)
      giveSize(output ?? process.stdout)
      const first = question.options.find(({ recommended }) => recommended === true)
      const choice = await select({
        message: printable(`${run} asks: ${question.text}`),
        options: [
          ...question.options.map(({ choice: value, label, then, recommended }) => {
            const hint = [...(recommended ? ['recommended'] : []), ...(then === undefined ? [] : [then])].join(': ')
            return { value, label: printable(label), ...(hint === '' ? {} : { hint: printable(hint) }) }
          }),
          { value: LATER, label: 'Answer later', hint: `pawl answer ${run}` },
        ],
        ...(first === undefined ? {} : { initialValue: first.choice }),
        signal,
        ...terminal,
      })
      if (isCancel(choice) || choice === LATER || signal.aborted) return undefined
      const chosen = question.options.find((option) => option.choice === choice)?.consequence.kind
      const isHeard = chosen === 'continue' || chosen === 'reject'
      return isHeard ? withNote(choice, { signal, ...terminal }) : { choice }
    },
  }
}

const LATER = ''

type Terminal = Pick<TerminalPersonOptions, 'input' | 'output'> & { readonly signal: AbortSignal }

async function withNote(choice: string, terminal: Terminal): Promise<Answer | undefined> {
  const note = await text({ message: 'Anything to tell the agent? (Enter for nothing)', ...terminal })
  if (isCancel(note)) return undefined
  return note === undefined || note.trim() === '' ? { choice } : { choice, note: note.trim() }
}
