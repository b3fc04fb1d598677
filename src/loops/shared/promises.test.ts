import { describe, expect, it } from 'vitest'
import { claimIn } from './promises.ts'

describe('claimIn', () => {
  it.each([
    ['a colon', '<promise>BLOCKED: no key</promise>', 'no key'],
    ['a dash', '<promise>BLOCKED - no key</promise>', 'no key'],
    ['a long dash', '<promise>BLOCKED — no key</promise>', 'no key'],
    ['nothing', '<promise>BLOCKED</promise>', undefined],
    ['the rest of the line', 'Sorry.\n<promise>BLOCKED</promise>: no key\nBye.', 'no key'],
    ['the next line', '<promise>BLOCKED</promise>\nThere is no key.\nBye.', 'There is no key.'],
    ['the next line but one', '**<promise>BLOCKED</promise>**\n\n- There is no key.', 'There is no key.'],
    ['the end of the text', 'All I can say is <promise>BLOCKED: no key</promise>.\n', 'no key'],
  ])('RALPH-40 BLOCKED is a claim, and its reason is kept: %s', (_name, text, reason) => {
    expect(claimIn(text, ['DONE'])).toEqual({ promise: 'BLOCKED', ...(reason === undefined ? {} : { reason }) })
  })

  it.each([
    ['in a sentence', 'I will not say <promise>BLOCKED</promise> because the key is there.'],
    ['first in a sentence', '<promise>BLOCKED</promise> is not needed.'],
    ['as a part of another word', '<promise>BLOCKED_USERS</promise>'],
  ])('RALPH-41 BLOCKED that is only spoken of is no claim: %s', (_name, text) => {
    expect(claimIn(text, ['DONE'])).toBeUndefined()
    expect(claimIn(`${text}\n<promise>DONE</promise>`, ['DONE'])).toEqual({ promise: 'DONE' })
  })

  it.each([
    ['with words before it', 'Done.\n\n<promise>DONE</promise>\n', 'DONE'],
    ['alone', '<promise> ALL TESTS PASS </promise>', 'ALL TESTS PASS'],
    ['in bold', 'Done.\n**<promise>DONE</promise>**', 'DONE'],
    ['in a code block', 'Done.\n```\n<promise>DONE</promise>\n```\n', 'DONE'],
    ['with Windows line ends', 'Done.\r\n<promise>DONE</promise>\r\n', 'DONE'],
    ['in a sentence', '2 items open, so no <promise>DONE</promise> yet', undefined],
    ['at the end of a sentence', 'It is too early for <promise>DONE</promise>', undefined],
    ['at the start of a sentence', '<promise>DONE</promise> will follow.', undefined],
    ['alone, but words follow', '<promise>DONE</promise>\nOne item is still open.', undefined],
    ['twice on the last line', '<promise>DONE</promise> <promise>DONE</promise>', undefined],
    ['as a quotation', 'The prompt says:\n> <promise>DONE</promise>', undefined],
    ['struck out', '~~<promise>DONE</promise>~~', undefined],
    ['inside another tag', '<promise>not yet <promise>DONE</promise>', undefined],
  ])('RALPH-18 a promise counts only alone on the last line: %s', (_name, text, promise) => {
    expect(claimIn(text, ['DONE', 'ALL TESTS PASS'])).toEqual(promise === undefined ? undefined : { promise })
  })
})
