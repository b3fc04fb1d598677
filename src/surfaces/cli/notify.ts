import { oneLine } from '../../present/layout.ts'
import { shortened } from '../../core/wording.ts'
import { showOnDesktop } from '../../process/desktop-notice.ts'
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
  const title = `pawl: ${run} needs your answer`
  if (!(await showOnDesktop(title, words))) terminal.control(`\u001b]9;${title}\u0007`)
}

const BELL = '\u0007'
const WORDS_MAX = 200

/** Control characters, and a dash in front would be a flag. */
const UNSAFE = /\p{Cc}+|^-+/gu
