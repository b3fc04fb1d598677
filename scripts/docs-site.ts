// Serves the docs site, or builds it into site/dist with `npm run docs -- build`. VitePress is large, so it has its own folder and lock file.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '..', 'site')

// `npm install`, not `npm ci`: the lock file lacks the binaries of other systems, and `npm ci` refuses that.
if (installed() !== wanted()) {
  process.stderr.write('Installing VitePress into site/node_modules (once, about 100 MB) …\n')
  const env = { ...process.env, NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --use-system-ca`.trim() }
  run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], env)
}
const [command = 'dev', ...more] = process.argv.slice(2)
run('node', [join('node_modules', 'vitepress', 'bin', 'vitepress.js'), command, '.', ...more], process.env)

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status } = spawnSync(program, args, { cwd: FOLDER, env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function installed(): string | undefined {
  try {
    return versionIn(join('node_modules', 'vitepress', 'package.json'), ['version'])
  } catch {
    return undefined
  }
}

function wanted(): string | undefined {
  return versionIn('package.json', ['devDependencies', 'vitepress'])
}

function versionIn(file: string, keys: readonly string[]): string | undefined {
  let value: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))
  for (const key of keys) value = (value as Record<string, unknown>)[key]
  return typeof value === 'string' ? value : undefined
}
