import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../stores/sqlite-store.ts'
import { collectingContext } from '../../../test/support/collecting-context.ts'
import { resume } from './commands/resume.ts'
import { task } from './commands/task.ts'
import { parseConfig } from '../../settings/parse-config.ts'
import { agentList } from './fallback-specs.ts'
import { ralphConfig } from './commands/ralph.ts'
import { reviewConfig } from './review-config.ts'
import { taskConfig } from './task-config.ts'

const request = { goal: 'g', name: 'g', control: {} }
const config = (text: string) => parseConfig(text, 'pawl.yaml')
const names = (specs: readonly { readonly name: string; readonly settings: { readonly name?: unknown } }[] | undefined) =>
  specs?.map(({ name, settings }) => settings.name ?? name)

describe('who continues when an agent cannot', () => {
  it('FALL-13 is named after it in --agent, or by fallback in pawl.yaml; the flag counts more', () => {
    const file = config('agent: claude\nfallback: [codex, gemini]\non_limit: switch\nchecks: [{ name: t, command: make }]\n')
    const written = taskConfig('/project', {}, file, request)
    expect([names(written.fallbacks), written.onLimit]).toEqual([['codex', 'gemini'], 'switch'])
    const flagged = taskConfig('/project', { agent: 'qwen, opencode', onLimit: 'wait', model: 'm' }, file, request)
    expect([flagged.agent.name, names(flagged.fallbacks), flagged.onLimit]).toEqual(['qwen', ['opencode'], 'wait'])
    expect(flagged.agent.settings).toEqual({ model: 'm' })
    expect(flagged.fallbacks?.[0]?.settings).toEqual({})
    expect(names(taskConfig('/project', { agent: 'codex' }, file, request).fallbacks), 'not itself').toEqual(['gemini'])
    expect(taskConfig('/project', { agent: 'codex', check: ['make'] }, undefined, request)).not.toHaveProperty('fallbacks')
    expect(names(ralphConfig('/project', { agent: 'claude,codex' }, file, 'prompt').fallbacks)).toEqual(['codex'])
    const review = reviewConfig('/project', { coder: ['claude'], reviewer: 'gemini' }, file, {
      goal: 'g',
      tasks: [{ id: 'a', goal: 'g' }],
    })
    expect(names(review.fallbacks)).toEqual(['codex', 'gemini'])
  })

  it('FALL-14 a list that cannot be meant is refused with what is wrong', () => {
    expect(() => agentList('claude,,codex')).toThrow('a name is missing')
    expect(() => agentList('claude,codex,claude')).toThrow('"claude" is in it twice')
    expect(() => taskConfig('/project', { agent: 'claude,codx', check: ['make'] }, undefined, request)).toThrow(
      'There is no agent "codx"',
    )
    const plan = { goal: 'g', tasks: [{ id: 'a', goal: 'g' }] }
    expect(() =>
      reviewConfig('/project', { coder: ['claude,codex'], reviewer: 'gemini', check: ['make'] }, undefined, plan),
    ).toThrow('--coder takes one agent')
    expect(() => config('agent: claude\nfallback: [codx]\n')).toThrow(/2:12: there is no agent "codx"; did you mean/)
    expect(() => config('agent: claude\nfallback: [claude]\n')).toThrow('claude is the agent already')
    expect(() => config('fallback: [codex, codex]\n')).toThrow('codex is in the list twice')
    expect(() => config('on_limit: never\n')).toThrow('wait or switch')
  })
})

describe('a run on the command line', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pawl-fallback-'))
    mkdirSync(join(folder, 'bin'))
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  })

  function program(name: string, script: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\ncat > /dev/null\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }

  async function events(run: string) {
    const store = sqliteStore({ path: join(folder, '.pawl', 'pawl.db') })
    try {
      return await store.read(run)
    } finally {
      await store.close()
    }
  }

  it('FALL-15 goes down the list past one that is missing and one at its limit, and tells of it', async () => {
    program('tired', `echo '{"type":"result","is_error":true,"result":"You have hit your limit","api_error_status":429}'; exit 1`)
    program('fresh', 'echo done > work.txt')
    const agents = ['tired', 'fresh'].map((name) => `  ${name}: { command: ./${name} }`).join('\n')
    writeFileSync(
      join(folder, 'pawl.yaml'),
      `agent: gone\nfallback: [lost, tired, fresh]\nagents:\n  gone: { command: ./gone }\n  lost: { command: ./lost }\n${agents}\nchecks: [{ name: t, command: "grep -q done work.txt" }]\n`,
    )
    const context = collectingContext(folder)
    expect(await task(context, { id: 'r', ask: false }, ['work.txt says done'])).toBe(0)
    const switched = (await events('r')).flatMap((event) => (event.type === 'agent.switched' ? [event.data] : []))
    expect(switched.map(({ from, to, reason }) => [from, to, reason])).toEqual([
      ['gone', 'lost', 'unavailable'],
      ['lost', 'tired', 'unavailable'],
      ['tired', 'fresh', 'provider-limit'],
    ])
    const told = context.warned.join('\n')
    expect(told).toMatch(/The fallback lost isn't ready: \S+lost doesn't exist\./)
  })

  it('FALL-16 resuming with another list is a change of the run', async () => {
    writeFileSync(
      join(folder, 'pawl.yaml'),
      'agent: gone\nagents:\n  gone: { command: ./gone }\n  fresh: { command: ./fresh }\nchecks: [{ name: t, command: "grep -q done work.txt" }]\n',
    )
    expect(await task(collectingContext(folder), { id: 'r', ask: false }, ['work.txt says done'])).toBe(7)
    program('fresh', 'echo done > work.txt')
    expect(await resume(collectingContext(folder), { agent: 'gone,fresh', ask: false }, 'r')).toBe(0)
    const changed = (await events('r')).find(({ type }) => type === 'run.reconfigured')
    expect(changed?.data).toMatchObject({ message: 'Changed: fallbacks.' })
  })
})
