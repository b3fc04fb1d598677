import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../../test/support/cli-project.ts'
import { EXIT } from '../exit-codes.ts'
import { answer } from './answer.ts'
import { log } from './log.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'
import { task } from './task.ts'

const FIXTURE = join(import.meta.dirname, '../../../../test/fixtures/agents/acp-agent.ts')

test('ASK-20 a run whose agent asks is escalated; pawl answer shows the question, answers it, and the run continues', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const command = ['env', 'ACP_SCRIPT=ask', `ACP_SESSIONS=${join(project.root, '.pawl', 'sessions')}`, process.execPath, FIXTURE]
  writeFileSync(
    join(project.root, 'pawl.yaml'),
    `agent: mine\nagents:\n  mine: { acp: ${JSON.stringify(command)} }\nchecks:\n  - { name: marked, command: "test -f marker.txt" }\n`,
  )
  const started = project.look()
  expect(await task(started, { id: 'mark', ask: false }, ['There is a marker'])).toBe(EXIT.waiting)
  const card = started.out.join('\n')
  expect(card).toContain('The agent asks for permission (execute): touch marker')
  expect(card).toMatch(/1.*Allow once/)
  expect(existsSync(join(project.root, 'marker.txt'))).toBe(false)
  const shown = project.look()
  expect(await answer(shown, {}, 'mark')).toBe(EXIT.waiting)
  expect(shown.out.join('\n')).toContain('may do this once')
  const answered = project.look()
  expect(await answer(answered, { resume: true }, 'mark', '1')).toBe(EXIT.done)
  expect(answered.out.join('\n')).toContain('✓ All checks passed · 1 iteration')
  expect(existsSync(join(project.root, 'marker.txt'))).toBe(true)
  const told = project.look()
  await log(told, 'mark', {})
  expect(told.out.join('\n')).toMatch(/work\.asked.*put aside until a person answers: touch marker/)
  expect(told.out.join('\n')).toMatch(/work\.answered.*touch marker: Allow once \(as a person answered before\)/)
})

test('CLI-399 wishes that the policy refused are on the card and in show, with a fix that works', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const command = ['env', 'ACP_SCRIPT=ask', process.execPath, FIXTURE]
  const write = (policy: string): void =>
    writeFileSync(
      join(project.root, 'pawl.yaml'),
      `agent: mine\nagents:\n  mine: { acp: ${JSON.stringify(command)}, permissions: ${policy} }\nchecks:\n  - { name: marked, command: "test -f marker.txt" }\n`,
    )
  write('deny')
  const started = project.look()
  expect(await task(started, { id: 'mark', ask: false, maxIterations: '2' }, ['There is a marker'])).toBe(EXIT.waiting)
  const shown = project.look()
  await show(shown, 'mark')
  for (const { out } of [started, shown]) {
    const said = out.join(' ').replaceAll(/\s+/g, ' ')
    expect(said).toContain('2 wishes were refused by the policy: touch marker. To be asked instead,')
    expect(said).toContain('pawl resume mark --agent mine')
  }
  write('allow')
  const after = project.look()
  expect(await resume(after, { agent: 'mine', ask: false, maxIterations: '4' }, 'mark')).toBe(EXIT.done)
  const done = project.look()
  await show(done, 'mark')
  expect(done.out.join('\n')).toMatch(/^Note {8}2 wishes were refused by the policy: touch marker\.$/m)
})
