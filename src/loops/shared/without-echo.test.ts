import { expect, it } from 'vitest'
import { claimIn, withoutEcho } from './promises.ts'

const BRIEF =
  'Do the next item.\n\n- End with <promise>COMPLETE</promise> when all is done.\nElse: <promise>BLOCKED: why</promise>\n'

it.each<[said: string, text: string, promise: string | undefined]>([
  ['nothing of its own', BRIEF, undefined],
  ['the brief and then a promise', `${BRIEF}\nDone.\n<promise>COMPLETE</promise>`, 'COMPLETE'],
  ['the brief, indented', BRIEF.replaceAll(/^/gm, '  > '), undefined],
  ['a line of it', 'As asked: \n  End with <promise>COMPLETE</promise> when all is done.', undefined],
  ['a promise in words of its own', 'All is done:\n<promise>COMPLETE</promise>', 'COMPLETE'],
  ['that it is blocked', `${BRIEF}<promise>BLOCKED: no key</promise>`, 'BLOCKED'],
])('RALPH-17 an agent that says %s is understood', (_said, text, promise) => {
  expect(claimIn(withoutEcho(text, BRIEF), ['COMPLETE'])?.promise).toBe(promise)
})

it('RALPH-17 a promise that stands alone in the brief, and is said alone, is one', () => {
  const brief = 'Say this at the end:\n```\n<promise>COMPLETE</promise>\n```\n'
  expect(claimIn(withoutEcho('Done.\n<promise>COMPLETE</promise>\n', brief), ['COMPLETE'])?.promise).toBe('COMPLETE')
  expect(claimIn(withoutEcho(`user:\n${brief}\nWorking.`, brief), ['COMPLETE'])).toBeUndefined()
})
