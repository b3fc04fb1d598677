import { describe, expect, it } from 'vitest'
import { checkThrashing, type IterationHistoryEntry } from '../safety-checks.ts'

const saying = (...messages: readonly string[]): IterationHistoryEntry => ({
  iteration: 1,
  validationResult: { flags: messages.map((message) => ({ message })) },
})
const changing = (...filesModified: readonly string[]): IterationHistoryEntry => ({
  iteration: 1,
  validationResult: { passed: false },
  filesModified,
})
const times = (count: number, entry: IterationHistoryEntry) => Array.from({ length: count }, () => entry)

describe('checkThrashing', () => {
  it.each<[string, readonly IterationHistoryEntry[], number | undefined, readonly string[]]>([
    ["the seed's example", times(5, saying('Error in file: /src/api.ts')), 5, ['/src/api.ts']],
    ['five by default', times(5, changing('a')), undefined, ['a']],
    ['too few iterations', times(4, changing('a')), undefined, []],
    ['different files', ['a', 'b', 'c', 'd', 'e'].map((path) => changing(path)), undefined, []],
    ['a threshold of its own', times(3, changing('a', 'b')), 3, ['a', 'b']],
    ['a file counts once an iteration', times(4, saying('file: a file: a', 'File: a')), 5, []],
    ['workspace and message name the same file', times(4, { ...saying('file: a'), filesModified: ['a'] }), 5, []],
    ['whatever its case', times(5, saying('FILE: a.ts')), 5, ['a.ts']],
    ['several in one message', times(5, saying('file: a.ts, file: b.ts.')), 5, ['a.ts', 'b.ts']],
    ['a place in it is no part of its name', [1, 2, 3, 4, 5].map((line) => saying(`file: "a.ts:${line}:7"`)), 5, ['a.ts']],
    ['a name in quotes, blanks and all', times(5, saying('file: "my dir/a b.ts"')), 5, ['my dir/a b.ts']],
    ['another word is another thing', times(5, saying('profile: a')), 5, []],
    ['an entry without a result', times(5, { iteration: 1, filesModified: ['a'] }), 5, ['a']],
    ['nothing at all', [], 5, []],
  ])('GUARD-33 %s', (_name, history, threshold, files) => {
    expect(checkThrashing(history, threshold).affectedFiles).toEqual(files)
  })

  it('GUARD-33 says so word for word', () => {
    expect(checkThrashing(times(5, saying('Error in file: /src/api.ts')), 5)).toEqual({
      thrashing: true,
      affectedFiles: ['/src/api.ts'],
      message: 'Thrashing detected: 1 file(s) modified 5+ times without progress: /src/api.ts',
    })
    expect(checkThrashing([])).toEqual({ thrashing: false, affectedFiles: [] })
  })
})
