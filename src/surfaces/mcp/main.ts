// Not by its name: a runtime without it has to get as far as the sentence that refuses it.
import nodeModule from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PawlError } from '../../core/pawl-error.ts'
import { findProject } from '../../settings/find-project.ts'
import { MCP_FLAGS, MCP_PORT_DEFAULT, type McpFlag } from '../../settings/mcp-flags.ts'

const PORT_MAX = 65_535

// Beside the bundle, where nobody else writes; the source has no business with it.
if (import.meta.url.endsWith('.mjs')) nodeModule.enableCompileCache(join(import.meta.dirname, '.cache'))

const FLAGS = {
  ...MCP_FLAGS,
  // As every command takes it; what is spoken here is JSON already.
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h', about: 'show this' },
} as const

function usage(): string {
  const { json: _json, ...shown } = FLAGS
  const options = Object.entries<McpFlag>(shown).map(([name, { short, value, about }]) => {
    const flag = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`
    return `  ${flag.padEnd(24)}${about}`
  })
  return `Usage: pawl mcp [--http [--port N] | --socket PATH] [--relay-answers] [--allow-agent-commands]

Serves the loops of this project to AI agents as MCP tools, over standard input and output.

Options:
${options.join('\n')}

Examples:
  $ pawl mcp
  $ pawl mcp --http --port 8080
  $ pawl mcp --socket ~/.pawl.sock
  $ claude mcp add pawl -- pawl mcp
`
}

const FROM_CONFIG = `Checks, limits and guards come from pawl.yaml: write them there. To keep a session going, use: pawl ralph --bind
Options: pawl mcp --help`

try {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((word, index) => index > 0 || word !== 'mcp'),
    options: FLAGS,
  })
  if (values.help) process.stdout.write(usage())
  else await serve(values)
} catch (error) {
  const isKnown = error instanceof PawlError
  const isUsage = isKnown ? error.code.startsWith('usage.') : (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  const message = error instanceof Error ? error.message : String(error)
  const help = isUsage && !isKnown ? `\n${FROM_CONFIG}` : ''
  process.stderr.write(`pawl: ${message}${help}${isKnown || isUsage ? '' : ' (this is a defect of Pawl)'}\n`)
  process.exitCode = isUsage ? 2 : 1
}

/** What was given, by the flags' names. */
type Flags = {
  readonly [Name in keyof typeof FLAGS]?: (typeof FLAGS)[Name]['type'] extends 'boolean' ? boolean : string
}

async function serve(flags: Flags): Promise<void> {
  const { http = false, port, socket, 'relay-answers': relaysAnswers = false } = flags
  if (port !== undefined && !http) throw new PawlError('usage.port', '--port goes with --http.')
  if (socket !== undefined && http) throw new PawlError('usage.socket', 'Give --http or --socket, not both.')
  // Only here, so that help and mistakes need not wait for it.
  const { serveMcp } = await import('./serve.ts')
  await serveMcp({
    ...findProject(process.cwd()),
    ...(http ? { port: portIn(port ?? MCP_PORT_DEFAULT) } : {}),
    ...(socket === undefined ? {} : { socket }),
    relaysAnswers,
    allowsAgentCommands: flags['allow-agent-commands'] ?? false,
    onListening: (lines) => void process.stdout.write(`${lines.join('\n')}\n`),
  })
}

function portIn(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text)
  throw new PawlError('usage.port', `--port takes a whole number from 0 to ${PORT_MAX}, not "${text}".`, { value: text })
}
