import { describe, expect, test } from 'vitest'
import { readSettings } from './settings.ts'

describe('readSettings', () => {
  test('TINKER-12 the defaults are 60 tries, 120 seconds, the first iteration and no seed', () => {
    expect(readSettings({ PAWL_TINKER_CHECK: '["npm","test"]' })).toEqual({
      check: ['npm', 'test'],
      triesMax: 60,
      secondsMax: 120,
      iteration: 1,
      run: '',
      seed: '',
    })
  })

  test('TINKER-12 a shell line is run by a shell', () => {
    expect(readSettings({ PAWL_TINKER_CHECK_SHELL: 'make && make test' }).check).toEqual(['/bin/sh', '-c', 'make && make test'])
  })

  test.each([
    [{}, /needs a check/],
    [{ PAWL_TINKER_CHECK: 'npm test' }, /PAWL_TINKER_CHECK must be a JSON array/],
    [{ PAWL_TINKER_CHECK: '[]' }, /PAWL_TINKER_CHECK must be a JSON array/],
    [
      { PAWL_TINKER_CHECK: '["a"]', PAWL_TINKER_TRIES_MAX: 'many' },
      /PAWL_TINKER_TRIES_MAX must be a whole number from 1, but is "many"/,
    ],
    [{ PAWL_TINKER_CHECK: '["a"]', PAWL_ITERATION: '0' }, /PAWL_ITERATION/],
  ])('TINKER-12 %j is refused with the name of the variable', (env, message) => {
    expect(() => readSettings(env)).toThrow(message)
  })
})
