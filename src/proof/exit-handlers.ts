import { closing } from './embedded-tests.ts'

/**
 * Handlers for the end or the failure of a process that change how it ends, or might: each as the line that installs it. One that removes a
 * file or closes a connection changes nothing, and one that ends the process after an error has to say that it failed.
 */
export function exitHandlers(name: string, text: string): readonly string[] {
  if (name.endsWith('.py')) return pythonHandlers(text)
  const found: string[] = []
  for (const { index, 0: heading, 1: event = '' } of text.matchAll(LISTENER)) {
    const handler = text.slice(index + heading.length, closing(text, index + heading.indexOf('('), '()') - 1)
    const all = withCalled(handler, text, scriptFunction)
    const isHarmless = /exit$/i.test(event) ? all !== undefined && !CHANGES_END.test(all) : failsAtLast(handler)
    if (!isHarmless) found.push(lineAt(text, index))
  }
  return found
}

const LISTENER =
  /\bprocess(?:\.|\[['"])(?:on|once|addListener|prepend(?:Once)?Listener)['"\]]*\(\s*['"`](exit|beforeExit|uncaughtException|unhandledRejection)['"`]\s*,/g

/** Whether a place is in a handler for a signal from outside, such as a server's that is stopped, and nothing else calls it. */
export function isInSignalHandler(text: string, index: number): boolean {
  if (/\bkill\(|\.emit\(\s*['"`]SIG|\bprocess\.emit\b/.test(text)) return false
  return [...text.matchAll(SIGNAL_LISTENER)].some(({ index: from, 0: heading }) => {
    const end = closing(text, from + heading.indexOf('('), '()')
    if (from < index && index < end) return true
    const handler = text.slice(from + heading.length, end - 1).trim()
    const body = /^[\w$]+$/.test(handler) ? scriptFunction(handler, text) : undefined
    const start = body === undefined ? -1 : text.indexOf(body)
    if (body === undefined || index < start || index > start + body.length) return false
    const name = handler.replaceAll('$', String.raw`\$`)
    const others = text.replaceAll(new RegExp(String.raw`${SIGNAL_LISTENER.source}\s*${name}\s*\)`, 'g'), '')
    return [...others.matchAll(new RegExp(String.raw`(?<![\w$])${name}(?![\w$])`, 'g'))].length === 1
  })
}

const SIGNAL_LISTENER = /\bprocess\.(?:on|once|addListener)\(\s*['"`]SIG(?:TERM|INT|HUP|QUIT|BREAK|USR[12])['"`]\s*,/g

/** What changes how a process ends, or hides that it does. */
const CHANGES_END =
  /exitCode|\bexit\b|[eE]xit\(|\bkill\b|\babort\b|\bemit\b|\bthis\b|\bprocess\s*\[|\bprocess\b(?!\.)|\bimport\(|\brequire\(/

/** Whether a handler's last step, whatever came before, says that the process failed. */
function failsAtLast(handler: string): boolean {
  const lines = handler.split('\n').filter((line) => !/^[\s});,]*$/.test(line))
  const isConditional = /^\s*(?:\}?\s*else|(?:if|while|for)\b.*)\s*$/.test(lines.at(-2) ?? '') || /\breturn\b/.test(handler)
  return FAILS.test(lines.at(-1) ?? '') && !isConditional
}

const FAILS = /(?:=>|[{;]|^)\s*(?:process\.exit\(\s*[1-9]\d*\s*\)|process\.exitCode\s*=\s*[1-9]\d*|throw\s[^;]*)[\s;,})]*$/

function pythonHandlers(text: string): readonly string[] {
  const found: string[] = []
  for (const { index, 0: heading } of text.matchAll(/@?\batexit\.register\b\(?/g)) {
    const open = index + heading.length - 1
    const decorated = /^\s*def\s+(\w+)/.exec(text.slice(index + heading.length))?.[1]
    const handler = heading.endsWith('(') ? text.slice(open + 1, closing(text, open, '()') - 1) : (decorated ?? '')
    const all = withCalled(handler, text, pythonFunction)
    if (all === undefined || handler.trim() === '' || PYTHON_CHANGES_END.test(all)) found.push(lineAt(text, index))
  }
  return found
}

const PYTHON_CHANGES_END = /exit|\bkill\w*|\babort\b|\bexec\w*|SystemExit|\bquit\b|\bgetattr\b|\bdup2?\b|\b__\w+__\b/

/**
 * A piece of code with the functions of the same file that it names, and those that they name. `undefined` if it is nothing but a name that
 * this file doesn't explain.
 */
function withCalled(code: string, text: string, bodyOf: (name: string, text: string) => string | undefined): string | undefined {
  const seen = new Set<string>()
  const parts = [code]
  // What is found on the way is looked through, too.
  for (const part of parts)
    for (const [name] of part.matchAll(/[A-Za-z_$][\w$]*/g)) {
      if (seen.has(name)) continue
      seen.add(name)
      const body = bodyOf(name, text)
      if (body !== undefined) parts.push(body)
    }
  const isImported = new RegExp(String.raw`\bimport\b[^;\n]*\b${code.trim()}\b`).test(text)
  return /^\s*\w+\s*$/.test(code) && parts.length === 1 && !isImported ? undefined : parts.join('\n')
}

function scriptFunction(name: string, text: string): string | undefined {
  const escaped = name.replaceAll('$', String.raw`\$`)
  const found = new RegExp(String.raw`(?<![\w$])(?:function\s*\*?\s*${escaped}\s*\(|(?:const|let|var)\s+${escaped}\s*=)`).exec(
    text,
  )
  if (!found) return undefined
  const line = /^[^\n]*/.exec(text.slice(found.index))?.[0] ?? ''
  const brace = line.indexOf('{')
  return brace < 0 ? line : text.slice(found.index, closing(text, found.index + brace))
}

function pythonFunction(name: string, text: string): string | undefined {
  const body = String.raw`^([ \t]*)(?:async\s+)?def\s+${name}\b[^\n]*(?:\n(?:\1[ \t]+[^\n]*|[ \t]*(?=\n)))*`
  return new RegExp(String.raw`${body}|^[ \t]*${name}\s*=[^=\n][^\n]*`, 'm').exec(text)?.[0]
}

function lineAt(text: string, index: number): string {
  const end = text.indexOf('\n', index)
  return text.slice(text.lastIndexOf('\n', index) + 1, end < 0 ? undefined : end).trim()
}
