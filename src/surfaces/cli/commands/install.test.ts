import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HINT, INSTALLABLE } from '../install/agent-files.ts'
import { jsoncTree, jsoncValue } from '../install/jsonc.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { isTrusted } from '../../../settings/user-files.ts'
import { install, uninstall } from './install.ts'

/** The files name this Pawl by its place, since none is on the PATH here. */
const OWN_PAWL = join(import.meta.dirname, '..', '..', '..', '..', 'bin', 'pawl')

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-install-'))
  vi.stubEnv('HOME', root)
  vi.stubEnv('PATH', '/usr/bin:/bin')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true })
})

const USER_SETTINGS = `{
    // How I like it.
    "model": "best",   // do not change
    "hooks": {
        "Stop": [
            { "hooks": [{ "type": "command", "command": "say done" }] }
        ]
    },
    "mcpServers": { "other": { "command": "other" } },
}
`
const USER_TOML = '# mine\nmodel = "best"\n\n[mcp_servers.other]\ncommand = "other" # why\n'

const FILES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  claude: [
    ['.claude/settings.json', USER_SETTINGS],
    ['.mcp.json', '{"mcpServers":{"other":{"command":"other"}}}'],
    ['.claude.json', '{"numStartups":3}\n'],
  ],
  codex: [
    ['.codex/hooks.json', '{\n\t"hooks": {}\n}'],
    ['.codex/config.toml', USER_TOML],
  ],
  gemini: [['.gemini/settings.json', USER_SETTINGS]],
  qwen: [['.qwen/settings.json', USER_SETTINGS.replaceAll('\n', '\r\n')]],
}

const look = (isJson = false) => collectingContext(root, isJson)

function write(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8')
}

function all(folder = root, prefix = ''): Readonly<Record<string, string>> {
  return Object.assign(
    {},
    ...readdirSync(folder, { withFileTypes: true }).map((entry) =>
      entry.isDirectory()
        ? { [`${prefix}${entry.name}/`]: 'folder', ...all(join(folder, entry.name), `${prefix}${entry.name}/`) }
        : { [prefix + entry.name]: readFileSync(join(folder, entry.name), 'latin1') },
    ),
  )
}

/** Something of the user's own, besides ours. */
function edit(name: string, text: string): string {
  return name.endsWith('toml') ? `${text}\n[mine]\na = 1\n` : text.replace('{', '{ "mine": 1,')
}

/** Lists and objects that are empty say as much as none. */
function meaning(name: string, text: string): unknown {
  if (name.endsWith('toml')) return text
  const value = jsoncValue(jsoncTree(text, name)) as Record<string, unknown>
  return Object.fromEntries(Object.entries(value).filter(([, each]) => JSON.stringify(each) !== '{}'))
}

const CASES = INSTALLABLE.flatMap((agent) => (['project', 'user'] as const).map((scope) => [agent, scope] as const))
const flagsOf = (scope: string) => (scope === 'user' ? { user: true } : { project: true })

