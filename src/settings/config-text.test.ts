import { expect, test } from 'vitest'
import { maxIterations } from '../guards/index.ts'
import { taskLoop } from '../loops/task/index.ts'
import { configuredGuards, guardNames } from './configured-guards.ts'
import { configText, namedChecks } from './config-text.ts'
import { projectSchema } from './project-schema.ts'
import { parseConfig } from './parse-config.ts'

test('INIT-2 what was found is filled in and loads', () => {
  const checks = namedChecks([{ tool: 'npm', command: `npm test -- --grep "a 'b' \\c"`, because: 'package.json' }])
  expect(parseConfig(configText({ agent: 'claude', checks }), 'pawl.yaml')).toEqual({
    agent: 'claude',
    agents: {},
    checks: [{ name: 'tests', command: ['npm', 'test', '--', '--grep', `a 'b' \\c`], timeoutMs: 600_000 }],
  })
})

test('INIT-2 several checks get names of their own', () => {
  const checks = namedChecks([
    { tool: 'npm', command: 'npm test', because: 'package.json' },
    { tool: 'go', command: 'go test ./...', because: 'go.mod' },
  ])
  expect(parseConfig(configText({ checks }), 'pawl.yaml').checks.map(({ name }) => name)).toEqual(['tests-npm', 'tests-go'])
})

test('INIT-2 a file written when nothing was found loads and reports no problem', () => {
  expect(parseConfig(configText({ checks: [] }), 'pawl.yaml')).toEqual({ agents: {}, checks: [] })
})

test('INIT-3 every key is in the file with its real default, one remark before it', () => {
  const text = configText({ checks: [] })
  const everything = text.replaceAll(/^# (?=[a-z_]+:(?: |$)| {2})/gm, '')
  const config = parseConfig(everything, 'pawl.yaml')
  const keys = everything.split('\n').flatMap((line) => /^([a-z_]+):/.exec(line)?.[1] ?? [])
  expect(keys.toSorted()).toEqual(Object.keys(projectSchema.entries).toSorted())
  expect(everything).not.toMatch(/^(?!#).*\n[a-z_]+:/m)
  const { baseline, feedbackLengthMax } = taskLoop({ goal: 'x' }).spec.settings
  expect(config).toMatchObject({
    maxIterations: maxIterations().spec.settings['iterationsMax'],
    budgetUsd: 0,
    budgetTokens: 0,
    budgetTimeMs: 0,
    agentTimeoutMs: 30 * 60_000,
    baseline,
    feedbackMaxLength: feedbackLengthMax,
    worktree: false,
  })
  const { deadline: _noneAtFirst, ...usual } = config.guards ?? {}
  const specs = configuredGuards(usual).map((guard) => guard.spec)
  expect(specs).toEqual(configuredGuards().map((guard) => guard.spec))
  expect(Object.keys(config.guards ?? {}).toSorted()).toEqual([...guardNames].toSorted())
})
