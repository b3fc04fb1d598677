import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { renderUnicodeCompact } from 'uqr'
import { PawlError } from '../../core/pawl-error.ts'
import { resolveProgram } from '../../process/find-program.ts'
import type { Project } from '../../settings/find-project.ts'
import { loadConfig } from '../../settings/load-config.ts'
import { isTrusted } from '../../settings/user-files.ts'
import { Devices } from './devices.ts'
import { type ServeOptions, type Serving, serveProject, servingNow } from './serve.ts'

/** The flags of `pawl serve`. */
export interface ServeFlags {
  readonly host?: string | undefined
  readonly 'allow-host'?: readonly string[] | undefined
  readonly 'public-url'?: string | undefined
  readonly open?: boolean | undefined
  readonly drive?: boolean | undefined
  readonly pair?: boolean | undefined
  readonly share?: string | undefined
  readonly devices?: boolean | undefined
  readonly revoke?: string | undefined
  readonly json?: boolean | undefined
}

export interface ServeCommand {
  readonly project: Project
  readonly port: number
  readonly flags: ServeFlags
  readonly page: string
  readonly program: readonly string[]
  readonly say: (line: string) => void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Does what the flags say: lists devices, pairs one, or serves until the process is asked to end. */
export async function runServe(command: ServeCommand): Promise<void> {
  const { flags, project, say } = command
  if (flags.devices === true) return listDevices(command)
  if (flags.revoke !== undefined) {
    if (!new Devices().revoke(flags.revoke))
      throw new PawlError('usage.device', `There is no device "${flags.revoke}": pawl serve --devices lists them.`)
    return say(flags.json === true ? JSON.stringify({ revoked: flags.revoke }) : `Locked out ${flags.revoke}.`)
  }
  const running = servingNow(project.storePath)
  if (running && flags.pair === true) return pairAt(running.url, command)
  await serveUntilEnd(command)
}

async function serveUntilEnd({ project, port, flags, page, program, say }: ServeCommand): Promise<void> {
  const { host, share, json = false } = flags
  if (share !== undefined && share !== 'tailscale')
    throw new PawlError('usage.share', `--share takes tailscale, not "${share}". For a proxy of your own: --public-url URL`)
  const publicUrl = flags['public-url']
  if (publicUrl !== undefined && !URL.canParse(publicUrl))
    throw new PawlError('usage.public-url', `--public-url takes an address such as https://pawl.example.com, not "${publicUrl}".`)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  for (const name of SIGNALS) process.on(name, () => end())
  const sharing = share === undefined ? undefined : await shareByTailscale()
  const shared = sharing?.url ?? publicUrl?.replace(/\/+$/, '')
  const serving = await serveProject({
    ...project,
    port,
    ...(host === undefined ? {} : { host }),
    names: flags['allow-host'] ?? [],
    ...(shared === undefined ? {} : { publicUrl: shared }),
    ...(flags.drive === true ? { program } : {}),
    page,
    ...(await noticesOf(project)),
    warn,
  })
  try {
    await sharing?.start(new URL(serving.url).port)
    if (json) say(JSON.stringify({ url: serving.url, link: serving.link, pid: process.pid }))
    else for (const line of listeningLines(serving, flags)) say(line)
    if (flags.pair === true || share !== undefined) showCode(serving.devices.newCode().code, shared ?? serving.url, say, json)
    if (flags.open === true) await openPage(serving.link)
    await ended
  } finally {
    await sharing?.stop()
    await serving.close()
  }
}

function warn(line: string): void {
  process.stderr.write(`pawl: ${line}\n`)
}

/** Notices send what runs are about to others and may run a command, so a cloned project's pawl.yaml must not start them by itself. */
async function noticesOf({ root, configPath }: Project): Promise<Pick<ServeOptions, 'notices'>> {
  const notices = (await loadConfig(configPath))?.notices
  if (!notices) return {}
  if (isTrusted(root)) return { notices }
  warn('The notices of pawl.yaml are off until you allow them: pawl trust --folder')
  return {}
}

function listeningLines({ link }: Serving, { drive = false }: ServeFlags): readonly string[] {
  return [
    `Serving this project's runs (Ctrl-C ends it)`,
    `  Open     ${link}`,
    `  Phone    pawl serve --pair`,
    ...(drive ? [] : ['  Runs     shown and answered; --drive starts and resumes them too']),
  ]
}

function listDevices({ flags, say }: ServeCommand): void {
  const devices = new Devices().list()
  if (flags.json === true) return say(JSON.stringify({ devices }))
  if (devices.length === 0) return say('No device was let in yet. Pair one: pawl serve --pair')
  for (const { id, name, lastSeenAt } of devices)
    say(`${id}  ${name}, last seen ${new Date(lastSeenAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`)
  say('Lock one out: pawl serve --revoke ID')
}

/** Asks the server that runs for a code. */
async function pairAt(url: string, { say, flags }: ServeCommand): Promise<void> {
  const response = await fetch(`${url}/api/v1/devices/code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${new Devices().token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  if (!response.ok) throw new PawlError('serve.pair', `The server at ${url} gave no code (${response.status}).`)
  const { code, url: link } = (await response.json()) as { readonly code: string; readonly url: string }
  showCode(code, link.replace(/\/pair\?.*$/, ''), say, flags.json === true)
}

function showCode(code: string, base: string, say: (line: string) => void, isJson: boolean): void {
  const link = `${base}/pair?code=${code}`
  if (isJson) return say(JSON.stringify({ code, link }))
  say(renderUnicodeCompact(link))
  say(`  Pair     ${link}`)
  say('           works once, within two minutes')
  if (/^http:\/\/(?:127\.|localhost|\[::1\])/.test(base))
    say('  Only this machine reaches that address. For a phone: --share tailscale, or --host')
}

async function openPage(link: string): Promise<void> {
  const name = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const found = await resolveProgram(name, '/', process.env['PATH'])
  if (found.status !== 'found') return
  const child = spawn(found.path, [link], { stdio: 'ignore', detached: true })
  child.once('error', () => undefined)
  child.unref()
}

const run = promisify(execFile)

/** A way to reach the server from your other devices. */
interface Sharing {
  readonly url: string
  start(port: string): Promise<void>
  stop(): Promise<void>
}

/** Makes the server reachable in your tailnet, over https, for as long as it runs. */
async function shareByTailscale(): Promise<Sharing> {
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
