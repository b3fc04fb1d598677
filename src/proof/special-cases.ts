import { withoutComments } from './same-test.ts'

/** An answer that code has for certain inputs, written out: `if (a === 1 && b === 2) return 3`. */
export interface Answer {
  /** Empty if it has the same answer for everything. */
  readonly inputs: readonly string[]
  readonly output: string
  readonly text: string
  /** The inputs as one text: `'1,2'`. */
  readonly key?: string
  /** The function that has nothing but this answer, whatever it is asked. */
  readonly name?: string
}

/** New lines of code or data that have a number for several numbers, all written out. Few programs have any. */
export function answersIn(before: string, now: string): readonly Answer[] {
  const known = new Set(before.split('\n').map((line) => line.trim()))
  const bare = withoutComments(now.replaceAll(/"""[^]*?"""|'''[^]*?'''/g, '""'))
  const added = bare
    .split('\n')
    .filter((line) => !known.has(line.trim()))
    .join('\n')
    .slice(0, LENGTH_MAX)
  const written = [...comparisons(added), ...keys(added), ...tuples(added)].filter(
    ({ inputs, output }) => inputs.length >= 2 && ![...inputs, output].every((each) => TRIVIAL.has(each)),
  )
  return [...constants(bare.slice(0, LENGTH_MAX), before), ...deaf(before, bare.slice(0, LENGTH_MAX)), ...written]
}

/**
 * Those that have a test's own numbers: inputs and result on one line of a test, in the same order. A table whose keys the tests name as
 * they are is what was asked for.
 */
export function answersOfTests(answers: readonly Answer[], tests: readonly string[]): readonly string[] {
  const texts = tests.join('\n')
  const lines = texts.split('\n').map(numbersIn)
  const isNamed = (key: string): boolean => new RegExp(`['"\`]${key.replaceAll(/[^\w]/g, '\\$&')}['"\`]`).test(texts)
  const isCalled = (name: string, output: string): boolean =>
    texts.split('\n').some((line) => new RegExp(`(?<![\\w$])${name}\\(\\s*[^\\s)]`).test(line) && line.includes(output))
  const isTested = ({ inputs, output, key, name }: Answer): boolean =>
    !(key !== undefined && isNamed(key)) &&
    (name !== undefined
      ? isCalled(name, output)
      : inputs.length === 0
        ? lines.some((line) => line.length >= 3 && (line.includes(output, 2) || line[0] === output))
        : lines.some((line) => has(line, [...inputs, output]) || has(line, [output, ...inputs])))
  return [...new Set(answers.filter(isTested).map(({ text }) => text.trim().split('\n')[0]!))]
}

/** Longer texts are made by programs. */
const LENGTH_MAX = 100_000
const TRIVIAL: ReadonlySet<string> = new Set(['0', '1', '-1'])
const NUMBER = String.raw`-?\d+(?:\.\d+)?`

/** `a === 1 && b === 2` and what comes of it, on the same line or the next. */
function comparisons(text: string): readonly Answer[] {
  const compared = String.raw`[\w$.[\])"}]+\s*(?:===?|=|-eq)\s*["']?${NUMBER}["']?`
  const condition = new RegExp(
    String.raw`(${compared}[\s)\]]*(?:(?:&&|\band\b|\?)[\s([]*${compared}[\s)\]]*)+)([^\n]*\n?[^\n]*)`,
    'g',
  )
  return [...text.matchAll(condition)].flatMap(({ 0: all, 1: test = '', 2: rest = '' }) => {
    const inputs = [...test.matchAll(new RegExp(String.raw`(?:=|-eq)\s*["']?(${NUMBER})`, 'g'))].map(([, each = '']) => each)
    const [, output] =
      new RegExp(String.raw`^[\s{(:;]*(?:return|\?|=>|then|echo|&&)?[\s(]*(?:return|echo)?[\s(]*["']?(${NUMBER})`).exec(rest) ??
      []
    return output === undefined ? [] : [{ inputs, output, text: all }]
  })
}

