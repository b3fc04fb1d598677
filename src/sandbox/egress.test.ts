import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEgress } from './egress.ts'

/** Says something to the proxy, as the program inside the box does, and returns what comes back. */
async function said(text: string, allowed: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-egress-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'socket')
  const egress = await openEgress({ socket, allowed, onRefused: () => undefined })
  let answer = ''
  await new Promise<void>((resolve) => {
    const to = connect(socket, () => to.write(`test\n${text}\r\n\r\n`))
    to.on('data', (bytes) => void ((answer += bytes.toString()), to.end()))
    to.on('close', () => resolve())
  })
  await egress.close()
  return answer
}

/** A server on this machine that says for whom it was asked. */
async function server(): Promise<number> {
  const made = createServer((asked, answer) => answer.end(`REACHED ${asked.headers.host}`))
  await new Promise<void>((resolve) => made.listen(0, resolve))
  onTestFinished(() => void made.close())
  return (made.address() as AddressInfo).port
}

test.for(['99999', '0', '-1', 'x', ''])('BOX-31 a port that is none ends nothing: "%s"', async (port) => {
  expect(await said(`CONNECT localhost:${port} HTTP/1.1`, ['localhost'])).toMatch(/^HTTP\/1.1 400/)
})

test('BOX-31 an allowed name that leads to this machine is not followed; an allowed localhost is', async () => {
  const port = await server()
  // The system looks these up like names, and both lead here.
  for (const name of ['127.1', '2130706433'])
    expect(await said(`CONNECT ${name}:${port} HTTP/1.1`, [name])).toMatch(/^HTTP\/1.1 502/)
  expect(await said(`CONNECT localhost:${port} HTTP/1.1`, ['localhost'])).toMatch(/^HTTP\/1.1 200/)
})

test('BOX-31 a request is for the host that is allowed, whatever its header says', async () => {
  const port = await server()
  const answer = await said(`GET http://localhost:${port}/ HTTP/1.1\r\nHost: other.example`, ['localhost'])
  expect(answer).toContain(`REACHED localhost:${port}`)
})

test('BOX-31 an address is allowed only by itself', async () => {
  const port = await server()
  for (const address of ['127.1', '0', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '2130706433', 'localhost.evil.example'])
    expect(await said(`CONNECT ${address}:${port} HTTP/1.1`, ['example.com', '*.example.org'])).toMatch(/^HTTP\/1.1 403/)
})
