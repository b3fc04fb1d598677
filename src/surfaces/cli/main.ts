import { enableCompileCache } from 'node:module'
import { VERSION } from './version.ts'

enableCompileCache()
// `pawl show RUN | head` closes the pipe early; that is no error.
process.stdout.on('error', leaveQuietly)

const words = process.argv.slice(2)
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  const { runCli } = await import('./run-cli.ts')
  process.exitCode = await runCli(words)
}

function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
}