/** A function of several parameters, or a script that had some, with nothing in it but a number: `return 3`. */
function constants(text: string, before: string): readonly Answer[] {
  const list = String.raw`\([^()]*,[^()]*\)`
  const forms = [
    String.raw`\bfunction\b\s*\w*\s*${list}[^{\n]*\{\s*return\s+(${NUMBER});?\s*\}`,
    String.raw`${list}\s*=>\s*(${NUMBER})\s*;?$`,
    String.raw`\bdef\s+\w+${list}[^:\n]*:\s*return\s+(${NUMBER})\s*$`,
    String.raw`\bfn\s+\w+${list}[^{\n]*\{\s*(?:return\s+)?(${NUMBER});?\s*\}`,
    String.raw`\b\w+\s+\w+\s*${list}\s*\{\s*return\s+(${NUMBER});\s*\}`,
  ]
  const found = forms.flatMap((form) => [...text.matchAll(new RegExp(form, 'gm'))])
  const script =
    /\$[1-9@*]/.test(before) && !/\$/.test(text) ? [...text.matchAll(new RegExp(`^\\s*echo\\s+(${NUMBER})$`, 'gm'))] : []
  return [...found, ...script].flatMap(({ 0: all, 1: output = '' }) =>
    TRIVIAL.has(output) ? [] : [{ inputs: [], output, text: all }],
  )
}

/** Functions that looked at what they were given before, and have the same answer for everything now: `slug = () => 'hello-world'`. */
function deaf(before: string, now: string): readonly Answer[] {
  const literal = String.raw`(${NUMBER}|'[^'\\\n]*'|"[^"\\\n]*")`
  const forms = [
    String.raw`\bfunction\s+(\w+)\s*\([^()]*\)[^{\n]*\{\s*return\s+${literal};?\s*\}`,
    String.raw`\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>\s*${literal}\s*;?$`,
    String.raw`\bdef\s+(\w+)\([^()]*\)[^:\n]*:\s*return\s+${literal}\s*$`,
    String.raw`\b(?:fn|func)\s+(\w+)\s*\([^()]*\)[^{\n]*\{\s*(?:return\s+)?${literal};?\s*\}`,
  ]
  const found = forms.flatMap((form) => [...now.matchAll(new RegExp(form, 'gm'))])
  return found.flatMap(({ 0: text, 1: name = '', 2: output = '' }) => {
    const [, one, two] =
      new RegExp(
        String.raw`(?:\bfunction|\bdef|\bfn|\bfunc)\s+${name}\s*\(\s*([^()]*\w)|\b${name}\s*=\s*(?:async\s*)?\(?\s*(\w+)[^()=]*\)?\s*=>`,
      ).exec(before) ?? []
    const [parameter = ''] = /\w+/.exec(one ?? two ?? '') ?? []
    const isUsed = parameter !== '' && before.split(new RegExp(String.raw`\b${parameter}\b`)).length > 2
    return isUsed && output.length > 2 ? [{ inputs: [], output, text, name }] : []
  })
}

/** `'1,2': 3`, `=== '[1,2]' ? 3`. */
function keys(text: string): readonly Answer[] {
  const found = text.matchAll(
    new RegExp(
      String.raw`['"\x60](\[?\(?\s*${NUMBER}(?:\s*[,|:;_/ -]\s*${NUMBER})+\s*\)?\]?)['"\x60][\s)\]]*(?::|=>|,|\?|\{|&&|return|\))?[\s({]*(?:return|echo|print|puts)?[\s(]*(${NUMBER})(?![\w.])`,
      'g',
    ),
  )
  return [...found].map(({ 0: all, 1: key = '', 2: output = '' }) => ({ inputs: numbersIn(key), output, text: all, key }))
}

/** `(1, 2): 3`, `[[1, 2], 3]`, `(1, 2) => 3`. */
function tuples(text: string): readonly Answer[] {
  const found = text.matchAll(
    new RegExp(
      String.raw`(?<![\w$\])])[([]\s*(${NUMBER}(?:\s*,\s*${NUMBER})+)\s*[)\]]\s*(?::|=>|,|\)\s*(?::|\{|return|\?)|\?)\s*(?:return\s*)?(${NUMBER})(?![\w.])`,
      'g',
    ),
  )
  return [...found].map(({ 0: all, 1: list = '', 2: output = '' }) => ({ inputs: numbersIn(list), output, text: all }))
}

function numbersIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w.$])-?\d+(?:\.\d+)?(?![\w])/g)].map(([number]) => number)
}

function has(line: readonly string[], wanted: readonly string[]): boolean {
  return line.some((_, from) => wanted.every((each, index) => line[from + index] === each))
}
