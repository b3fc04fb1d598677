import { expect, it } from 'vitest'
import type { AgentAsk } from '../core/agent-ask.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { verifyChain } from '../journal/hash-chain.ts'
import { researchLoop } from '../loops/research/loop.ts'
import { type Scenario, simulate } from '../testing/simulation.ts'

const ASK: AgentAsk = {
  id: 'rm-dist',
  kind: 'execute',
  title: 'rm -r dist',
  options: [
    { id: 'yes', label: 'Allow', kind: 'allow-once' },
    { id: 'no', label: 'Reject', kind: 'deny-once' },
  ],
}

const FILES = { 'src/login.ts': 'export function login(user) {\n  return token(user)\n}' }

/** Three agents in one folder that all want the same, and edit what they should only read. */
const SCENARIO: Scenario = {
  loop: researchLoop({ goal: 'How does login work?', strategy: 'broad', iterationsMax: 1 }),
  guards: [],
  files: FILES,
  asks: ASK,
  answerLater: '1',
  work: () => [(files) => void files.set('half.txt', 'half'), (files) => void files.set('whole.txt', 'whole')],
  result: () => ({ status: 'finished', output: { text: '{"findings": []}', bytesCut: 0 } }),
  check: () => ({ status: 'passed' }),
}

const makeStore = (isAlive: Parameters<Parameters<typeof simulate>[1]>[0]) => memoryStore({ isAlive })

it('ASK-35 several agents that ask come to their end, whatever moment it is killed at, and nothing of theirs is taken for a person’s', async () => {
  const whole = await simulate(SCENARIO, makeStore, [])
  for (let moment = 1; moment <= whole.moments; moment++) {
    const { events, files, outcome } = await simulate(SCENARIO, makeStore, [moment])
    const looks = events.flatMap((event) =>
      event.type === 'workspace.observed' && event.by.role === 'person' ? event.data.files : [],
    )
    const came = {
      moment,
      status: outcome.status,
      done: events.flatMap((event) => (event.type === 'work.finished' ? [event.data.key] : [])).toSorted(),
      // What was put back right before the process died may look like a person's doing; what agents wrote may not.
      byPerson: looks.filter(({ change }) => change !== 'deleted'),
      // Who asked and was undone by the crash asks once more.
      isAskedTooOften: events.filter(({ type }) => type === 'escalation.raised').length > 4,
      files: [...files.keys()],
      isWhole: verifyChain(events).ok,
    }
    expect(came).toEqual({
      moment,
      status: whole.outcome.status,
      done: ['1/citation/1', '1/explore/0', '1/pattern/2'],
      byPerson: [],
      isAskedTooOften: false,
      files: Object.keys(FILES),
      isWhole: true,
    })
  }
})
