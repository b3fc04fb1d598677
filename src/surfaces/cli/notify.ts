import { spawn } from 'node:child_process'
import { resolveProgram } from '../../process/find-program.ts'
import { oneLine } from '../../present/layout.ts'
import { shortened } from '../../core/wording.ts'
import { isDetached } from './detach.ts'
import type { Terminal } from './terminal.ts'

/**
 * Tells a person that a run asks something: the terminal's bell, and a notice on the desktop. Only where somebody may be: at a terminal,
 * or if the run is in the background. A notice that can't be shown is no reason to disturb the run.
 */
export async function notifyOfQuestion(terminal: Pick<Terminal, 'isLive' | 'control'>, run: string, text: string): Promise<void> {
  if (!terminal.isLive && !isDetached()) return
  const words = shortened(oneLine(text).replaceAll(UNSAFE, ' '), WORDS_MAX)
  terminal.control(BELL)
  const [program, ...args] = await desktopNotice(`pawl: ${run} needs your answer`, words)
  if (program === undefined) return terminal.control(`\u001b]9;pawl: ${run} needs your answer\u0007`)
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.once('error', () => undefined)
  child.unref()
}

async function find(name: string): Promise<string | undefined> {
  const found = await resolveProgram(name, '/', process.env['PATH'])
  return found.status === 'found' ? found.path : undefined
}

async function desktopNotice(title: string, words: string): Promise<readonly string[]> {
  const send = await find('notify-send')
  if (send !== undefined) return [send, '--app-name=pawl', title, words]
  const script = process.platform === 'darwin' ? await find('osascript') : undefined
  // As arguments and not inside the script: an agent may have written the words.
  return script === undefined
    ? []
    : [script, '-e', 'on run {a, b}', '-e', 'display notification b with title a', '-e', 'end run', title, words]
}

const BELL = '\u0007'
const WORDS_MAX = 200

/** Control characters, and a dash in front would be a flag. */
const UNSAFE = /\p{Cc}+|^-+/gu
