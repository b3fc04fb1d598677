import { spawn } from 'node:child_process'
import { resolveProgram } from './find-program.ts'

/** Shows a notice on the desktop. `false` if there is no program for that. A notice that can't be shown disturbs nothing. */
export async function showOnDesktop(title: string, words: string): Promise<boolean> {
  const [program, ...args] = await desktopNotice(title, words)
  if (program === undefined) return false
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.once('error', () => undefined)
  child.unref()
  return true
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

async function find(name: string): Promise<string | undefined> {
  const found = await resolveProgram(name, '/', process.env['PATH'])
  return found.status === 'found' ? found.path : undefined
}
