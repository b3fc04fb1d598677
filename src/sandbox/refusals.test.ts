import { expect, test } from 'vitest'
import { allowingLine } from '../core/refusal.ts'
import { refusedIn } from './refusals.ts'

test.for([
  ['Error: getaddrinfo EAI_AGAIN registry.npmjs.org\n', 'registry.npmjs.org'],
  ['{"error":"connect ENETUNREACH 93.184.216.34:443 - Local"}', '93.184.216.34:443'],
  ["fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com", 'github.com'],
  ['warning: spurious network error: [6] Could not resolve hostname', undefined],
  ['wget: unable to resolve host address ‘example.com’', 'example.com'],
  ['dial tcp: lookup proxy.golang.org: Temporary failure in name resolution', 'proxy.golang.org'],
  ['dial tcp: lookup proxy.golang.org on 10.0.0.1:53: dial udp 10.0.0.1:53: connect: network is unreachable', 'proxy.golang.org'],
  [
    "HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded with url: /simple/ (Caused by NameResolutionError(\"Failed to resolve 'pypi.org' ([Errno -3] Temporary failure in name resolution)\"))",
    'pypi.org',
  ],
  ["W: Failed to fetch http://deb.debian.org/  Temporary failure resolving 'deb.debian.org'", 'deb.debian.org'],
  ['the lookup table is empty; a resolved promise', undefined],
] as const)('BOX-26 a refused host is found in what programs print: %s', ([text, host]) => {
  const found: string[] = []
  refusedIn(
    () => undefined,
    (each) => found.push(each),
  )(Buffer.from(text))
  expect(found).toEqual(host === undefined ? [] : [host])
})

test.for([
  ['sh: 1: cannot create .git/hooks/x: Read-only file system', '.git/hooks/x'],
  ['sh: 1: cannot create pawl.yaml: Read-only file system', 'pawl.yaml'],
  ['bash: line 1: .git/hooks/x: Read-only file system', '.git/hooks/x'],
  ['bash: /etc/a b: Read-only file system', '/etc/a b'],
  ['error: could not lock config file .git/config: Read-only file system', '.git/config'],
  ['error: could not write config file .git/config: Device or resource busy', '.git/config'],
  ["fatal: Unable to create '/p/.git/index.lock': Read-only file system", '/p/.git/index.lock'],
  ['{"output":"sh: 1: cannot create .git/hooks/x: Read-only file system\\n"}', '.git/hooks/x'],
  ["touch: cannot touch '.git/x': Read-only file system", '.git/x'],
  ["Error: EROFS: read-only file system, open '/etc/x'", '/etc/x'],
  ['Error: Read-only file system (os error 30)', undefined],
] as const)('BOX-4 a refused write is found in what shells and git print: %s', ([text, path]) => {
  const found: string[] = []
  refusedIn((each) => found.push(each))(Buffer.from(text))
  expect(found).toEqual(path === undefined ? [] : [path])
})

test('BOX-26 what a check wanted of the network has a way of its own', () => {
  const line = allowingLine([{ what: 'host', name: 'example.com', isCheck: true }])
  expect(line).toContain('`isolation: none`')
})