describe('installing into an agent', () => {
  it.each(CASES)(
    'HOOK-50 %s (%s): uninstalling brings every file back byte for byte, with what was there before',
    async (agent, scope) => {
      for (const [name, text] of FILES[agent] ?? []) write(name, text)
      const before = all()
      await install(look(), flagsOf(scope), agent)
      const after = all()
      expect(after).not.toEqual(before)
      await install(look(), flagsOf(scope), agent)
      expect(all()).toEqual(after)
      await uninstall(look(), flagsOf(scope), agent)
      expect(all()).toEqual(before)
    },
  )

  it.each(CASES)('HOOK-51 %s (%s): nothing is left if nothing was there', async (agent, scope) => {
    await install(look(), flagsOf(scope), agent)
    expect(Object.keys(all()).length).toBeGreaterThan(4)
    await uninstall(look(), flagsOf(scope), agent)
    expect(readdirSync(root)).toEqual([])
  })

  it.each(INSTALLABLE)('HOOK-52 %s: what the user changed since stays, and only our part goes', async (agent) => {
    for (const [name, text] of FILES[agent] ?? []) write(name, text)
    await install(look(), {}, agent)
    const edited = (FILES[agent] ?? []).filter(([name]) => name !== '.claude.json')
    for (const [name] of edited) write(name, edit(name, read(name)))
    await uninstall(look(), {}, agent)
    for (const [name, text] of edited) {
      expect(read(name)).not.toContain('pawl')
      expect(meaning(name, read(name))).toEqual(meaning(name, edit(name, text)))
    }
  })

  it('HOOK-53 keeps other settings, formatting and comments', async () => {
    write('.gemini/settings.json', USER_SETTINGS)
    await install(look(), {}, 'gemini')
    const text = read('.gemini/settings.json')
    expect(text).toContain('    // How I like it.\n    "model": "best",   // do not change\n')
    expect(jsoncValue(jsoncTree(text, 'f'))).toMatchObject({
      model: 'best',
      hooks: {
        Stop: [{ hooks: [{ command: 'say done' }] }],
        AfterAgent: [
          { hooks: [{ type: 'command', command: expect.stringMatching(/bin\/pawl hook gemini$/), timeout: 900_000 }] },
        ],
      },
      mcpServers: { other: {}, pawl: { args: ['mcp'] } },
    })
  })

  it('HOOK-54 shows the changes and writes nothing with --dry-run', async () => {
    write('.mcp.json', '{}\n')
    const before = all()
    const seen = look()
    await install(seen, { dryRun: true }, 'claude')
    expect(seen.said.join('\n')).toMatch(/^\+ {6}"command": ".*pawl",$/m)
    expect(seen.said).toContain('Nothing was written (--dry-run).')
    expect(all()).toEqual(before)
    const told = look(true)
    await install(told, { dryRun: true }, 'claude')
    expect(told.documents).toEqual([
      expect.objectContaining({
        agent: 'claude',
        scope: 'project',
        isDryRun: true,
        files: expect.arrayContaining([{ path: join(root, '.mcp.json'), change: 'changed' }]),
      }),
    ])
  })

  it('HOOK-55 leaves a file that is not JSON alone, and all others with it', async () => {
    write('.claude/settings.json', '{ "a": ')
    const before = all()
    await expect(install(look(), {}, 'claude')).rejects.toThrow(/settings\.json:1: this is not JSON/)
    expect(all()).toEqual(before)
    write('.codex/config.toml', 'mcp_servers = {}\n')
    await expect(install(look(), {}, 'codex')).rejects.toThrow(/no table can be added/)
  })

  it('HOOK-56 leaves a server of the same name and a skill that were set up by hand', async () => {
    write('.mcp.json', '{"mcpServers":{"pawl":{"command":"docker","args":["run"]}}}')
    write('.claude/skills/pawl/SKILL.md', 'my own')
    const seen = look()
    await install(seen, {}, 'claude')
    expect(read('.mcp.json')).toBe('{"mcpServers":{"pawl":{"command":"docker","args":["run"]}}}')
    expect(seen.said.join('\n')).toContain('changed by hand')
    await uninstall(look(), {}, 'claude')
    expect(read('.mcp.json')).toContain('docker')
    expect(read('.claude/skills/pawl/SKILL.md')).toBe('my own')
  })

  it('HOOK-57 writes through links and keeps the rights of a file', async () => {
    write('dotfiles/settings.json', '{}\n')
    chmodSync(join(root, 'dotfiles/settings.json'), 0o600)
    mkdirSync(join(root, '.qwen'))
    symlinkSync(join(root, 'dotfiles/settings.json'), join(root, '.qwen/settings.json'))
    await install(look(), {}, 'qwen')
    expect(read('dotfiles/settings.json')).toContain('pawl')
    expect(statSync(join(root, 'dotfiles/settings.json')).mode & 0o777).toBe(0o600)
  })

  it('HOOK-58 the skill carries the triggers word for word', async () => {
    await install(look(), {}, 'codex')
    const skill = read('.agents/skills/pawl/SKILL.md')
    for (const words of ['retry with feedback', 'check iteration limit', 'should I retry or escalate', 'iteration [N] of [max]'])
      expect(skill.split(`"${words}"`).length).toBe(3)
  })

  it('HOOK-59 keeps no copy of a file that can be restored without one: it may hold secrets', async () => {
    write('.claude.json', '{\n  "oauth": "secret"\n}\n')
    await install(look(), { user: true }, 'claude')
    expect(read('.claude.json')).toContain('"oauth": "secret"')
    expect(existsSync(join(root, '.pawl/install/claude.json'))).toBe(true)
    expect(JSON.parse(read('.pawl/install/claude.json'))[join(root, '.claude.json')]).not.toHaveProperty('before')
    await expect(install(look(), {}, 'cursor')).rejects.toThrow(/one of claude, codex, gemini, qwen/)
  })

  it.each([
    ['claude', '.mcp.json', '{"mcpServers":{"pawl":{"command":"mine"}}}'],
    ['gemini', '.gemini/settings.json', '{"mcpServers":{"pawl":{"command":"mine"}}}'],
    ['codex', '.codex/config.toml', '[mcp_servers]\npawl = { command = "mine" }\n'],
  ])('INSTALL-1 a server called "pawl" that is not ours is said so, in words and as data: %s', async (agent, name, text) => {
    write(name, text)
    const told = look()
    await install(told, {}, agent)
    expect(told.said.join('\n')).toContain('an MCP server of yours called "pawl"')
    expect(told.said.join('\n')).toMatch(/Pawl is installed in \w+ .*, but for its MCP server\./)
    const data = look(true)
    await install(data, {}, agent)
    expect(data.documents[0]).toMatchObject({
      leftOut: ['server'],
      notes: expect.arrayContaining([expect.stringContaining('of yours')]),
    })
    expect(read(name)).toContain('mine')
    await uninstall(look(), {}, agent)
    expect(read(name)).toBe(text)
  })

  it('INSTALL-2 a file that is no TOML is named with its line before anything is written, and one that takes no table is refused', async () => {
    write('.codex/config.toml', 'a = 1\nmodel = "x\n')
    const before = all()
    await expect(install(look(), {}, 'codex')).rejects.toMatchObject({
      code: 'config.toml',
      message: expect.stringContaining('config.toml:2: this is not TOML'),
    })
    expect(all()).toEqual(before)
    write('.codex/config.toml', 'mcp_servers = { other = { command = "o" } }\n')
    await expect(install(look(), {}, 'codex')).rejects.toThrow('no table can be added')
  })

  it.each(INSTALLABLE)('INSTALL-3 with the record lost, uninstalling leaves nothing of ours: %s', async (agent) => {
    write('mine.txt', '')
    const before = all()
    await install(look(), {}, agent)
    rmSync(join(root, '.pawl'), { recursive: true })
    await uninstall(look(), {}, agent)
    expect(all()).toEqual(before)
  })

  it('INSTALL-4 a file with nothing but blanks in it is an empty one, and comes back as it was', async () => {
    write('.claude/settings.json', '\n')
    write('.codex/config.toml', '\n')
    const before = all()
    for (const agent of ['claude', 'codex']) await install(look(), {}, agent)
    expect(read('.claude/settings.json')).toContain('pawl')
    for (const agent of ['claude', 'codex']) await uninstall(look(), {}, agent)
    expect(all()).toEqual(before)
  })

  it('INSTALL-5 changes are shown under paths from the folder they are in', async () => {
    const told = look()
    await install(told, { dryRun: true }, 'claude')
    expect(told.said.join('\n')).toContain('+++ b/.mcp.json')
    expect(told.said.join('\n')).not.toContain('//')
  })

  it('INSTALL-6 a file that is committed to git is only changed when that is asked for; --local changes none', async () => {
    write('.claude/settings.json', '{}\n')
    write('.mcp.json', '{}\n')
    execFileSync('git', ['init', '--quiet'], { cwd: root })
    execFileSync('git', ['add', '.claude'], { cwd: root })
    const before = all()
    await expect(install(look(), {}, 'claude')).rejects.toMatchObject({
      code: 'usage.committed',
      message: expect.stringMatching(/^\.claude\/settings\.json is committed .*\nOnly for you: pawl install claude --local\n/),
    })
    expect(all()).toEqual(before)
    const dry = look()
    await install(dry, { dryRun: true }, 'claude')
    expect(dry.said.join('\n')).toContain('is committed to git')
    await install(look(), { local: true }, 'claude')
    expect(read('.claude/settings.json')).toBe('{}\n')
    expect(read('.claude/settings.local.json')).toContain('hook claude')
    expect(JSON.parse(read('.claude.json'))).toEqual({ projects: { [root]: { mcpServers: { pawl: expect.anything() } } } })
    const elsewhere = look()
    await uninstall(elsewhere, {}, 'claude')
    expect(elsewhere.said.at(-1)).toBe(
      `It is installed for you in this project (${root}). Remove it: pawl uninstall claude --local`,
    )
    await uninstall(look(), { local: true }, 'claude')
    expect(all()).toEqual(before)
    await install(look(), { project: true }, 'claude')
    expect(read('.claude/settings.json')).toContain('hook claude')
    await expect(install(look(), { local: true }, 'codex')).rejects.toThrow('use --user')
  })

  it.each(INSTALLABLE)(
    'INSTALL-7 %s: without Pawl its hooks show a hint at the end of a turn and fail nowhere',
    async (agent) => {
      await install(look(), { always: true }, agent)
      const settings =
        { claude: '.claude/settings.json', codex: '.codex/hooks.json' }[agent as string] ?? `.${agent}/settings.json`
      const { hooks } = JSON.parse(read(settings)) as { hooks: Record<string, { hooks: { command: string }[] }[]> }
      const answers = Object.entries(hooks).flatMap(([event, groups]) =>
        groups.map((group) => {
          const command = (group.hooks[0]?.command ?? '').replaceAll(OWN_PAWL, '/nowhere/pawl')
          const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], { input: '{}', encoding: 'utf8' })
          return { event, status, stderr, says: stdout === '' ? {} : (JSON.parse(stdout) as unknown) }
        }),
      )
      for (const { event, ...answer } of answers) {
        const isEnd = event === 'Stop' || event === 'AfterAgent'
        const says = isEnd ? { systemMessage: HINT } : {}
        expect(answer).toEqual({ status: 0, stderr: '', says })
      }
      expect(answers.length).toBeGreaterThan(2)
    },
  )

  it.each(INSTALLABLE)('INSTALL-8 %s: --always has prompts and ends of turns looked at, and trusts the folder', async (agent) => {
    vi.stubEnv('XDG_CONFIG_HOME', join(root, 'config'))
    vi.stubEnv('CLAUDECODE', '')
    await install(look(), {}, agent)
    const plain = all()
    expect(isTrusted(root)).toBe(false)
    const seen = look()
    await install(seen, { always: true }, agent)
    expect(seen.said.join('\n')).toContain('`pawl off`')
    const text = read(
      { claude: '.claude/settings.json', codex: '.codex/hooks.json' }[agent as string] ?? `.${agent}/settings.json`,
    )
    expect(text).toContain(agent === 'gemini' ? '"BeforeAgent"' : '"UserPromptSubmit"')
    expect(text).toContain(`hook ${agent} --always"`)
    expect(isTrusted(root)).toBe(true)
    rmSync(join(root, 'config'), { recursive: true })
    await install(look(), {}, agent)
    expect(all()).toEqual(plain)
  })
})
