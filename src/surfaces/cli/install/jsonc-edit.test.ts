import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsoncTree, jsoncValue, withField, withItem, without } from './jsonc.ts'

const OUR = { command: 'pawl', args: ['mcp'] }
const isOurs = (at: readonly string[]): boolean => at.at(-1) === 'pawl'

describe('a JSON text that is edited in place', () => {
  it.each([
    ['{}', '{\n  "m": {\n    "pawl": 1\n  }\n}'],
    ['{ "a": 1 }', '{ "a": 1, "m": {"pawl":1} }'],
    ['{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"m": {\n\t\t"pawl": 1\n\t}\n}\n'],
    ['{\r\n    "a": [1, 2]\r\n}', '{\r\n    "a": [1, 2],\r\n    "m": {\r\n        "pawl": 1\r\n    }\r\n}'],
    ['{\n  "a": 1, // the first\n}', '{\n  "a": 1, // the first\n  "m": {\n    "pawl": 1\n  },\n}'],
    ['{\n  "a": 1 // the only one\n  // end\n}', '{\n  "a": 1, // the only one\n  "m": {\n    "pawl": 1\n  }\n  // end\n}'],
    ['{\n  /* none */\n}', '{\n  /* none */\n  "m": {\n    "pawl": 1\n  }\n}'],
  ])('HOOK-40 gets a field in the style of the file: %j', (text, expected) => {
    expect(withField(text, 'f', ['m', 'pawl'], 1)).toBe(expected)
  })

  it('HOOK-40 gets an item at the end of a list, and the list if there is none', () => {
    expect(withItem('{"h": {"Stop": [\n  {"a": 1}\n]}}', 'f', ['h', 'Stop'], { b: 2 })).toBe(
      '{"h": {"Stop": [\n  {"a": 1},\n  {\n    "b": 2\n  }\n]}}',
    )
    expect(jsoncValue(jsoncTree(withItem('{}', 'f', ['h', 'Stop'], 1), 'f'))).toEqual({ h: { Stop: [1] } })
  })

  it('HOOK-41 loses what is taken out, with what is empty without it, and no comment of others', () => {
    const text = '{\n  // mine\n  "a": 1, // why\n  "m": { "pawl": 1 },\n  "z": 2 // last\n}'
    expect(without(text, 'f', (_node, at) => isOurs(at))).toBe('{\n  // mine\n  "a": 1, // why\n  "z": 2 // last\n}')
    const last = '{\n  "a": 1, // why\n  "m": { "pawl": 1 } // ours\n}'
    expect(without(last, 'f', (_node, at) => isOurs(at))).toBe('{\n  "a": 1 // why // ours\n}')
    expect(without('{"a": 1}', 'f', (_node, at) => isOurs(at))).toBe('{"a": 1}')
  })

  it('HOOK-42 says where a file is not JSON, and touches nothing', () => {
    expect(() => withField('{\n  "a": 1\n  "b": 2\n}', 'settings.json', ['m'], 1)).toThrow(/settings\.json:3: this is not JSON/)
    expect(() => withField('[]', 'settings.json', ['m', 'pawl'], 1)).toThrow(/not an object/)
    expect(() => withItem('{"h": {"Stop": 1}}', 's.json', ['h', 'Stop'], 1)).toThrow(/not a list/)
    expect(() => jsoncTree('['.repeat(5000), 'f')).toThrow(/nested too deeply/)
  })

  it('HOOK-43 means the same as before but for what was added, and the very same once that is taken out, for any JSON', () => {
    const object = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__' && key !== 'pawl' && key !== 'm'),
      fc.jsonValue(),
      { maxKeys: 5 },
    )
    const indent = fc.constantFrom(undefined, 2, 4, '\t')
    fc.assert(
      fc.property(object, indent, (value, space) => {
        const text = JSON.stringify(value, null, space)
        const plain = JSON.parse(text)
        const added = withField(text, 'f', ['m', 'pawl'], OUR)
        expect(jsoncValue(jsoncTree(added, 'f'))).toEqual({ ...plain, m: { pawl: OUR } })
        expect(JSON.parse(without(added, 'f', (_node, at) => at.length === 2 && isOurs(at)))).toEqual(plain)
      }),
      { numRuns: 300 },
    )
  })
})
