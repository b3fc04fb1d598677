import { PawlError } from '../../../core/pawl-error.ts'
import type { Server } from './agent-files.ts'

const BEGIN = '# >>> pawl: added by `pawl install codex`, taken out by `pawl uninstall codex`'
const END = '# <<< pawl'

/** A TOML text with our MCP server at its end: a table may always stand there, and nothing above it is touched. */
export function withTomlServer(text: string, { command, args }: Server): string {
  if (/^[ \t]*mcp_servers[ \t]*=/m.test(text))
    throw new PawlError(
      'config.toml',
      'The config.toml of Codex has mcp_servers on one line, to which no table can be added: write it as [mcp_servers.NAME] tables.',
    )
  const line = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' || text.endsWith('\n') ? '' : line
  const table = [BEGIN, '[mcp_servers.pawl]', `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`, END]
  return `${text}${gap}${text === '' ? '' : line}${table.join(line)}${line}`
}

/** The text without what we added, wherever it stands by now. */
export function withoutTomlServer(text: string): string {
  const begin = text.indexOf(BEGIN)
  const end = text.indexOf(END, begin)
  if (begin === -1 || end === -1) return text
  const before = text.slice(0, begin).replace(/(\r?\n)\r?\n$/, '$1')
  return before + text.slice(end + END.length).replace(/^\r?\n/, '')
}

/** Whether there is such a server already, ours or another. */
export function hasTomlServer(text: string): boolean {
  return /^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*["']?pawl["']?[ \t]*\]/m.test(text)
}
