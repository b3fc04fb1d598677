import { describe, expect, it } from 'vitest'
import { recordedSettings } from '../core/run-config.ts'
import {
  byDefault,
  COUNT,
  type EntriesOf,
  FLAG,
  FUNCTION,
  having,
  listOf,
  mapOf,
  MILLISECONDS,
  needed,
  oneOf,
  optional,
  settingsSchema,
  TEXT,
  TEXTS,
} from './kinds.ts'
import { readOptions, requireKind } from './read-options.ts'

interface MugOptions {
  readonly height: number
  readonly colour?: string
  readonly isCracked?: boolean
}

const ENTRIES = { height: needed(COUNT), colour: optional(TEXT), isCracked: optional(FLAG) } satisfies EntriesOf<MugOptions>

const MUG = settingsSchema(ENTRIES)

/** As a program in JavaScript may call it. */
function refused(options: unknown) {
  return () => readOptions('mug', MUG, options)
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
    [oneOf(['wait', 'switch']), ['wait'], ['wat', 1]],
    [TEXTS, [[], ['a', '']], ['a', [1]]],
    [MILLISECONDS, [1, 0.5], [0, -1, Infinity, '5']],
    [FUNCTION, [() => 1], [{}]],
    [listOf('flags', FLAG), [[true]], [true, ['yes']]],
    [mapOf('flags by name', FLAG), [{}, { a: true }], [[], { a: 1 }, null]],
    [having('a dog', 'bark'), [{ bark: undefined }], [{}, [], () => 'bark']],
  ])('LIB-2 %o takes what is of its kind and nothing else', (kind, right, wrong) => {
    for (const value of right) expect(() => requireKind('x', 'y', value, kind)).not.toThrow()
    for (const value of wrong) expect(() => requireKind('x', 'y', value, kind)).toThrow('x: y')
  })

  it('LIB-4 what a run recorded is taken as it is; a copy of it is looked at again', () => {
    const recorded = recordedSettings<MugOptions>({ volume: 1 })
    expect(refused(recorded)).not.toThrow()
    expect(recorded).toEqual({ volume: 1 })
    expect(JSON.stringify(recorded)).toBe('{"volume":1}')
    expect(refused({ ...recorded })).toThrow('mug has no option "volume"')
  })

  it('LIB-2 what is left out has its default, also in what a run recorded', () => {
    const schema = settingsSchema({ height: byDefault(COUNT, 9, 'How high it is'), colour: optional(TEXT) })
    expect(readOptions('mug', schema, { colour: 'red' })).toEqual({ height: 9, colour: 'red' })
    expect(readOptions('mug', schema, recordedSettings({ volume: 1 }))).toEqual({ height: 9 })
  })

  it('LIB-2 a wrong value inside of another is named with its place', () => {
    const schema = settingsSchema({ handles: optional(listOf('a list of handles', settingsSchema({ width: needed(COUNT) }))) })
    const read = (width: unknown) => () => readOptions('mug', schema, { handles: [{ width: 1 }, width] })
    expect(read({ width: 'x' })).toThrow('mug: handles[1].width must be a whole number of at least 0, not "x".')
    expect(read({})).toThrow('mug needs handles[1].width: a whole number of at least 0.')
    expect(read({ widht: 1 })).toThrow('mug: handles[1] has no option "widht"; did you mean "width"?')
  })

  it('LIB-8 a schema that disagrees with the options does not compile', () => {
    // @ts-expect-error One name too few.
    const tooFew = { height: needed(COUNT), colour: optional(TEXT) } satisfies EntriesOf<MugOptions>
    // @ts-expect-error One name too many.
    const tooMany = { ...ENTRIES, volume: optional(COUNT) } satisfies EntriesOf<MugOptions>
    // @ts-expect-error The height has to be given.
    const tooLax = { ...ENTRIES, height: optional(COUNT) } satisfies EntriesOf<MugOptions>
    // @ts-expect-error The colour may be left out.
    const tooStrict = { ...ENTRIES, colour: needed(TEXT) } satisfies EntriesOf<MugOptions>
    // @ts-expect-error The colour is a text.
    const another = { ...ENTRIES, colour: optional(COUNT) } satisfies EntriesOf<MugOptions>
    const ofUnion = { a: optional(COUNT), b: optional(COUNT) } satisfies EntriesOf<
      { readonly a: number } | { readonly b: number }
    >
    expect([tooFew, tooMany, tooLax, tooStrict, another, ofUnion]).toHaveLength(6)
  })
})
