import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AnswerFinding } from './answer.ts'
import { DEFAULT_RESEARCH_RULES as RULES } from './rules.ts'
import { crossReferences, type Finding } from './finding.ts'
import { initialResearch, type PendingAnswer } from './progress.ts'
import { answerWith, found } from '../../../test/support/research-play.ts'
import { integrate, type Integration } from './integrate.ts'
import type { Known } from './finding-index.ts'

/** An answer whose citations were all verified. */
function answered(
  index: number,
  agent: string,
  findings: readonly AnswerFinding[],
  status: 'exact' | 'refuted' = 'exact',
): PendingAnswer {
  const citations = findings.flatMap((finding, of) =>
    finding.citations.map((place) => ({ ...place, status, agent, iteration: 1, of })),
  )
  return { index, agent, work: `1/${agent}/${index}`, answer: answerWith({ findings }), citations }
}

function integrated(answers: readonly PendingAnswer[], known: Known = initialResearch, iteration = 1): Integration {
  return integrate(known, answers, { iteration, rules: RULES })
}

/** What is known after an integration. */
function after(known: Known, { recorded, merged, conflicts, nominations }: Integration): Known {
  const changed = new Map(merged.map(({ finding }) => [finding.id, finding]))
  return {
    findings: [...known.findings.map((finding) => changed.get(finding.id) ?? finding), ...recorded],
    conflicts: [...known.conflicts, ...conflicts],
    nominations: [...known.nominations, ...nominations],
    lastIds: { ...known.lastIds, finding: known.lastIds.finding + recorded.length },
  }
}

/** That the database of a scope is this. */
function says(value: string, scope?: string): AnswerFinding {
  const claims = [{ subject: 'app', attribute: 'database', value, ...(scope === undefined ? {} : { scope }) }]
  return found(`The database of ${scope ?? 'all'} is ${value}`, [`${value}.ts:1:connect(${value})`], { claims })
}

function claim(value: string, polarity: 'positive' | 'negative'): AnswerFinding {
  const words = `${polarity} ${value} ${value === 'x' ? 'alpha' : 'beta'}`
  return found(words, [], { claims: [{ subject: 's', attribute: 'a', value, polarity }] })
}

function pair(one: string, other: string): Integration {
  return integrated([answered(0, 'a', [found(one)]), answered(1, 'b', [found(other)])])
}

function inScope(value: string) {
  return [{ subject: 'app', attribute: 'store', value, scope: value }]
}

function many(count: number): readonly AnswerFinding[] {
  return Array.from({ length: count }, (_, index) => {
    const words = `${WORDS[index % 7]} ${WORDS[(index * 3) % 5]}`
    return found(
      `Module ${index % 97} of part ${index} handles ${words} for ${index}`,
      [`src/f${index % 500}.ts:${index + 1}:code ${index}`],
      {
        claims: [{ subject: `module ${index}`, attribute: 'kind', value: String(index % 3) }],
      },
    )
  })
}

/** User time of integrating so many, in microseconds. */
function timed(count: number): number {
  const answers = Array.from({ length: 5 }, (_, part) =>
    answered(part, `agent${part}`, many(count).slice((part * count) / 5, ((part + 1) * count) / 5)),
  )
  const start = process.cpuUsage()
  expect(integrated(answers).recorded.length).toBeGreaterThan(count * 0.9)
  return process.cpuUsage(start).user
}

const WORDS = ['login', 'token', 'cookie', 'session', 'database', 'worker', 'cache'] as const

const jwt = found('Uses JWT for authentication', ['auth.ts:3:jwt.sign(user)'])

