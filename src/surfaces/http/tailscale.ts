import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PawlError } from '../../core/pawl-error.ts'

const run = promisify(execFile)

/** A way to reach the server from your other devices. */
export interface Sharing {
  readonly url: string
  start(port: string): Promise<void>
  stop(): Promise<void>
}

/** Makes the server reachable in your tailnet, over https, for as long as it runs. */
export async function shareByTailscale(): Promise<Sharing> {
  const { stdout } = await tailscale('status', '--json')
  const { Self } = JSON.parse(stdout) as { readonly Self?: { readonly DNSName?: string } }
  const name = Self?.DNSName?.replace(/\.$/, '')
  if (!name) throw new PawlError('serve.share', 'tailscale has no name for this machine. Log in first: tailscale up')
  return {
    url: `https://${name}`,
    start: async (port) => void (await tailscale('serve', '--bg', '--https=443', `http://127.0.0.1:${port}`)),
    stop: async () => void (await tailscale('serve', '--https=443', 'off').catch(() => undefined)),
  }
}

async function tailscale(...words: readonly string[]): Promise<{ readonly stdout: string }> {
  try {
    return await run('tailscale', [...words], { timeout: 20_000 })
  } catch (cause) {
    const { code, stderr = '' } = cause as NodeJS.ErrnoException & { readonly stderr?: string }
    const why =
      code === 'ENOENT' ? 'tailscale is not on the PATH. Install it: https://tailscale.com/download' : stderr.trim().slice(0, 300)
    throw new PawlError('serve.share', why === '' ? `\`tailscale ${words.join(' ')}\` failed.` : why, { cause })
  }
}
