import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spinningIn } from './spinning-text.ts'

const times = (count: number, text: string) => text.repeat(count)
const before = 'I have read the parser and the test. The test expects a number, and the parser returns a text.\n\n'

describe('spinningIn', () => {
  it.each([
    ['the same line', before + times(20, 'Let me try again.\n'), 'Let me try again.'],
    ['the same sentence on one line', before + times(12, 'I will now fix the parser. '), 'I will now fix the parser.'],
    [
      'the same paragraph',
      before + times(5, 'Wait, the test is different.\nI should look at it again first.\n\n'),
      'Wait, the test',
    ],
    ['a line that trails off', before + times(20, 'Let me think about it (again)...\n'), 'Let me think about it (again)'],
    ['the same word', `${before}${times(60, 'the ')}`, 'the'],
    ['the same few words', `${before}${times(20, 'and then I ')}`, 'and then I'],
    ['cut in the middle of a word', `${before}${times(20, 'and then I ')}and th`, 'and then I'],
    ['cut in the middle of a line', `${before}${times(20, 'Let me try again.\n')}Let me t`, 'Let me try again.'],
    ['a script without spaces', `好的。${times(20, '我再试一次')}`, '我再试一次'],
    [
      'a long sentence, five times',
      times(5, `${'Because the parser returns a text and the test expects a number, '}I look at it. `),
      'Because',
    ],
    ['after a block of code', `${before}\`\`\`ts\nconst a = 1\n\`\`\`\n${times(20, 'Let me try again.\n')}`, 'Let me try again.'],
  ])('GUARD-60 finds %s', (_name, text, unit) => {
    expect(spinningIn(text)?.unit).toContain(unit)
  })

  it.each([
    ['plain prose', times(1, before)],
    ['nothing', ''],
    ['the same line three times', times(3, 'Let me try again with another approach to the parser of dates.\n')],
    [
      'it went round, and then came to an end',
      `${times(30, 'Let me try again.\n')}\nDone: the parser returns a number now.\nAll tests pass.`,
    ],
    ['a block of code', `${before}\`\`\`c\n${times(40, 'x = next(x)\n')}\`\`\`\n`],
    ['a block that is not closed', `${before}\`\`\`\n${times(40, 'call the function again\n')}`],
    ['a table', times(40, '| a | b | c |\n')],
    ['a list', times(40, '- [ ] write the test\n')],
    ['a numbered list', Array.from({ length: 40 }, (_, index) => `${index + 1}. write the test`).join('\n')],
    ['a progress bar', times(40, '[#####-----] 50% of the work is done\n')],
    ['a progress bar in one line', times(40, 'step 3 of 4 50%\r')],
    ['waiting', times(40, 'Waiting for the server to start\n')],
    ['dots', times(400, '.')],
    ['a divider', times(400, '=')],
    ['tests that pass', Array.from({ length: 40 }, (_, index) => `✓ adds numbers (${index} ms)`).join('\n')],
    ['TAP', Array.from({ length: 40 }, () => 'ok 1 - adds numbers').join('\n')],
    ['lines of a log', times(40, '[info] request handled by the server\n')],
    ['code without a fence', times(40, '    return value;\n')],
    ['a diff', times(40, '+ const value = 1;\n')],
    [
      'an enumeration with variation',
      Array.from({ length: 40 }, (_, index) => `I moved file${index}.ts and fixed its imports.`).join('\n'),
    ],
    ['a few words for emphasis', `${before}This is very, very, very, very good.`],
    ['the same word between blocks of code', times(20, 'Now the next file:\n```\nx\n```\n')],
  ])('GUARD-61 leaves alone: %s', (_name, text) => {
    expect(spinningIn(text)).toBeUndefined()
  })

  it('GUARD-60 counts the repeats', () => {
    expect(spinningIn(times(20, 'Let me try again.\n'))).toEqual({ unit: 'Let me try again.', repeats: 20 })
  })

  it.each([
    ['one endless word', times(200_000, 'a')],
    ['single letters', times(100_000, 'a ')],
    ['empty lines', times(200_000, '\n')],
    ['half a word', times(50_000, 'ab c')],
    ['marks of code', times(66_000, '`` ')],
  ])('GUARD-62 200 KB of nonsense are no prose: %s', (_name, text) => {
    expect(spinningIn(text)?.repeats ?? REPEATS_MIN).toBeGreaterThanOrEqual(REPEATS_MIN)
  })

  it('GUARD-62 what it calls a repetition came at least four times, whatever the text', () => {
    expect(() =>
      fc.assert(fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), fc.integer({ min: 1, max: 60 }), isSound), {
        numRuns: 300,
      }),
    ).not.toThrow()
  })
})

const REPEATS_MIN = 4

function isSound(text: string, count: number): boolean {
  return (spinningIn(text.repeat(count))?.repeats ?? REPEATS_MIN) >= REPEATS_MIN
}
