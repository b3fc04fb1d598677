import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reviewAnswer } from './review-answer.ts'

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
    ['LGTM, approve!\n{"note": 1}', '"verdict" must be'],
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
  ])('CHECK-22 prose, half an answer or a contradiction is none: %s', (text, problem) => {
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
