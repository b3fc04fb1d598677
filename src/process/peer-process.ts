import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Both ends of a TCP connection that this process accepted. */
export interface Connection {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly localPort: number
}

/**
 * The processes of this machine at the other end of a connection: those that have its socket open. Empty if the other end is elsewhere,
 * belongs to another user, or the system doesn't say (only Linux does).
 */
export function peerProcesses(connection: Connection): readonly number[] {
  if (process.platform !== 'linux' || !isLoopback(connection.remoteAddress)) return []
  const inode = ['/proc/net/tcp', '/proc/net/tcp6']
    .map((table) => inodeIn(table, connection))
    .find((found) => found !== undefined)
  if (inode === undefined) return []
  const link = `socket:[${inode}]`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => hasOpen(pid, link))
}

/** Whether an address is this machine's own. */
export function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address)
}

/** The client's end has our remote port as its local one. */
function inodeIn(table: string, { remotePort, localPort }: Connection): string | undefined {
  for (const line of textOf(table).split('\n').slice(1)) {
    const [, local = '', remote = '', , , , , , , inode] = line.trim().split(/\s+/)
    if (portOf(local) === remotePort && portOf(remote) === localPort && inode !== '0') return inode
  }
  return undefined
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
