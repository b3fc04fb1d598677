import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'
import { basename } from 'node:path'

/*
 * Runs inside the box, where there is no network: SOCKET PORT,PORT… COMMAND. It takes connections on the ports of the box's own loopback,
 * passes them to the proxy outside through the socket, and ends like the command. The first port is the proxy's; each other one leads to
 * the same port of the machine.
 */
const [socket = '', ports = '', command = '', ...args] = process.argv.slice(2)

for (const [index, port] of ports.split(',').map(Number).entries()) {
  const server = createServer({ pauseOnConnect: true }, (from) => {
    const to = connect(socket, () => {
      to.write(`${programAt(from.remotePort)}\n`)
      if (index > 0) to.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`)
    })
    const close = (): void => void (from.destroy(), to.destroy())
    from.on('error', close).on('close', close)
    to.on('error', close).on('close', close)
    if (index === 0) return void from.pipe(to).pipe(from)
    // Only the answer's head comes before the program's own bytes.
    to.once('data', (head: Buffer) => {
      const end = head.indexOf('\r\n\r\n')
      if (!head.subarray(0, 12).toString().endsWith(' 200')) return close()
      if (head.length > end + 4) from.write(head.subarray(end + 4))
      from.pipe(to).pipe(from)
    })
  })
  server.on('error', () => undefined)
  server.listen(port, '127.0.0.1').unref()
}

const child = spawn(command, args, { stdio: 'inherit' })
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(127)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 9)))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void child.kill(signal))

/** The program that has this port, as far as the system shows it. */
function programAt(port = 0): string {
  try {
    const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
    const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n')
    const inode = rows.map((row) => row.trim().split(/\s+/)).find((fields) => fields[1]?.endsWith(ending))?.[9]
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      if (holds(pid, `socket:[${inode}]`)) return programName(pid)
  } catch {}
  return ''
}

/** Its name; Node's own name for itself is that of its thread. */
function programName(pid: string): string {
  const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  if (name !== 'MainThread') return name
  return basename(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? name)
}

function holds(pid: string, link: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((name) => readlinkSync(`/proc/${pid}/fd/${name}`) === link)
  } catch {
    return false
  }
}
