import { describe, expect, it } from 'vitest'
import {
  COUNT,
  FLAG,
  FUNCTION,
  having,
  listOf,
  mapOf,
  MILLISECONDS,
  needed,
  oneOf,
  type OptionKinds,
  TEXT,
  TEXTS,
} from './option-kinds.ts'
import { recordedSettings } from './recorded-settings.ts'
import { requireOptions } from './require-options.ts'

interface MugOptions {
  readonly height: number
  readonly colour?: string
  readonly isCracked?: boolean
}

const MUG: OptionKinds<MugOptions> = { height: needed(COUNT), colour: TEXT, isCracked: FLAG }

/** As a program in JavaScript may call it. */
function refused(options: unknown) {
  return () => requireOptions('mug', options as MugOptions, MUG)
}

describe('options of a factory', () => {
  it('LIB-1 an unknown one is refused with the nearest name, or with all names', () => {
    expect(refused({ height: 9, color: 'red' })).toThrow(
      expect.objectContaining({
        code: 'setting.unknown',
        value: 'color',
        message: 'mug has no option "color"; did you mean "colour"?',
      }),
    )
    expect(refused({ height: 9, volume: 1 })).toThrow('mug has no option "volume"; there are height, colour, isCracked.')
    expect(refused({ height: 9, volume: undefined })).toThrow('mug has no option "volume"')
  })

  it.each([
    [undefined, 'mug takes an object with its options (height, colour, isCracked), not nothing.'],
    [null, 'mug takes an object with its options (height, colour, isCracked), not null.'],
    [9, 'mug takes an object with its options (height, colour, isCracked), not 9.'],
    [[{ height: 9 }], 'mug takes an object with its options (height, colour, isCracked), not a list of an object.'],
    [{}, 'mug needs height: a whole number of at least 0.'],
    [{ height: '9' }, 'mug: height must be a whole number of at least 0, not "9".'],
    [{ height: 9, colour: ' ' }, 'mug: colour must be a text that is not empty, not " ".'],
    [{ height: 9, colour: () => 'red' }, 'mug: colour must be a text that is not empty, not the function colour.'],
    [{ height: 9, isCracked: null }, 'mug: isCracked must be true or false, not null.'],
    [{ height: 9, isCracked: 'x'.repeat(500) }, /not "x{79}….$/],
  ])('LIB-2 %j is refused with what may stand there', (options, message) => {
    expect(refused(options)).toThrow(message)
    expect(refused(options)).toThrow(expect.objectContaining({ name: 'PawlError', code: expect.stringMatching(/^setting\./) }))
  })

  it('LIB-2 what may be left out may also be undefined', () => {
    expect(refused({ height: 9 })).not.toThrow()
    expect(refused({ height: 9, colour: undefined })).not.toThrow()
  })

  it.each([
    [oneOf('wait', 'switch'), ['wait'], ['wat', 1]],
    [TEXTS, [[], ['a', '']], ['a', [1]]],
    [MILLISECONDS, [1, 0.5], [0, -1, Infinity, '5']],
    [FUNCTION, [() => 1], [{}]],
    [listOf('flags', FLAG), [[true]], [true, ['yes']]],
    [mapOf('flags by name', FLAG), [{}, { a: true }], [[], { a: 1 }, null]],
    [having('a dog', 'bark'), [{ bark: undefined }], [{}, [], () => 'bark']],
  ])('LIB-2 %o takes what is of its kind and nothing else', (kind, right, wrong) => {
    expect(right.map(kind.accepts)).not.toContain(false)
    expect(wrong.map(kind.accepts)).not.toContain(true)
  })

  it('LIB-4 what a run recorded is taken as it is; a copy of it is looked at again', () => {
    const recorded = recordedSettings<MugOptions>({ volume: 1 })
    expect(refused(recorded)).not.toThrow()
    expect(recorded).toEqual({ volume: 1 })
    expect(JSON.stringify(recorded)).toBe('{"volume":1}')
    expect(refused({ ...recorded })).toThrow('mug has no option "volume"')
  })

  it('LIB-8 a table that disagrees with the options does not compile', () => {
    // @ts-expect-error One name too few.
    const tooFew: OptionKinds<MugOptions> = { height: needed(COUNT), colour: TEXT }
    // @ts-expect-error One name too many.
    const tooMany: OptionKinds<MugOptions> = { ...MUG, volume: true }
    // @ts-expect-error The height has to be given.
    const tooLax: OptionKinds<MugOptions> = { ...MUG, height: COUNT }
    // @ts-expect-error The colour may be left out.
    const tooStrict: OptionKinds<MugOptions> = { ...MUG, colour: needed(TEXT) }
    const ofUnion: OptionKinds<{ readonly a: 1 } | { readonly b: 1 }> = { a: true, b: true }
    expect([tooFew, tooMany, tooLax, tooStrict, ofUnion]).toHaveLength(5)
  })
})
