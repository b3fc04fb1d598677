import { expect, test } from 'vitest'
import { budget } from '../../guards/index.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { warnOfBlindBudget } from './start-run.ts'
import { collectingContext } from '../../../test/support/collecting-context.ts'
import type { StartFlags } from './run-settings.ts'
import { taskConfig } from './task-config.ts'

/** What is said at the start of a run with these agents and a limit of a dollar. */
function warned(agent: string, more: Partial<RunConfig> = {}, flags: StartFlags = {}): string {
  const context = collectingContext('/project')
  const config = taskConfig('/project', { agent, budgetUsd: '1', check: ['true'], ...flags }, undefined, {
    name: 'x',
    goal: 'x',
    control: {},
  })
  warnOfBlindBudget(context, { ...config, ...more })
  return context.warned.join('\n')
}

test('CLI-408 names each agent that doesn’t report its cost, whichever works first', () => {
  const [only, part] = ['so the money limit cannot end the run', 'so the money limit does not see']
  expect(warned('codex')).toBe(`Note: codex reports tokens but no cost, ${only}; --budget-tokens and --budget-time can.`)
  expect(warned('claude,codex')).toBe(
    `Note: codex reports tokens but no cost, ${part} its work; --budget-tokens and --budget-time do.`,
  )
  expect(warned('codex,gemini')).toContain(`Note: codex and gemini report tokens but no cost, ${only};`)
  expect(warned('codex,claude,gemini')).toContain(`Note: codex and gemini report tokens but no cost, ${part} their work;`)
})

test('CLI-408 an agent that plays a role counts too, once', () => {
  const codex: PartSpec = { name: 'codex', v: 1, settings: {} }
  expect(warned('claude', { roles: { coder_a: codex, coder_b: codex } })).toContain('Note: codex reports tokens but no cost, ')
})

test('CLI-408 a reviewer, a questioner and an expert count too, and the limit can end a run as long as one of all tells its cost', () => {
  const part = 'codex reports tokens but no cost, so the money limit does not see its work'
  expect(warned('claude', {}, { reviewer: 'codex' })).toContain(part)
  expect(warned('codex', {}, { reviewer: 'claude' })).toContain(part)
  expect(warned('codex', {}, { questioner: 'claude' })).toContain(part)
  expect(warned('claude', {}, { questioner: 'codex' })).toContain(part)
  expect(warned('claude', { experts: { budget: { name: 'codex', v: 1, settings: {} } } })).toContain(part)
  expect(warned('codex', {}, { reviewer: 'gemini' })).toContain(
    'codex and gemini report tokens but no cost, so the money limit cannot',
  )
  expect(warned('claude', {}, { reviewer: 'person' })).toBe('')
})

test('CLI-408 nothing is said where every agent tells its cost, none has one, or no money is limited', () => {
  expect(warned('claude,opencode')).toBe('')
  expect(warned('tinker')).toBe('')
  expect(warned('codex', { guards: [budget({ tokensMax: 5 }).spec] })).toBe('')
})
