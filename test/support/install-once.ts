import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { runCommand } from '../../src/process/run-command.ts'

const INSTALL_MS_MAX = 9 * 60_000

/** Brings the packages of a test folder's lock file into its `node_modules`. What is there stays until the lock file changes. */
export async function installOnce(folder: string, what: string): Promise<void> {
  const stamp = join(folder, 'node_modules', '.pawl-installed')
  const key = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return
  rmSync(stamp, { force: true })
  process.stderr.write(`Installing ${what} …\n`)
  // No install scripts: what they would build (a terminal, a keyring) nothing needs here without a person in front of it.
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const result = await runCommand({
    command: ['npm', ...args],
    cwd: folder,
    env: npmEnvironment(),
    timeoutMs: INSTALL_MS_MAX,
    signal: new AbortController().signal,
    onStarted: async () => undefined,
  })
  if (result.status !== 'exited' || result.exitCode !== 0) {
    const said = 'output' in result ? result.output.text : result.message
    throw new Error(`npm could not install ${what} (${result.status}): check the network and try again. It said:\n${said}`)
  }
  writeFileSync(stamp, key)
}

/** What npm needs to reach a registry, and nothing else of the machine's variables. */
function npmEnvironment(): Record<string, string> {
  const passed =
    /^(?:HOME|USERPROFILE|APPDATA|SystemRoot|TEMP|TMPDIR|npm_config_(?!prefix|local_prefix|global).*|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    passed.test(name) && value !== undefined ? [[name, value]] : [],
  )
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  return { ...Object.fromEntries(kept), PATH: path, NODE_OPTIONS: '--use-system-ca' }
}
