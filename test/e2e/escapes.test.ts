import { execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { PLAIN_ENVIRONMENT, runShell } from '../support/process-support.ts'
import { testImage } from '../support/container-image.ts'
import { container } from '../../src/sandbox/container.ts'
import type { BoxRequest, Isolation } from '../../src/sandbox/isolation.ts'
import { sandbox } from '../../src/sandbox/sandbox.ts'
import type { SandboxOptions } from '../../src/sandbox/settings.ts'
import { wrapper } from '../../src/sandbox/wrapper.ts'

const made = testImage()
const image = 'image' in made ? made.image : ''

/** A wrapper to try the attempts against: `PAWL_ESCAPES_WRAPPER="firejail --quiet"`. */
const { PAWL_ESCAPES_WRAPPER: ownWrapper } = process.env

/** The kinds of boxes, and why one isn't tested here. A command of the user's own is as tight as that command is. */
const RUNGS: readonly Rung[] = [
  { name: 'sandbox', make: sandbox, trouble: said(await sandbox().ready()) },
  {
    name: 'container',
    make: (options = {}) => container({ ...options, image }),
    trouble: 'trouble' in made ? made.trouble : said(await container({ image }).ready({ hosts: ['example.com'] })),
  },
  ...(ownWrapper === undefined
    ? []
    : [{ name: 'wrapper', make: () => wrapper({ command: ownWrapper.split(' ') }), trouble: undefined }]),
]
for (const { name, trouble } of RUNGS) if (trouble !== undefined) console.warn(`The ${name} isn't tested here. ${trouble}`)

interface Rung {
  readonly name: string
  readonly trouble: string | undefined
  make(options?: SandboxOptions): Isolation
}

function said(trouble: { readonly message: string; readonly fix: string } | undefined): string | undefined {
  return trouble && `${trouble.message} ${trouble.fix}`
}

/** A workspace with a repository, and a folder beside it that is nobody's business. */
function places(): { readonly workspace: string; readonly outside: string } {
  const base = realpathSync(mkdtempSync(join(homedir(), '.pawl-sandbox-test-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const workspace = join(base, 'project')
  const outside = join(base, 'outside')
  for (const folder of [workspace, outside, join(workspace, '.pawl')]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(outside, 'secret'), 'SECRET')
  writeFileSync(join(workspace, '.pawl', 'pawl.db'), 'JOURNAL')
  writeFileSync(join(workspace, 'pawl.yaml'), 'agent: claude\n')
  mkdirSync(join(workspace, '.devcontainer'))
  writeFileSync(join(workspace, '.devcontainer', 'devcontainer.json'), '{ "build": { "dockerfile": "../docker/Dockerfile" } }')
  mkdirSync(join(workspace, 'docker'))
  writeFileSync(join(workspace, 'docker', 'Dockerfile'), 'FROM scratch\n')
  git(workspace, 'init', '--quiet')
  for (const name of ['pawl/run', 'refs/pawl/run', 'modules/group/sub/hooks'])
    mkdirSync(join(workspace, '.git', name), { recursive: true })
  for (const name of ['HEAD', 'config']) writeFileSync(join(workspace, '.git', 'modules/group/sub', name), '')
  return { workspace, outside }
}

/** Other tests may have set variables of git's. */
function git(cwd: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: homedir() }
  return execFileSync('git', ['-C', cwd, '-c', 'user.name=a', '-c', 'user.email=b', ...args], { env, encoding: 'utf8' })
}

type InBox = (
  line: string,
  workspace: string,
  options?: SandboxOptions,
  request?: Partial<BoxRequest>,
) => ReturnType<typeof runIn>

async function runIn(line: string, workspace: string, isolation: Isolation, request: Partial<BoxRequest>) {
  const box = await isolation.open({ cwd: workspace, purpose: 'work', ...request })
  try {
    const result = await runShell(line, {
      cwd: workspace,
      box,
      timeoutMs: 60_000,
      env: { ...PLAIN_ENVIRONMENT, HOME: homedir() },
    })
    if (result.status === 'could-not-start') throw new Error(result.message)
    return { ...result, text: result.output.text, refusals: box.refusals() }
  } finally {
    await box.close()
  }
}

/** A line of shell that fetches a page and prints what came. */
function get(url: string): string {
  return `node -e "fetch('${url}').then(async (r) => console.log(r.status, await r.text()), (e) => console.log('no', e.cause?.message ?? e.message))"`
}

/** Lines of shell that try to get out. Each prints OUT if it does, and changes nothing outside. */
const ESCAPES: Readonly<Record<string, (outside: string) => string>> = {
  'open a setting of the kernel for writing': () => '(exec 3>>/proc/sys/kernel/core_pattern)',
  'write beside the workspace': (outside) => `echo x > ${outside}/new && [ -s ${outside}/new ]`,
  'write to the home folder': () => `echo x > ~/.pawl-escape && false`,
  'write to /etc': () => 'echo x > /etc/pawl-escape',
  'write to /usr': () => 'echo x > /usr/bin/pawl-escape',
  'write to /var': () => 'echo x > /var/lib/pawl-escape',
  'read beside the workspace': (outside) => `cat ${outside}/secret`,
  'read ~/.ssh': () => 'ls ~/.ssh/*',
  'read the journal': () => 'cat .pawl/pawl.db',
  'change pawl.yaml': () => 'echo x >> pawl.yaml',
  'replace pawl.yaml': () => 'mv pawl.yaml other && echo x > pawl.yaml',
  'plant a git hook': () => 'echo x > .git/hooks/post-checkout',
  'plant a git setting': () => 'git config core.fsmonitor /bin/true',
  'replace the git settings': () => 'mv .git/config .git/config-old',
  'put another repository in place of git’s': () => 'mv .git .git-old && git init --quiet',
  'put a link in place of the objects': (outside) => `rm -rf .git/objects; ln -s ${outside} .git/objects && [ -L .git/objects ]`,
  'move a snapshot': () => 'echo x > .git/refs/pawl/run/start',
  'change Pawl’s own git settings': () => 'echo x > .git/pawl/run/config',
  'move the hooks away': () => 'mv .git/hooks .git/hooks-old',
  'plant a setting of a submodule': () => 'git config --file .git/modules/group/sub/config core.fsmonitor /bin/true',
  'plant a hook of a submodule': () => 'echo x > .git/modules/group/sub/hooks/post-checkout',
  'a symlink out': (outside) => `ln -s ${outside} way && echo x > way/new`,
  'a hard link out': (outside) => `ln ${outside}/secret link`,
  'the parent process by /proc': () => 'cat /proc/*/environ | tr "\\0" "\\n" | grep PAWL_ESCAPE_MARK',
  'the file system through /proc/1/root': (outside) => `cat /proc/1/root${outside}/secret`,
  'signal another process': () => 'kill -0 $PAWL_ESCAPE_PID',
  'see other processes': () => 'ls /proc | grep -x "$PAWL_ESCAPE_PID"',
  'remount the root': () => 'mount -o remount,rw /',
  'mount in namespaces of its own': () => 'unshare --user --map-root-user --mount mount -o remount,rw,bind /',
  'unmount what hides the home folder': () => 'umount ~',
  'make a device': () => 'mknod /tmp/device b 8 0',
  'load a kernel setting': () => 'echo 1 > /proc/sys/kernel/sysrq',
  'change the host name': () => 'hostname escaped',
  'the docker socket': () => 'ls /run/docker.sock /var/run/docker.sock',
  'the bus of the system': () => 'ls /run/dbus/system_bus_socket',
  'look up a name': () => 'getent hosts example.com',
  'connect to the machine': () =>
    "node -e \"require('net').connect($PAWL_ESCAPE_PORT, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))\"",
  'connect to a socket in a folder that can be read': () =>
    "node -e \"require('net').connect(process.env.PAWL_ESCAPE_SOCKET).on('connect', () => process.exit(0)).on('error', () => process.exit(1))\"",
  'reach the host of a virtual machine': () => "python3 -c 'import socket; socket.socket(40, socket.SOCK_STREAM)'",
  'read keys of the session': () =>
    'python3 -c \'import ctypes, platform, sys; sys.exit(ctypes.CDLL(None).syscall(250 if platform.machine() == "x86_64" else 219, 0, -3, 0) < 0)\'',
  'an abstract socket': () => 'grep -q @pawl-escape /proc/net/unix',
  'shared memory of others': () => 'ipcs -m | grep -q 0x7061776c',
  'files of others in /tmp': () => `ls ${tmpdir()}/pawl-escape-*`,
  'kill Pawl itself': () => `kill -0 ${process.pid}`,
  'read the memory of another process': () => 'head -c 1 /proc/$PAWL_ESCAPE_PID/maps',
  'send a datagram': () =>
    "node -e \"const s = require('dgram').createSocket('udp4'); s.on('message', () => process.exit(0)); s.on('error', () => process.exit(1)); setTimeout(() => process.exit(1), 1000); s.send('x', $PAWL_ESCAPE_UDP, '127.0.0.1', (e) => e && process.exit(1))\"",
  'have a capability': () => "grep -E '^Cap(Prm|Eff|Bnd|Amb):' /proc/self/status | grep -v 0000000000000000",
  'gain privileges by a program': () => "grep -x 'NoNewPrivs:.0' /proc/self/status",
  'change what makes the box': () => 'echo x >> .devcontainer/devcontainer.json',
  'change the Dockerfile': () => 'echo x >> docker/Dockerfile',
  'replace the Dockerfile’s folder': () => 'mv docker other && mkdir docker && echo x > docker/Dockerfile',
  'trace the parent': () => 'node -e "process.kill(process.ppid === 0 ? 1 : $PAWL_ESCAPE_PID, 0)"',
}

/** What is planted in one box for the next one, where nothing of the kind is yet: `at` is taken away first. All lead to the folder above. */
const PLANTS: Readonly<Record<string, { readonly at: string; readonly line: string }>> = {
  'a link in place of .git': { at: '.git', line: 'ln -s .. .git' },
  'a .git file': { at: '.git', line: 'echo "gitdir: $(dirname "$PWD")" > .git' },
  'a .git file by a worktree of its own': {
    at: '.git',
    line: 'mkdir way && echo "$PWD/.git" > way/gitdir && echo ../.. > way/commondir && echo "gitdir: $PWD/way" > .git',
  },
  'hooks of a submodule': {
    at: '.git/modules',
    line: 'mkdir -p .git/modules/x && touch .git/modules/x/HEAD && ln -s ../../../.. .git/modules/x/hooks',
  },
  'a worktree’s folder of Pawl': {
    at: '.git/worktrees',
    line: 'mkdir -p .git/worktrees/x && ln -s ../../../.. .git/worktrees/x/pawl',
  },
  'the devcontainer': { at: '.devcontainer', line: 'ln -s .. .devcontainer' },
  'the folder of a Dockerfile': {
    at: '.devcontainer',
    line: 'mkdir .devcontainer && ln -s .. way && touch ../Dockerfile && echo \'{ "build": { "dockerfile": "../way/Dockerfile" } }\' > .devcontainer/devcontainer.json',
  },
}

/** Those that do no harm to the machine and don't depend on what it has. */
const HARMLESS = [
  'write beside the workspace',
  'read beside the workspace',
  'read the journal',
  'change pawl.yaml',
  'replace pawl.yaml',
  'plant a git hook',
  'plant a git setting',
  'replace the git settings',
  'put another repository in place of git’s',
  'put a link in place of the objects',
  'move a snapshot',
  'change Pawl’s own git settings',
  'move the hooks away',
  'plant a setting of a submodule',
  'plant a hook of a submodule',
  'a symlink out',
  'a hard link out',
  'the parent process by /proc',
  'signal another process',
  'see other processes',
  'connect to the machine',
  'connect to a socket in a folder that can be read',
  'an abstract socket',
  'files of others in /tmp',
  'kill Pawl itself',
  'read the memory of another process',
  'send a datagram',
  'change what makes the box',
  'change the Dockerfile',
  'replace the Dockerfile’s folder',
  'trace the parent',
]

test.for(HARMLESS)('BOX-10 without a box, one does get out: %s', async (name) => {
  const { workspace, outside } = places()
  const env = { ...PLAIN_ENVIRONMENT, HOME: homedir() }
  const result = await runShell(`${await victims()}; { ${ESCAPES[name]?.(outside)}; } && echo OUT`, { cwd: workspace, env })
  expect('output' in result && result.output.text).toMatch(/OUT$/m)
})

/** A process, a port, an abstract socket and files of others, as variables for a shell. */
async function victims(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const abstract = createServer()
  await new Promise<void>((resolve) => abstract.listen('\0pawl-escape', resolve))
  // Others can't make a folder that the box can read.
  const place = mkdtempSync(process.getuid?.() === 0 ? '/var/lib/pawl-escape-' : join(tmpdir(), 'pawl-escape-'))
  const named = createServer()
  await new Promise<void>((resolve) => named.listen(join(place, 'socket'), resolve))
  const datagrams = createSocket('udp4')
  datagrams.on('message', (_, from) => datagrams.send('y', from.port, from.address))
  await new Promise<void>((resolve) => datagrams.bind(0, '127.0.0.1', resolve))
  const victim = spawn('sleep', ['60'], { env: { PAWL_ESCAPE_MARK: 'mark', PATH: process.env['PATH'] } })
  const left = mkdtempSync(join(tmpdir(), 'pawl-escape-'))
  writeFileSync(join(left, 'file'), '')
  onTestFinished(() => {
    server.close()
    abstract.close()
    named.close()
    rmSync(place, { recursive: true })
    datagrams.close()
    victim.kill('SIGKILL')
    rmSync(left, { recursive: true })
  })
  return `export PAWL_ESCAPE_PID=${victim.pid} PAWL_ESCAPE_PORT=${(server.address() as AddressInfo).port} PAWL_ESCAPE_UDP=${datagrams.address().port} PAWL_ESCAPE_SOCKET=${join(place, 'socket')}`
}

for (const { name: rung, make, trouble } of RUNGS) {
  const inBox: InBox = (line, workspace, options = {}, request = {}) => runIn(line, workspace, make(options), request)

  describe.skipIf(trouble !== undefined)(`what the ${rung} keeps in`, () => {
    test.for(Object.entries(ESCAPES))('BOX-1 %s', async ([, escape]) => {
      const { workspace, outside } = places()
      const variables = await victims()
      const before = readdirSync(outside)
      const { text } = await inBox(`${variables}; { ${escape(outside)}; } && echo OUT`, workspace)
      expect(text).not.toMatch(/OUT$/m)
      expect(text).not.toContain('SECRET')
      expect(readdirSync(outside)).toEqual(before)
      expect(existsSync(join(homedir(), '.pawl-escape'))).toBe(false)
      expect(readFileSync(join(workspace, '.pawl', 'pawl.db'), 'utf8')).toBe('JOURNAL')
      expect(readFileSync(join(workspace, 'pawl.yaml'), 'utf8')).toBe('agent: claude\n')
    })

    test.for(Object.entries(PLANTS))('BOX-32 what was planted in one box opens nothing in the next: %s', async ([, plant]) => {
      const { workspace, outside } = places()
      rmSync(join(workspace, plant.at), { recursive: true, force: true })
      await inBox(plant.line, workspace)
      const { text } = await inBox(`cat ${outside}/secret; echo x > ${outside}/new; echo IN`, workspace)
      expect(text).toMatch(/IN$/m)
      expect(text).not.toContain('SECRET')
      expect(readdirSync(outside)).toEqual(['secret'])
    })

    test('BOX-2 the workspace can be written, commits can be made, and nothing outlives the box', async () => {
      const { workspace } = places()
      const line =
        "echo x > new && git add new && git -c user.name=a -c user.email=b commit --quiet -m work && (setsid sh -c 'sleep 2; echo > late' >/dev/null 2>&1 &) && echo done"
      const { text, status } = await inBox(line, workspace)
      expect([status, text]).toEqual(['exited', 'done\n'])
      await new Promise((resolve) => setTimeout(resolve, 2500))
      expect(existsSync(join(workspace, 'late'))).toBe(false)
      expect(git(workspace, 'log', '--format=%s')).toBe('work\n')
      expect(existsSync(join(workspace, 'new'))).toBe(true)
    })

    test('BOX-3 a folder that is named can be written, one of the home folder read', async () => {
      const { workspace, outside } = places()
      const read = await inBox(`cat ${outside}/secret; echo x > ${outside}/new`, workspace, { readable: [outside] })
      expect(read.text).toContain('SECRET')
      expect(existsSync(join(outside, 'new'))).toBe(false)
      await inBox(`echo x > ${outside}/new`, workspace, { writable: [outside] })
      expect(readFileSync(join(outside, 'new'), 'utf8')).toBe('x\n')
    })

    test('BOX-33 what an agent needs of the home folder can be written, but for the settings that it also obeys outside', async () => {
      const { workspace, outside } = places()
      symlinkSync('..', join(outside, 'hooks'))
      const needs = { home: [outside], settings: ['secret', 'hooks', 'commands'].map((name) => join(outside, name)) }
      const line = `cd ${outside}; echo x > secret; mv secret other; ls hooks/..; echo x > session; echo IN`
      const { text } = await inBox(line, workspace, {}, { needs })
      expect(text).toMatch(/IN$/m)
      expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('SECRET')
      expect(readFileSync(join(outside, 'session'), 'utf8')).toBe('x\n')
    })

    test('BOX-4 a refused write is named with its path', async () => {
      const { workspace } = places()
      const seen: string[] = []
      const { refusals } = await inBox(
        `echo x > /etc/one; node -e "require('fs').writeFileSync('/etc/two', '')"; touch .git/hooks/three; command -v python3 > python && python3 -c "open('/etc/four', 'w')"; true`,
        workspace,
        {},
        { onRefusal: ({ name }) => seen.push(name) },
      )
      const python = readFileSync(join(workspace, 'python'), 'utf8') === '' ? [] : ['write /etc/four']
      const wanted = ['write /etc/one', 'write /etc/two', 'write .git/hooks/three', ...python]
      // Several programs say so, and not always in the order of their calls.
      expect(refusals.map(({ what, name }) => `${what} ${name}`).toSorted()).toEqual(wanted.toSorted())
      expect(seen).toEqual(refusals.map(({ name }) => name))
    })

    test('BOX-5 only allowed hosts are reached, and a refused one is named with its program', async () => {
      const { workspace } = places()
      const server = createServer((_, answer) => answer.end('REACHED'))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      const { port } = server.address() as AddressInfo
      const { text, refusals } = await inBox(
        `${get(`http://localhost:${port}/`)}; ${get('http://example.com/')}; ${get('https://example.org/')}`,
        workspace,
        {
          allow: [`localhost:${port}`],
        },
      )
      expect(text).toContain('200 REACHED')
      expect(refusals).toEqual([
        { what: 'host', name: 'example.com', allow: 'example.com', program: 'node' },
        { what: 'host', name: 'example.org', allow: 'example.org', program: 'node' },
      ])
      const none = await inBox(get(`http://localhost:${port}/`), workspace)
      expect(none.text).toMatch(/^no /)
      const check = await inBox(
        get(`http://localhost:${port}/`),
        workspace,
        { allow: [`localhost:${port}`] },
        { purpose: 'check' },
      )
      expect(check.text).toMatch(/^no /)
    })

    test('BOX-26 a host is named where nothing is allowed, and where a program asks for its address itself', async () => {
      const { workspace } = places()
      const lookUp = `node -e "require('dns').lookup('example.net', (e) => console.log(e.message))"`
      const { refusals } = await inBox(`${get('http://example.com/')}; ${lookUp}`, workspace)
      expect(refusals.map(({ name, allow }) => [name, allow])).toEqual([
        ['example.com', 'example.com'],
        ['example.net', 'example.net'],
      ])
      const check = await inBox(get('http://example.com/'), workspace, {}, { purpose: 'check' })
      expect(check.refusals).toEqual([{ what: 'host', name: 'example.com', isCheck: true }])
    })

    test('BOX-6 what an agent needs of the home folder is there and is kept', async () => {
      const { workspace } = places()
      const name = `.pawl-sandbox-test-${process.pid}`
      onTestFinished(() => rmSync(join(homedir(), name), { recursive: true, force: true }))
      const { text } = await inBox(`echo login > ~/${name}/token; ls -A ~`, workspace, {}, { needs: { home: [name] } })
      expect(text).toContain(name)
      expect(readFileSync(join(homedir(), name, 'token'), 'utf8')).toBe('login\n')
    })

    test('BOX-6 files that an agent’s command names can be read, and nothing beside them', async () => {
      const { workspace } = places()
      const folder = mkdtempSync(join(homedir(), '.pawl-sandbox-test-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      for (const name of ['agent.sh', 'other']) writeFileSync(join(folder, name), `${name}\n`)
      const { text } = await inBox(`cat ${folder}/*`, workspace, {}, { needs: { files: [join(folder, 'agent.sh'), folder] } })
      expect(text).toBe('agent.sh\n')
    })

    test('BOX-7 a worktree of Pawl’s own can be worked in, and its repository’s settings cannot be changed', async () => {
      const { workspace } = places()
      git(workspace, 'commit', '--quiet', '--allow-empty', '-m', 'start')
      const tree = join(workspace, '.pawl', 'worktrees', 'run')
      git(workspace, 'worktree', 'add', '--quiet', '--detach', tree)
      const line =
        'echo x > new && git add new && git -c user.name=a -c user.email=b commit --quiet -m work && git config a.b c; ls ../..; echo x > .git; mv .git away; echo x > "$(git rev-parse --git-dir)/commondir"'
      const leading = ['.git/worktrees/run/commondir', '.pawl/worktrees/run/.git'].map((name) => join(workspace, name))
      const before = leading.map((path) => readFileSync(path, 'utf8'))
      const { text } = await inBox(line, tree)
      expect(leading.map((path) => readFileSync(path, 'utf8'))).toEqual(before)
      expect(git(tree, 'log', '-1', '--format=%s')).toBe('work\n')
      expect(readFileSync(join(workspace, '.git', 'config'), 'utf8')).not.toContain('[a]')
      expect(text).not.toContain('pawl.db')
    })

    test('BOX-8 links in the workspace lead nowhere else', async () => {
      const { workspace, outside } = places()
      symlinkSync(join(outside, 'secret'), join(workspace, 'link'))
      const { text } = await inBox('cat link; echo x > link; true', workspace)
      expect(text).not.toContain('SECRET')
      expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('SECRET')
      // A hard link is the same file: the file system can't tell whose it is.
      linkSync(join(outside, 'secret'), join(workspace, 'same'))
      expect((await inBox('cat same', workspace)).text).toBe('SECRET')
    })
  })
}

test('BOX-9 a program that is in the home folder is found in the sandbox', async ({ skip }) => {
  const [{ trouble }] = RUNGS as [Rung]
  if (trouble) return skip(trouble)
  const { workspace, outside } = places()
  const tools = join(dirname(outside), 'tools')
  for (const folder of ['bin', 'lib']) mkdirSync(join(tools, folder), { recursive: true })
  writeFileSync(join(tools, 'lib', 'mine'), '#!/bin/sh\necho mine\n', { mode: 0o755 })
  symlinkSync('../lib/mine', join(tools, 'bin', 'mine'))
  vi.stubEnv('PATH', `${join(tools, 'bin')}:${process.env['PATH']}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { text } = await runIn(join(tools, 'bin', 'mine'), workspace, sandbox(), {})
  expect(text).toBe('mine\n')
})

test('ENV-14 a toolchain in the home folder that a variable names is found in the sandbox, and its log-ins are not', async ({
  skip,
}) => {
  const [{ trouble }] = RUNGS as [Rung]
  if (trouble) return skip(trouble)
  const { workspace, outside } = places()
  const [rustup, cargo] = ['rustup', 'cargo'].map((name) => join(dirname(outside), name)) as [string, string]
  for (const folder of [rustup, cargo]) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'file'), folder)
  }
  vi.stubEnv('RUSTUP_HOME', rustup)
  vi.stubEnv('CARGO_HOME', cargo)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { text } = await runIn(`cat ${rustup}/file; cat ${cargo}/file 2>/dev/null; true`, workspace, sandbox(), {})
  expect(text).toBe(rustup)
})
