import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Language, languageOf, type Token, tokenize } from './tokenize.ts'

const LANGUAGES = ['a.js', 'a.ts', 'a.py', 'a.go', 'a.rs'].map((path) => languageOf(path)!)
const kindsOf = (source: string, path: string) => tokenize(source, languageOf(path)!).map(({ kind, text }) => `${kind} ${text}`)

describe('tokenize', () => {
  test('TINKER-1 any text can be put together again from its tokens and the white space between them', () => {
    const pieces = fc.constantFrom(
      ...'` ${ } { / // /* */ # " \' \\ \n \r\n a 1 0x 1.5 .. ... => <= """ é 😀 \u0000 @'.split(' '),
      ' ',
    )
    const source = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(source, fc.constantFrom(...LANGUAGES), (text, language) => {
        expect(putTogether(text, language)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test('TINKER-1 its own source is split into whole tokens with the right lines', () => {
    const source = 'const a = `x${b ? `y${c}` : {}}z`\nreturn a / b / /[/]\\/x/g.exec(s).length // end'
    expect(kindsOf(source, 'a.js')).toEqual(
      ['word const', 'word a', 'operator =', 'template `x${', 'word b', 'operator ?', 'template `y${', 'word c']
        .concat(['template }`', 'operator :', 'operator {', 'operator }', 'template }z`', 'word return', 'word a', 'operator /'])
        .concat(['word b', 'operator /', 'regex /[/]\\/x/g', 'operator .', 'word exec', 'operator (', 'word s', 'operator )'])
        .concat(['operator .', 'word length', 'comment // end']),
    )
    expect(tokenize(source, languageOf('a.js')!).at(-1)!.line).toBe(2)
  })

  test.each([
    ['a.py', 'x = a // 2  # half', ['word x', 'operator =', 'word a', 'operator //', 'number 2', 'comment # half']],
    ['a.py', "'''a\nb''' and 1_000", ["string '''a\nb'''", 'word and', 'number 1_000']],
    [
      'a.go',
      'x := `raw` + "s" /* c */',
      ['word x', 'operator :=', 'string `raw`', 'operator +', 'string "s"', 'comment /* c */'],
    ],
    [
      'a.c',
      '#include "a.h"\np->n <<= 0xFF;',
      ['word #include', 'string "a.h"', 'word p', 'operator ->', 'word n', 'operator <<=', 'number 0xFF', 'operator ;'],
    ],
    [
      'a.js',
      'this.#a?.b ?? 1.5e3n',
      ['word this', 'operator .', 'word #a', 'operator ?.', 'word b', 'operator ??', 'number 1.5e3n'],
    ],
  ])('TINKER-1 it reads %s: %s', (path, source, tokens) => {
    expect(kindsOf(source, path)).toEqual(tokens)
  })
})

/** The text again, from the tokens and the gaps; a token at the wrong place, with a wrong line or a gap that is no white space spoils it. */
function putTogether(text: string, language: Language): string {
  let whole = ''
  for (const token of tokenize(text, language)) {
    const gap = text.slice(whole.length, token.start)
    const isRight = gap.trim() === '' && token.text !== '' && token.line === lineAt(text, token)
    whole += gap + (isRight ? token.text : `[misplaced ${token.text}]`)
  }
  const rest = text.slice(whole.length)
  return whole + (rest.trim() === '' ? rest : '')
}

function lineAt(text: string, { start }: Token): number {
  return text.slice(0, start).split('\n').length
}
