import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { execa } from 'execa'
import { childProgram } from './child-program.ts'

export type PreparedPeers =
  | { readonly status: 'ready'; readonly versions: string }
  | { readonly status: 'unavailable'; readonly reason: string }

const FOLDER = join(import.meta.dirname, 'peers')
const INSTALL_MS_MAX = 5 * 60_000

/** Sees that what we measure ourselves against is there and runs; installs it into `bench/peers` if it doesn't. `program` is the one that will be run. */
export async function preparedPeers(say: (line: string) => void, program = 'peers/langgraph-loop.mjs'): Promise<PreparedPeers> {
  if ((await whyNotRunning(program)) === undefined) return { status: 'ready', versions: versions() }
  say('Installing the peers … (once, into bench/peers)')
  // The lock file stays as it is, and no package gets to run a script: none of them needs one.
  const installed = await execa('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
    env: npmEnvironment(),
    extendEnv: false,
    reject: false,
    all: true,
    timeout: INSTALL_MS_MAX,
  })
  if (installed.failed) {
    const said = errorLines(installed.all) || installed.shortMessage
    return {
      status: 'unavailable',
      reason: `the peers could not be installed into bench/peers, which needs the network once; npm said: ${said}`,
    }
  }
  const problem = await whyNotRunning(program)
  if (problem === undefined) return { status: 'ready', versions: versions() }
  return { status: 'unavailable', reason: `the peers were installed into bench/peers and do not run: ${problem}` }
}

async function whyNotRunning(program: string): Promise<string | undefined> {
  try {
    await childProgram(program, [])
    return undefined
  } catch (error) {
    return lastLines((error as Error).message)
  }
}

function versions(): string {
  const packages = ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite', 'better-sqlite3']
  return packages
    .map((name) => {
      const text = readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8')
      return `${name} ${(JSON.parse(text) as { version: string }).version}`
    })
    .join(', ')
}

/** What npm needs to reach its registry, and nothing else of the machine's environment. */
function npmEnvironment(): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => WANTED.test(name) && !POINTING_AWAY.test(name))),
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    NODE_OPTIONS: '--use-system-ca',
  }
}

const WANTED = /^(?:HOME|LANG|TMPDIR|(?:https?|no)_proxy|npm_config_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i

/** Under `npm run` these point npm at Pawl's own folder. */
const POINTING_AWAY = /^npm_config_(?:.*prefix|globalconfig)$/i

/** npm says first what went wrong and then at length what might help. */
function errorLines(text: string | undefined): string {
  const lines = (text ?? '').split('\n').filter((line) => line.startsWith('npm error '))
  return lines
    .slice(0, 3)
    .map((line) => line.slice('npm error '.length))
    .join(', ')
}

function lastLines(text: string | undefined): string {
  return (text ?? '').trim().split('\n').slice(-4).join(' ')
}