describe('integration', () => {
  it('RES-20 a duplicate is skipped, whatever its case and punctuation', () => {
    const first = after(initialResearch, integrated([answered(0, 'explore', [jwt])]))
    const again = integrated([answered(0, 'explore', [{ ...jwt, description: 'uses jwt, for authentication!' }])], first, 2)
    expect(again).toMatchObject({ recorded: [], merged: [], skipped: 1 })
  })

  it('RES-21 what enhances a finding is merged into it and raises its confidence', () => {
    const weak = found('Uses JWT for authentication', ['auth.ts:3:'])
    const first = after(initialResearch, integrated([answered(0, 'explore', [{ ...weak, evidence: 'supporting' }])]))
    expect(first.findings[0]?.confidence).toBe(0.65)
    const strong = { ...found('Uses JWT for authentication', ['login.ts:9:verify(token)']), evidence: 'supporting' as const }
    const { merged } = integrated([answered(0, 'security', [strong])], first, 2)
    expect(merged[0]?.finding).toMatchObject({
      id: 'finding-001',
      confidence: 0.75,
      sourceAgents: ['explore', 'security'],
      iterationDiscovered: 1,
      iterationConfirmed: 2,
    })
  })

  it('RES-22 structured claims with another value in the same scope are a conflict, other scopes are not', () => {
    const same = integrated([answered(0, 'explore', [says('MySQL')]), answered(1, 'pattern', [says('PostgreSQL')])])
    expect(same.conflicts).toMatchObject([{ basis: 'claims', sides: [{ finding: 'finding-001' }, { finding: 'finding-002' }] }])
    expect(same.recorded.map(({ confidence }) => confidence)).toEqual([0.55, 0.55])
    const scoped = integrated([
      answered(0, 'explore', [says('MySQL', 'development')]),
      answered(1, 'pattern', [says('PostgreSQL', 'production')]),
    ])
    expect(scoped.conflicts).toEqual([])
  })

  it('RES-23 a negation of the same value is a conflict, of another it is not', () => {
    const one = integrated([answered(0, 'a', [claim('x', 'positive'), claim('x', 'negative')])])
    expect(one.conflicts[0]?.sides.map(({ value }) => value)).toEqual(['x', 'not x'])
    expect(integrated([answered(0, 'a', [claim('x', 'positive'), claim('y', 'negative')])]).conflicts).toEqual([])
  })

  it('RES-24 free words only nominate: another number, a negation, a swapped word', () => {
    const text = 'The refresh token stored in the session cookie expires after 30 minutes'
    for (const other of [
      text.replace('30', '60'),
      text.replace('expires', 'never expires'),
      text.replace('cookie', 'database'),
    ]) {
      const { nominations, conflicts, recorded } = pair(text, other)
      expect([recorded.length, conflicts.length, nominations.length]).toEqual([2, 0, 1])
    }
    expect(pair(text, 'Emails are sent by a worker with a queue').nominations).toEqual([])
    expect(pair(text, `${text} of inactivity`).recorded).toHaveLength(1)
  })

  it('RES-71 what one agent says in one answer is not nominated against itself, nor are short sentences of one build', () => {
    const text = 'The refresh token stored in the session cookie expires after 30 minutes'
    const own = integrated([answered(0, 'a', [found(text), found(text.replace('30', '60'))])])
    expect([own.recorded.length, own.nominations.length]).toEqual([2, 0])
    expect(pair('json/decoder.py depends on scanner', 'json/decoder.py depends on encoder').nominations).toEqual([])
  })

  it('RES-25 the seed’s cosine rule is an option: the same topic in other words is then a conflict', () => {
    const answers = [
      answered(0, 'a', [found('Uses SQL Server for data storage', [], { claims: inScope('sql') })]),
      answered(1, 'b', [found('Entity Framework talks to PostgreSQL', [], { claims: inScope('postgres') })]),
    ]
    expect(integrated(answers).conflicts).toEqual([])
    const rules = { ...RULES, conflicts: { ...RULES.conflicts, cosineMax: 0.7 } }
    expect(integrate(initialResearch, answers, { iteration: 1, rules }).conflicts).toMatchObject([{ basis: 'cosine' }])
  })

  it('RES-26 what was given up when a conflict was settled does not come back by being repeated', () => {
    const [first] = integrated([answered(0, 'a', [jwt])]).recorded as [Finding]
    const known = { ...initialResearch, findings: [{ ...first, supersededBy: 'finding-002' }] }
    const again = integrated([answered(0, 'b', [jwt])], known, 2)
    expect(again).toMatchObject({ recorded: [], merged: [], skipped: 1 })
    expect(again.notes[0]).toContain('b repeats finding-001')
  })

  it('RES-27 citations of findings from other iterations on the same file or subject are cross-referenced', () => {
    const one = after(
      initialResearch,
      integrated([answered(0, 'a', [found('Uses repository pattern', ['user.ts:1:class UserRepository'])])]),
    )
    const two = after(
      one,
      integrated([answered(0, 'b', [found('Repository is injected everywhere', ['user.ts:9:new UserRepository'])])], one, 2),
    )
    expect(crossReferences(two.findings)).toEqual([
      { about: 'user.ts', findings: ['finding-001', 'finding-002'], citations: [1, 2] },
    ])
  })
})

const words = fc.constantFrom('login', 'token', 'cookie', 'session', 'database', 'worker', 'cache', 'route', 'not', '30', '60')
const drafts = fc.array(
  fc
    .tuple(fc.array(words, { minLength: 1, maxLength: 6 }), fc.constantFrom('a.ts', 'b.ts'), fc.constantFrom('x', 'y'))
    .map(([parts, file, value]) =>
      found(parts.join(' '), [`${file}:1:code`], { claims: [{ subject: parts[0] ?? '', attribute: 'v', value }] }),
    ),
  { maxLength: 8 },
)

describe('properties of integration', () => {
  it('RES-28 the order in which answers arrive does not matter', () => {
    fc.assert(
      fc.property(fc.array(drafts, { minLength: 2, maxLength: 3 }), fc.boolean(), (answers, isReversed) => {
        const given = answers.map((findings, index) => answered(index, `agent${index}`, findings))
        const arrived = isReversed ? given.toReversed() : [...given.slice(1), ...given.slice(0, 1)]
        expect(integrated(arrived)).toEqual(integrated(given))
      }),
      { numRuns: 100 },
    )
  })

  it('RES-29 integrating the same answers again changes nothing', () => {
    fc.assert(
      fc.property(drafts, drafts, (one, other) => {
        const answers = [answered(0, 'a', one), answered(1, 'b', other)]
        const known = after(initialResearch, integrated(answers))
        expect(integrated(answers, known)).toMatchObject({ recorded: [], merged: [], conflicts: [] })
      }),
      { numRuns: 100 },
    )
  })
})

it('RES-30 five thousand findings are integrated in time that grows with their number, not with its square', () => {
  timed(500)
  const [small, large] = [Math.min(timed(1000), timed(1000)), timed(5000)]
  expect(large / small).toBeLessThan(20)
})
