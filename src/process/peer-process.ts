import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { networkInterfaces } from 'node:os'

/** Both ends of a TCP connection that this process accepted. */
export interface Connection {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly localPort: number
}

/**
 * Who is at the other end of a connection. `elsewhere`: another machine or another user, or the system doesn't say (only Linux does).
 * `unseen`: somebody of this machine and this user who closed the connection before we looked, or hides.
 */
export type Peer = { readonly kind: 'processes'; readonly pids: readonly number[] } | { readonly kind: 'elsewhere' | 'unseen' }

/** Finds the processes of this machine that have the other end of a connection open. */
export function peerOf(connection: Connection): Peer {
  if (process.platform !== 'linux') return { kind: 'elsewhere' }
  const entry = ['/proc/net/tcp', '/proc/net/tcp6']
    .map((table) => entryIn(table, connection))
    .find((found) => found !== undefined)
  if (entry === undefined) return { kind: isOwnAddress(connection.remoteAddress) ? 'unseen' : 'elsewhere' }
  // Nobody has it open any more: who sends and leaves at once would not be known otherwise.
  if (entry.inode === '0') return { kind: 'unseen' }
  const link = `socket:[${entry.inode}]`
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => hasOpen(pid, link))
  if (pids.length > 0) return { kind: 'processes', pids }
  return { kind: entry.user === process.getuid?.() ? 'unseen' : 'elsewhere' }
}

/** Whether an address is this machine's own: its loopback, or that of one of its interfaces. */
export function isOwnAddress(address: string): boolean {
  if (isLoopback(address)) return true
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  return Object.values(networkInterfaces()).some((each) => each?.some((own) => own.address === plain))
}

/** Whether an address leads back to this machine by its loopback. */
export function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/i.test(address)
}

/** The client's end has our remote port as its local one, and our remote address. */
function entryIn(
  table: string,
  { remoteAddress, remotePort, localPort }: Connection,
): { readonly inode: string; readonly user: number } | undefined {
  const wanted = hexOf(remoteAddress)
  for (const line of textOf(table).split('\n').slice(1)) {
    const [, local = '', remote = '', , , , , user = '', , inode] = line.trim().split(/\s+/)
    if (portOf(local) !== remotePort || portOf(remote) !== localPort || inode === undefined) continue
    const [address = ''] = local.split(':')
    if (wanted === undefined || address.endsWith(wanted)) return { inode, user: Number(user) }
  }
  return undefined
}

/** An IPv4 address as the tables write it: its four bytes, the last one first. Ports distinguish the others. */
function hexOf(address: string): string | undefined {
  const bytes = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)?.slice(1)
  return bytes
    ?.map((byte) => Number(byte).toString(16).padStart(2, '0').toUpperCase())
    .toReversed()
    .join('')
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function hasOpen(pid: number, link: string): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((name) => linkOf(`${folder}/${name}`) === link)
  } catch {
    // It ended meanwhile, or belongs to another user.
    return false
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
