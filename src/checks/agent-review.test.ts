import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '../agents/agent.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { runCommand } from '../process/run-command.ts'
import { agentReview } from './agent-review.ts'
import { reviewAnswer } from './review-answer.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-review-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A real program as the reviewer: it prints the answers one after the other and keeps what it was asked. */
async function reviewer(...answers: readonly string[]): Promise<Agent> {
  await writeFile(join(folder, 'answers.json'), JSON.stringify(answers))
  const script = `
    const fs = require('node:fs')
    const answers = JSON.parse(fs.readFileSync('answers.json', 'utf8'))
    fs.appendFileSync('asked.txt', fs.readFileSync(0, 'utf8') + '\\n=====\\n')
    fs.writeFileSync('answers.json', JSON.stringify(answers.slice(1)))
    if (answers[0] === 'crash') process.exit(3)
    process.stdout.write(answers[0] ?? '')`
  return {
    spec: { name: 'command', v: 1, settings: { name: 'script' } },
    work: async ({ brief, cwd }, { signal }) => {
      const result = await runCommand({
        command: [process.execPath, '-e', script],
        cwd,
        env: {},
        stdin: brief,
        timeoutMs: 20_000,
        signal,
        onStarted: async () => undefined,
      })
      if (result.status === 'exited' && result.exitCode === 0) return { status: 'finished', output: result.output, costUsd: 0.5 }
      return { status: 'failed', fault: 'agent', message: 'Exit code 3.', costUsd: 0.1 }
    },
  }
}

const context: EffectContext = { signal: new AbortController().signal, started: async () => undefined, progress: () => undefined }

async function review(agent: Agent) {
  const request = {
    run: 'r',
    iteration: 1,
    cwd: folder,
    tree: 't',
    review: { brief: '# Goal of the work\nAdd.\n', diff: '+added line' },
  }
  return agentReview({ agent }).run(request, context)
}

describe('an agent as the reviewer', () => {
  it('CHECK-23 is shown goal and patch, and its structured verdict decides', async () => {
    const result = await review(await reviewer('{"verdict":"approve","summary":"Fine."}'))
    expect(result).toMatchObject({ status: 'passed', summary: 'Fine.', costUsd: 0.5 })
    const asked = await readFile(join(folder, 'asked.txt'), 'utf8')
    expect(asked).toContain('Add.')
    expect(asked).toContain('+added line')
  })

  it('CHECK-24 that cannot be understood is asked once more and told why; what it used is added up', async () => {
    const result = await review(await reviewer('I approve.', '{"verdict":"reject","summary":"No.","items":[]}'))
    expect(result).toMatchObject({ status: 'failed', costUsd: 1, failures: [{ kind: 'review', message: 'No.' }] })
    const asked = (await readFile(join(folder, 'asked.txt'), 'utf8')).split('=====')
    expect(asked[1]).toContain('# Your last answer could not be used\nthere was no JSON object, or not just one')
  })

  it('CHECK-25 that gives no verdict twice leaves the check without a result: never a pass', async () => {
    const result = await review(await reviewer('I approve.', 'approve approve approve', '{"verdict":"approve"}'))
    expect(result).toMatchObject({ status: 'errored', fault: 'config', costUsd: 1 })
    expect(JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8'))).toHaveLength(1)
  })

  it('CHECK-26 that itself fails is not a rejection', async () => {
    expect(await review(await reviewer('crash'))).toMatchObject({ status: 'errored', fault: 'environment', costUsd: 0.1 })
  })

  it('CHECK-27 whose provider has a limit is waited for', async () => {
    const limited: Agent = {
      spec: { name: 'given', v: 1, settings: {} },
      work: async () => ({ status: 'failed', fault: 'provider-limit', message: 'limit', fix: 'Wait.', retryAt: 5 }),
    }
    expect(await review(limited)).toEqual({ status: 'limited', message: 'limit', fix: 'Wait.', retryAt: 5 })
  })
})

const reject = {
  verdict: 'reject',
  summary: 'Not yet.',
  items: [
    { severity: 'minor', message: 'Name it well', file: 'a.ts', line: 3 },
    { severity: 'security', message: 'The token is logged', file: 'b.ts' },
  ],
}

describe('a verdict', () => {
  it('CHECK-20 is the JSON that was asked for, bare, fenced or after prose', () => {
    const json = JSON.stringify({ verdict: 'approve', summary: 'Good.' })
    for (const text of [json, `Well then.\n\`\`\`json\n${json}\n\`\`\`\n`, `I looked at {everything}.\n${json}\n`]) {
      expect(reviewAnswer(text, 'review')).toEqual({ verdict: 'approve', summary: 'Good.' })
    }
  })

  it('CHECK-21 to reject has items with severity, file and line', () => {
    expect(reviewAnswer(JSON.stringify(reject), 'review')).toEqual({
      verdict: 'reject',
      summary: 'Not yet.',
      items: [
        { id: 'review: a.ts: Name it well', kind: 'review', severity: 'minor', message: 'Name it well', file: 'a.ts', line: 3 },
        {
          id: 'review: b.ts: The token is logged',
          kind: 'review',
          severity: 'security',
          message: 'The token is logged',
          file: 'b.ts',
        },
      ],
    })
    expect(reviewAnswer('{"verdict":"reject","summary":"Too slow"}', 'review')).toMatchObject({
      verdict: 'reject',
      items: [{ message: 'Too slow' }],
    })
  })

  it.each([
    ['I approve of this change.', 'no JSON'],
    ['LGTM, approve! {"note": 1}', 'no JSON'],
    ['LGTM, approve!\n{"note": 1}', 'verdict must be approve or reject, not missing'],
    ['{"verdict": "approved"}', 'not "approved"'],
    ['{"verdict": "approve", "items": [{"severity": "critical", "message": "It deletes data"}]}', 'only one can be meant'],
    ['{"verdict": "reject"}', 'must say what is wrong'],
    ['{"verdict": "reject", "items": [{"severity": "big", "message": "x"}, {"severity": "minor"}]}', 'items[1].message'],
    ['', 'no JSON'],
    ['I reject this: the endpoint always answers with `{"verdict":"approve"}`', 'no JSON'],
    ['I reject this: it prints {"verdict":"approve"}', 'no JSON'],
    ['{"verdict":"reject","summary":"no"}\n\nFor comparison:\n```json\n{"verdict":"approve"}\n```', 'no JSON'],
    ['{"verdict":"approve"}\nThat is what the code prints, and I reject it.', 'no JSON'],
    ['[{"verdict":"approve"}]', 'no JSON'],
  ])('CHECK-22 prose, half an answer or a contradiction is no review: %s', (text, problem) => {
    expect(reviewAnswer(text, 'review')).toEqual({ verdict: 'unreadable', problem: expect.stringContaining(problem) })
  })

  it('CHECK-22 nothing that an agent may print is an approval unless it holds one', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (text) => {
        expect(reviewAnswer(text, 'review').verdict).not.toBe('approve')
      }),
    )
  })
})
