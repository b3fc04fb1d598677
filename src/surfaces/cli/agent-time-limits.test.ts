import { describe, expect, test } from 'vitest'
import { initialState } from '../../core/state.ts'
import { parseConfig } from '../../settings/parse-config.ts'
import { ralphConfig } from './commands/ralph.ts'
import { researchConfig } from './research-config.ts'
import { reviewConfig } from './review-config.ts'
import { reconfigured, type StartFlags } from './run-settings.ts'
import { taskConfig } from './task-config.ts'

const WISH = { name: 'g', goal: 'g', control: {} }
const TEXT = `agent: mine
reviewer: mine
questioner: mine
fallback: [other, patient]
roles: { repairer: mine, planner: other, reviewer: patient, one: mine, two: patient, deep: mine }
experts: { tampering: other }
checks: [{ name: t, command: make }]
agents:
  mine: { command: mine }
  other: { driver: claude }
  patient: { command: patient, timeout: 2h }
`
const PROJECT = { root: '/project', configPath: '/project/pawl.yaml', storePath: '/project/.pawl/pawl.db' }

/** A run of every loop, with more in `pawl.yaml`. */
function runs(more: string, flags: StartFlags) {
  const config = parseConfig(TEXT + more, 'pawl.yaml')
  const { reviewer: _one, ...others } = flags
  return [
    taskConfig('/project', flags, config, WISH),
    ralphConfig('/project', flags, config, 'prompt'),
    reviewConfig('/project', others, config, { goal: 'g' }),
    researchConfig(PROJECT, others, config, { goal: 'What is it?', overrides: {} }),
  ]
}

const TEN_SECONDS = expect.objectContaining({ timeoutMs: 10_000 })
const TWO_HOURS = expect.objectContaining({ timeoutMs: 7_200_000 })

describe('the time limit of agents', () => {
  test('CLI-421 --timeout makes of every loop the run that agent_timeout makes', () => {
    const [task, , review, research] = runs('', { timeout: '10s' })
    expect(runs('', { timeout: '10s' })).toEqual(runs('agent_timeout: 10s\n', {}))
    expect(task).toMatchObject({
      agent: { settings: TEN_SECONDS },
      checks: [{}, { settings: { agent: { settings: TEN_SECONDS } } }],
      questioner: { settings: TEN_SECONDS },
      fallbacks: [{ settings: TEN_SECONDS }, { settings: TWO_HOURS }],
      experts: { tampering: { settings: TEN_SECONDS } },
    })
    expect(review).toMatchObject({
      roles: {
        repairer: { settings: TEN_SECONDS },
        planner: { settings: TEN_SECONDS },
        one: { settings: TEN_SECONDS },
        two: { settings: TWO_HOURS },
      },
      checks: [{}, { settings: { agent: { settings: TWO_HOURS } } }],
    })
    expect(research?.roles?.['deep']?.settings).toMatchObject({ timeoutMs: 10_000 })
  })

  test('CLI-421 the flag counts more than agent_timeout, and only an agent’s own limit counts more than both', () => {
    const [task] = runs('agent_timeout: 1h\n', { agent: 'patient', reviewer: 'patient', timeout: '10s' })
    expect(task).toMatchObject({
      agent: { settings: TEN_SECONDS },
      checks: [{}, { settings: { agent: { settings: TWO_HOURS } } }],
      questioner: { settings: TEN_SECONDS },
    })
  })

  test('CLI-422 on resume it changes the limits of all agents alike, and those of their own as they are written now', () => {
    const given = runs('agent_timeout: 1h\n', { timeout: '5s' })
    const written = parseConfig(TEXT.replace('2h', '3h'), 'pawl.yaml')
    const later = given.map((config) => reconfigured(initialState('r', 1, 0, config), { timeout: '10s' }, written))
    const begun = JSON.stringify(runs('', { timeout: '10s' })).replaceAll('7200000', '10800000')
    expect(JSON.parse(JSON.stringify(later))).toEqual(JSON.parse(begun))
    for (const config of given) expect(reconfigured(initialState('r', 1, 0, config), {}, written)).toBe(config)
  })

  test('CLI-422 --reviewer names those who review from then on, with what pawl.yaml says of them now', () => {
    const [task, , , research] = runs('', {})
    if (!task || !research) throw new Error('There is a run of each loop.')
    const written = parseConfig(TEXT, 'pawl.yaml')
    const reviewers = (reviewer: readonly string[], more = {}) =>
      reconfigured(initialState('r', 1, 0, task), { reviewer, ...more }, written).checks.map(({ name, settings }) => [
        name,
        settings['name'],
      ])
    const given = reconfigured(initialState('r', 1, 0, task), { reviewer: ['patient'] }, written)
    expect(given.checks[1]?.settings).toMatchObject({ name: 'review', agent: { settings: { command: ['patient'], ...TWO } } })
    expect(reviewers(['person'], { check: ['true'] })).toEqual([
      ['command', 'true'],
      ['person-review', 'review'],
    ])
    expect(reviewers(['mine', 'patient'])).toEqual([
      ['command', 't'],
      ['agent-review', 'review by mine'],
      ['agent-review', 'review by patient'],
    ])
    expect(() => reviewers(['mine', 'mine'])).toThrow('--reviewer mine is given twice')
    expect(() => reviewers(['tinker'])).toThrow('tinker cannot review')
    expect(() => reconfigured(initialState('r', 1, 0, research), { reviewer: ['mine'] }, written)).toThrow('not for research')
  })
})

const TWO = { timeoutMs: 7_200_000 }
