import { networkInterfaces } from 'node:os'
import { getCookie, setCookie } from 'hono/cookie'
import type { Context } from 'hono'
import type { HttpBindings } from '@hono/node-server'
import { PawlError } from '../../core/pawl-error.ts'
import { isLoopback, isOwnAddress, type Peer, peerOf } from '../../process/peer-process.ts'
import type { Devices } from './devices.ts'
import type { Caller } from './endpoint.ts'

/** Where the server listens, and under which other names it may be reached. */
export interface GateOptions {
  readonly devices: Devices
  readonly host: string
  /** Names that a reverse proxy or a tunnel gives the server. */
  readonly names: readonly string[]
}

const COOKIE = 'pawl'
const COOKIE_SECONDS = 180 * 24 * 3600

/** How many requests one caller may make in a minute. */
const READS_MAX = 3000
const WRITES_MAX = 120
const FAILURES_MAX = 20

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Lets in who may come in, and nobody else: by name, origin, token or cookie, and not too often. */
export class Gate {
  readonly #devices: Devices
  readonly #names: ReadonlySet<string>
  readonly #isOpenToOthers: boolean
  readonly #limits = new Map<string, { since: number; count: number }>()

  constructor({ devices, host, names }: GateOptions) {
    this.#devices = devices
    this.#names = new Set(names.map((name) => name.toLowerCase()))
    this.#isOpenToOthers = !isLoopback(host) && host !== 'localhost'
  }

  /** Throws if a page of another site, or under another name, asks. A name that points here would make any site our own. */
  requireOwnSite(context: Context): void {
    const host = hostnameOf(context.req.header('host') ?? '')
    if (!this.#isOwnName(host))
      throw new PawlError(
        'serve.host',
        `This server doesn't answer to "${host}". To allow it: pawl serve --allow-host ${host || 'NAME'}`,
      )
    const origin = context.req.header('origin')
    const site = context.req.header('sec-fetch-site')
    const isForeign = origin !== undefined && !isOrigin(origin, context.req.header('host') ?? '')
    const isChange = context.req.method !== 'GET' && context.req.method !== 'HEAD'
    if (isForeign || (isChange && site !== undefined && site !== 'same-origin' && site !== 'none'))
      throw new PawlError('serve.origin', 'A page of another site asked. Open the address that `pawl serve` printed.')
  }

  /** Who asks. Throws if nobody says so who may. */
  callerOf(context: Context): Caller {
    const address = addressOf(context)
    const isChange = context.req.method !== 'GET' && context.req.method !== 'HEAD'
    const peer = isChange ? peerIn(context) : ELSEWHERE
    const [, bearer] = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '') ?? []
    const cookie = getCookie(context, COOKIE)
    const device = cookie === undefined ? undefined : this.#devices.find(cookie)
    if (bearer !== undefined ? this.#devices.isToken(bearer) : device !== undefined) {
      // A page sends its origin with every change; a program has the token instead.
      if (isChange && bearer === undefined && context.req.header('origin') === undefined)
        throw new PawlError('serve.origin', 'A change needs the header Origin, as browsers send it, or a token.')
      this.#count(
        `${bearer === undefined ? device?.id : address} ${isChange ? 'writes' : 'reads'}`,
        isChange ? WRITES_MAX : READS_MAX,
      )
      if (!device || bearer !== undefined) return { name: 'API', peer, isIn: () => true }
      return { name: device.name, device: device.id, peer, isIn: () => this.#devices.find(cookie ?? '') !== undefined }
    }
    this.#count(`${address} failures`, FAILURES_MAX)
    throw new PawlError('serve.unauthorized', 'Open the link that `pawl serve` printed, or send "Authorization: Bearer TOKEN".')
  }

  /** Lets a browser in that has the token of the printed link. `false` if it is wrong. */
  admit(context: Context, token: string): boolean {
    const cookie = getCookie(context, COOKIE)
    if (!this.#devices.isToken(token)) {
      this.#count(`${addressOf(context)} failures`, FAILURES_MAX)
      return false
    }
    if (cookie === undefined || !this.#devices.find(cookie)) this.#enter(context)
    return true
  }

  /** Lets a browser in that has a pairing code. */
  pair(context: Context, code: string, name?: string): boolean {
    this.#count(`${addressOf(context)} failures`, FAILURES_MAX)
    const isRight = this.#devices.useCode(code)
    if (isRight) this.#enter(context, name)
    return isRight
  }

  /** Counts a request of somebody who needs no cookie: a signed link. */
  countLink(context: Context): Pick<Caller, 'peer'> {
    this.#count(`${addressOf(context)} failures`, FAILURES_MAX)
    return { peer: context.req.method === 'POST' ? peerIn(context) : ELSEWHERE }
  }

  #enter(context: Context, name?: string): void {
    const { cookie } = this.#devices.add(name?.trim().slice(0, 60) || deviceName(context.req.header('user-agent') ?? ''))
    const isSecure = context.req.header('x-forwarded-proto') === 'https'
    setCookie(context, COOKIE, cookie, {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      maxAge: COOKIE_SECONDS,
      secure: isSecure,
    })
  }

  #isOwnName(name: string): boolean {
    if (LOOPBACK_NAMES.has(name) || this.#names.has(name)) return true
    return this.#isOpenToOthers && ownAddresses().has(name)
  }

  #count(key: string, max: number): void {
    const now = Date.now()
    if (this.#limits.size > 10_000) this.#limits.clear()
    const known = this.#limits.get(key)
    const entry = known && now - known.since < 60_000 ? known : { since: now, count: 0 }
    this.#limits.set(key, entry)
    if (++entry.count > max) throw new PawlError('serve.too-many', 'Too many requests: wait a minute.')
  }
}

function hostnameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}

/** Behind a proxy the scheme may be https; the host is the one that was asked. */
function isOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`
}

function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return new Set(all.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)))
}

function socketOf(context: Context) {
  return (context.env as Partial<HttpBindings>).incoming?.socket
}

function addressOf(context: Context): string {
  return socketOf(context)?.remoteAddress ?? ''
}

const ELSEWHERE: Peer = { kind: 'elsewhere' }

function peerIn(context: Context): Peer {
  const { remoteAddress, remotePort, localPort } = socketOf(context) ?? {}
  if (remoteAddress === undefined || remotePort === undefined || localPort === undefined) return ELSEWHERE
  // A proxy adds the address that it was asked from: by this machine itself, and nobody can say by which process.
  const asked = context.req.header('x-forwarded-for')?.split(',').at(-1)?.trim()
  if (asked !== undefined && isLoopback(remoteAddress) && isOwnAddress(asked)) return { kind: 'unseen' }
  return peerOf({ remoteAddress, remotePort, localPort })
}

/** "Firefox on Android": enough to know a device again in a list. */
function deviceName(agent: string): string {
  const browser = /Edg|OPR|Firefox|CriOS|Chrome|Safari/.exec(agent)?.[0] ?? 'Browser'
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0]
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', CriOS: 'Chrome', 'Mac OS X': 'macOS' }
  return [browser, system].flatMap((name) => (name === undefined ? [] : [names[name] ?? name])).join(' on ')
}
