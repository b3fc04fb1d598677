import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PawlError } from '../../core/pawl-error.ts'
import { findProject } from '../../settings/find-project.ts'

/** Where `pawl mcp --http` listens, unless told otherwise. */
const PORT_DEFAULT = '7295'

const PORT_MAX = 65_535

// Beside the bundle, where nobody else writes; the source has no business with it.
if (import.meta.url.endsWith('.mjs')) enableCompileCache(join(import.meta.dirname, '.cache'))

const USAGE = `Usage: pawl mcp [--http] [--port N] [--relay-answers]

Serves the loops of this project to AI agents as MCP tools, over standard input and output.

Options:
  --http            over streamable HTTP instead, for clients of this machine only
  --port N          where to listen (default ${PORT_DEFAULT}; 0 takes a free one)
  --relay-answers   let the agent hand in a person's answer even where its client cannot ask the person
  -h, --help        show this

Examples:
  $ pawl mcp
  $ pawl mcp --http --port 8080
  $ claude mcp add pawl -- pawl mcp
`

try {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((word, index) => index > 0 || word !== 'mcp'),
    options: {
      http: { type: 'boolean' },
      port: { type: 'string' },
      'relay-answers': { type: 'boolean' },
      // As every command takes it; what is spoken here is JSON already.
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) process.stdout.write(USAGE)
  else await serve(values)
} catch (error) {
  const isKnown = error instanceof PawlError
  const isUsage = isKnown ? error.code.startsWith('usage.') : (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`pawl: ${message}${isKnown || isUsage ? '' : ' (this is a defect of Pawl)'}\n`)
  process.exitCode = isUsage ? 2 : 1
}

interface Flags {
  readonly http?: boolean
  readonly port?: string
  readonly 'relay-answers'?: boolean
}

async function serve({ http = false, port, 'relay-answers': relaysAnswers = false }: Flags): Promise<void> {
  if (port !== undefined && !http) throw new PawlError('usage.port', '--port goes with --http.')
  const listening = http ? { port: portIn(port ?? PORT_DEFAULT) } : {}
  // Only here, so that help and mistakes need not wait for it.
  const { serveMcp } = await import('./serve.ts')
  await serveMcp({
    ...findProject(process.cwd()),
    ...listening,
    relaysAnswers,
    onListening: (url) => void process.stdout.write(`Serving MCP at ${url} (Ctrl-C ends it)\n`),
  })
}

function portIn(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text)
  throw new PawlError('usage.port', `--port takes a whole number from 0 to ${PORT_MAX}, not "${text}".`, { value: text })
}
