import { isCancel, select, text } from '@clack/prompts'
import type { Answer, Person } from '../../ports/person.ts'

export interface TerminalPersonOptions {
  /** Called before the question is shown, to make room for it. */
  readonly before?: () => void
}

/** Asks on the terminal: options with the arrow keys, then words for the agent. Leaving with Escape or Ctrl-C keeps the question open. */
export function terminalPerson({ before }: TerminalPersonOptions = {}): Person {
  return {
    ask: async (run, question, signal) => {
      before?.()
      const choice = await select({
        message: `${run} asks: ${question.text}`,
        options: [
          ...question.options.map(({ choice: value, label, then, recommended }) => {
            const hint = [...(recommended ? ['recommended'] : []), ...(then === undefined ? [] : [then])].join(': ')
            return { value, label, ...(hint === '' ? {} : { hint }) }
          }),
          { value: LATER, label: 'Answer later', hint: `pawl answer ${run}` },
        ],
        signal,
      })
      if (isCancel(choice) || choice === LATER || signal.aborted) return undefined
      const chosen = question.options.find((option) => option.choice === choice)?.consequence.kind
      const isHeard = chosen === 'continue' || chosen === 'reject'
      return isHeard ? withNote(choice, signal) : { choice }
    },
  }
}

const LATER = ''

async function withNote(choice: string, signal: AbortSignal): Promise<Answer | undefined> {
  const note = await text({ message: 'Anything to tell the agent? (Enter for nothing)', signal })
  if (isCancel(note)) return undefined
  return note === undefined || note.trim() === '' ? { choice } : { choice, note: note.trim() }
}
