import { parse, TomlError } from 'smol-toml'
import { PawlError } from '../../../core/pawl-error.ts'
import type { Server } from './agent-files.ts'

const BEGIN = '# >>> pawl: added by `pawl install codex`, taken out by `pawl uninstall codex`'
const END = '# <<< pawl'

/**
 * A TOML text with our MCP server at its end: a table may always stand there, and nothing above it is touched. Throws `config.toml`
 * with the line where the text is none, and where it has its servers in a form to which no table can be added.
 */
export function withTomlServer(text: string, path: string, { command, args }: Server): string {
  tomlValue(text, path)
  const line = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' || text.endsWith('\n') ? '' : line
  const table = [BEGIN, '[mcp_servers.pawl]', `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`, END]
  const whole = `${text}${gap}${text === '' ? '' : line}${table.join(line)}${line}`
  try {
    parse(whole)
  } catch (cause) {
    const message = `${path}: its mcp_servers stand in a form to which no table can be added: write them as [mcp_servers.NAME] tables.`
    throw new PawlError('config.toml', message, { value: path, cause })
  }
  return whole
}

/** The text without what we added, wherever it stands by now. */
export function withoutTomlServer(text: string): string {
  const begin = text.indexOf(BEGIN)
  const end = text.indexOf(END, begin)
  if (begin === -1 || end === -1) return text
  const before = text.slice(0, begin).replace(/(\r?\n)\r?\n$/, '$1')
  return before + text.slice(end + END.length).replace(/^\r?\n/, '')
}

/** Whether there is such a server already, ours or another. Throws `config.toml` with the line where the text is no TOML. */
export function hasTomlServer(text: string, path: string): boolean {
  const { mcp_servers: servers } = tomlValue(text, path)
  return typeof servers === 'object' && servers !== null && Object.hasOwn(servers, 'pawl')
}

function tomlValue(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const [what = ''] = cause.message.replace(/^Invalid TOML document: /, '').split('\n')
    throw new PawlError('config.toml', `${path}:${cause.line}: this is not TOML (${what}): mend it, then try again.`, {
      value: path,
      cause,
    })
  }
}
