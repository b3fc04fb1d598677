// Not by its name: a runtime without it has to get as far as the sentence that refuses it.
import nodeModule from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PawlError } from '../../core/pawl-error.ts'
import { findProject } from '../../settings/find-project.ts'

// Beside the bundle, where nobody else writes; the source has no business with it.
if (import.meta.url.endsWith('.mjs')) nodeModule.enableCompileCache(join(import.meta.dirname, '.cache'))

const PORTS = { port: 9080, ingress: 8080, admin: 9070 }

const USAGE = `Usage: pawl engine up | serve | drive RUN…

Lets Restate drive this project's runs: they continue after any process dies.

Commands:
  up             start a Restate server on this machine and serve runs to it
  serve          serve runs to a Restate server that you run elsewhere
  drive RUN…     hand runs to Restate, which drives them to their end

Options:
  --port N           where runs are served (default ${PORTS.port}; keep it)
  --ingress URL      where Restate takes calls (default http://127.0.0.1:${PORTS.ingress})
  --admin URL        Restate's admin API (default http://127.0.0.1:${PORTS.admin})
  --host ADDRESS     serve on another address, for Restate on other machines
  --public-url URL   the address at which Restate reaches the runs
  --identity-key K   only answer the Restate server with this public key
  --look-every S     seconds between looks for news (default 30)
  --json             print JSON only
  -h, --help         show this

Examples:
  $ npm i -D @restatedev/restate-sdk @restatedev/restate-server-${process.platform}-${process.arch}
  $ pawl engine up
  $ pawl task "Fix the login" --agent claude --worktree --queue
  $ pawl engine drive fix-the-login
`

try {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2).filter((word, index) => index > 0 || word !== 'engine'),
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      ingress: { type: 'string' },
      admin: { type: 'string' },
      host: { type: 'string' },
      'public-url': { type: 'string' },
      'identity-key': { type: 'string', multiple: true },
      'look-every': { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [verb, ...runs] = positionals
  if (values.help || verb === undefined) process.stdout.write(USAGE)
  else {
    const command = {
      verb,
      runs,
      project: findProject(process.cwd()),
      port: numberIn('port', values.port ?? String(PORTS.port), 65_535),
      ingressUrl: urlIn('ingress', values.ingress ?? `http://127.0.0.1:${PORTS.ingress}`),
      adminUrl: urlIn('admin', values.admin ?? `http://127.0.0.1:${PORTS.admin}`),
      ...(values.host === undefined ? {} : { host: values.host }),
      ...(values['public-url'] === undefined ? {} : { publicUrl: urlIn('public-url', values['public-url']) }),
      identityKeys: values['identity-key'] ?? [],
      lookEveryMs: numberIn('look-every', values['look-every'] ?? '30', 3600) * 1000,
      isJson: values.json === true,
      say: (line: string) => void process.stdout.write(`${line}\n`),
    }
    // Only here, so that help and mistakes need not wait for it.
    const { runEngine } = await import('./run-engine.ts')
    await runEngine(command)
  }
  if (verb === undefined && !values.help) process.exitCode = 2
} catch (error) {
  const isKnown = error instanceof PawlError
  const isUsage = isKnown
    ? error.code.startsWith('usage.') || error.code === 'run.unknown'
    : (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  const message = error instanceof Error ? error.message : String(error)
  const help = isUsage && !isKnown ? '\nOptions: pawl engine --help' : ''
  process.stderr.write(`pawl: ${message}${help}${isKnown || isUsage ? '' : ' (this is a defect of Pawl)'}\n`)
  process.exitCode = isUsage ? 2 : isKnown && error.code === 'engine.missing' ? 7 : 1
}

function numberIn(flag: string, text: string, max: number): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= max) return Number(text)
  throw new PawlError(`usage.${flag}`, `--${flag} takes a whole number from 0 to ${max}, not "${text}".`, { value: text })
}

function urlIn(flag: string, text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/+$/, '')
  throw new PawlError(`usage.${flag}`, `--${flag} takes an address such as http://127.0.0.1:8080, not "${text}".`, {
    value: text,
  })
}
