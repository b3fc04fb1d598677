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
})
