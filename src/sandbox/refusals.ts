import type { Refusal } from '../core/event-data.ts'

/** How programs report that a file system is read-only, with the path: Node, Python, the C library's tools, shells, git, Go and Rust. */
const REFUSED_WRITES: readonly RegExp[] = [
  /EROFS: read-only file system, \w+ \\?['"]([^'"\\]+)/g,
  /\[Errno 30\] Read-only file system: \\?['"]([^'"\\]+)/g,
  /(?:cannot|[Uu]nable to) (?:create|touch|remove|overwrite|open|move|make|unlink)[^'‘"/\n]{0,40}['‘"]([^'’"\n]+)['’"]: Read-only file system/g,
  /(?:: |open |create )(\/[^'’":\\\n]+): [Rr]ead-only file system/g,
  // A path without a slash at its beginning has no space, and either a slash or one of these words before it.
  /(?:create|open|config file) ([^\s/'’":\\][^\s'’":\\]*): [Rr]ead-only file system/g,
  // A single file that is protected is a mount, which nothing can be renamed onto.
  /could not write config file ([^\n'’":\\]+): Device or resource busy/g,
  /: ([^\s/'’":\\]+\/[^\s'’":\\]*): [Rr]ead-only file system/g,
]

/** How programs report that a name isn't found or an address isn't reached, with the host: Node, curl, git, cargo, wget, Go, pip and apt. */
const REFUSED_HOSTS: readonly RegExp[] = [
  /getaddrinfo (?:EAI_AGAIN|ENOTFOUND) ([\w.-]+)/g,
  /connect (?:ENETUNREACH|EHOSTUNREACH) ([\d.]+:\d+)/g,
  /Could not resolve host: ([\w.-]+)/gi,
  /unable to resolve host address ['‘"“]([\w.-]+)/g,
  /\blookup ([\w.-]+)(?: on \S+)?: (?:no such host|dial udp|server misbehaving|Temporary failure)/g,
  /host=\\?'([\w.-]+)\\?', port=\d+\)[^\n]{0,400}(?:Name or service not known|Temporary failure in name resolution)/g,
  /Temporary failure resolving ['‘"]([\w.-]+)/g,
]

const WRITE_HINT = /read-only file system|resource busy/i
const HOST_HINT = /getaddrinfo|ENETUNREACH|EHOSTUNREACH|resolv|lookup/i

/** Lines are longer than this only where they are no messages. */
const CARRIED_MAX = 4096

/** Finds refused writes and hosts in what a program prints. The system reports refused writes nowhere else. */
export function refusedIn(onPath: (path: string) => void, onHost?: (host: string) => void): (bytes: Buffer) => void {
  let carried = ''
  return (bytes) => {
    const text = carried + bytes.toString('utf8')
    if (WRITE_HINT.test(text))
      for (const pattern of REFUSED_WRITES) for (const [, path = ''] of text.matchAll(pattern)) onPath(path)
    if (onHost && HOST_HINT.test(text))
      for (const pattern of REFUSED_HOSTS) for (const [, host = ''] of text.matchAll(pattern)) onHost(host.replace(/\.+$/, ''))
    const end = text.lastIndexOf('\n') + 1
    carried = text.slice(Math.max(end, text.length - CARRIED_MAX))
  }
}

/** Collects refusals, each once, and passes on those that are new. */
export function refusalList(onRefusal: (refusal: Refusal) => void): { add(refusal: Refusal): void; all(): readonly Refusal[] } {
  const known = new Map<string, Refusal>()
  return {
    add: (refusal) => {
      const key = `${refusal.what} ${refusal.name}`
      if (known.has(key) || known.size >= REFUSALS_MAX) return
      known.set(key, refusal)
      onRefusal(refusal)
    },
    all: () => [...known.values()],
  }
}

const REFUSALS_MAX = 50
