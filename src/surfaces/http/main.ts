// Not by its name: a runtime without it has to get as far as the sentence that refuses it.
import nodeModule from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PawlError } from '../../core/pawl-error.ts'
import { findProject } from '../../settings/find-project.ts'

/** Where `pawl serve` listens, unless told otherwise. */
const PORT_DEFAULT = '7296'

const PORT_MAX = 65_535

// Beside the bundle, where nobody else writes; the source has no business with it.
if (import.meta.url.endsWith('.mjs')) nodeModule.enableCompileCache(join(import.meta.dirname, '.cache'))

const USAGE = `Usage: pawl serve [--port N] [--host ADDRESS] [--open] [--drive]

Serves a web page and an HTTP API over this project's runs, for this machine only.

Options:
  --port N            where to listen (default ${PORT_DEFAULT}; 0 takes a free one)
  --open              open the page in your browser
  --drive             let the page start, resume and restore runs
  --pair              show a QR code that lets your phone in (also while a server runs)
  --share tailscale   make the page reachable in your tailnet, with a QR code
  --host ADDRESS      listen on another address, for other machines
  --allow-host NAME   another name for this server, as a proxy gives it (repeatable)
  --public-url URL    where people reach the server, for links in notices
  --devices           list the devices that were let in
  --revoke ID         lock a device out
  --json              print JSON only
  -h, --help          show this

Examples:
  $ pawl serve --open
  $ pawl serve --drive --share tailscale
  $ pawl serve --pair
`

try {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((word, index) => index > 0 || word !== 'serve'),
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      'allow-host': { type: 'string', multiple: true },
      'public-url': { type: 'string' },
      open: { type: 'boolean' },
      drive: { type: 'boolean' },
      pair: { type: 'boolean' },
      share: { type: 'string' },
      devices: { type: 'boolean' },
      revoke: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) process.stdout.write(USAGE)
  else {
    // Only here, so that help and mistakes need not wait for it.
    const { runServe } = await import('./run-serve.ts')
    await runServe({
      project: findProject(process.cwd()),
      port: portIn(values.port ?? PORT_DEFAULT),
      flags: values,
      // Beside this file in the package; the sources have neither.
      page: join(import.meta.dirname, 'web'),
      program: [process.execPath, join(import.meta.dirname, 'cli.mjs')],
      say: (line) => void process.stdout.write(`${line}\n`),
    })
  }
} catch (error) {
  const isKnown = error instanceof PawlError
  const isUsage = isKnown ? error.code.startsWith('usage.') : (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  const message = error instanceof Error ? error.message : String(error)
  const help = isUsage && !isKnown ? '\nOptions: pawl serve --help' : ''
  process.stderr.write(`pawl: ${message}${help}${isKnown || isUsage ? '' : ' (this is a defect of Pawl)'}\n`)
  process.exitCode = isKnown && error.code === 'serve.running' ? 6 : isUsage ? 2 : 1
}

function portIn(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text)
  throw new PawlError('usage.port', `--port takes a whole number from 0 to ${PORT_MAX}, not "${text}".`, { value: text })
}
