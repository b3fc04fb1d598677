import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { delimiter } from 'node:path'
import { execa } from 'execa'
import { childProgram } from './child-program.ts'
import { nodeHeaders } from './node-headers.ts'

export type PreparedPeers =
  | { readonly status: 'ready'; readonly versions: string }
  | { readonly status: 'unavailable'; readonly reason: string }

const FOLDER = join(import.meta.dirname, 'peers')
const INSTALL_MS_MAX = 15 * 60_000

/** Sees that what we measure ourselves against is there and runs on this Node; installs it into `bench/peers` where it does not. */
export async function preparedPeers(say: (line: string) => void): Promise<PreparedPeers> {
  if ((await whyNotRunning()) === undefined) return { status: 'ready', versions: versions() }
  say('Installing the peers … (once; where better-sqlite3 has to be compiled, that takes some minutes)')
  // `ci` also throws away what was compiled for another Node.
  const installed = await execa('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
    env: npmEnvironment(),
    extendEnv: false,
    reject: false,
    all: true,
    timeout: INSTALL_MS_MAX,
  })
  if (installed.failed) {
    const said = lastLines(installed.all)
    return {
      status: 'unavailable',
      reason: `the peers could not be installed into bench/peers; npm said: ${said || installed.shortMessage}`,
    }
  }
  const problem = await whyNotRunning()
  if (problem === undefined) return { status: 'ready', versions: versions() }
  return { status: 'unavailable', reason: `the peers were installed into bench/peers and do not run: ${problem}` }
}

async function whyNotRunning(): Promise<string | undefined> {
  try {
    await childProgram('peers/langgraph-loop.mjs', [])
    return undefined
  } catch (error) {
    return lastLines((error as Error).message)
  }
}

function versions(): string {
  const packages = ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite', 'better-sqlite3']
  return packages
    .map((name) => {
      const { version } = JSON.parse(readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8')) as {
        version: string
      }
      return `${name} ${version}`
    })
    .join(', ')
}

/** What npm needs to reach its registry and a compiler, and nothing else of the machine's environment. */
function npmEnvironment(): Record<string, string | undefined> {
  const isWanted = (name: string): boolean =>
    /^(?:HOME|LANG|TMPDIR|CC|CXX|(?:https?|no)_proxy|npm_config_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i.test(name) &&
    // Under `npm run` these point npm at Pawl's own folder.
    !/^npm_config_(?:.*prefix|globalconfig)$/i.test(name)
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => isWanted(name))),
    // npm and the compiling have to happen on the Node that will run the result.
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    NODE_OPTIONS: '--use-system-ca',
    // Empty means: fetch them. What the machine has set is most likely for the machine's own Node.
    npm_config_nodedir: nodeHeaders() ?? '',
    JOBS: 'max',
  }
}

function lastLines(text: string | undefined): string {
  return (text ?? '').trim().split('\n').slice(-4).join(' ')
}
