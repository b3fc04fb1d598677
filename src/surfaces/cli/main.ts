// Not by its name: a runtime without it has to get as far as the sentence that refuses it.
import nodeModule from 'node:module'
import { join } from 'node:path'
import { exitOnClosedOutput } from './exit-codes.ts'
import { VERSION } from './version.ts'

// Beside the bundle, if nobody else writes; the source has no business with it.
if (import.meta.url.endsWith('.mjs')) nodeModule.enableCompileCache(join(import.meta.dirname, '.cache'))

const words = process.argv.slice(2)
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  exitOnClosedOutput(false)
  process.stdout.write(`${VERSION}\n`)
} else {
  const { runCli } = await import('./run-cli.ts')
  process.exitCode = await runCli(words)
}
