/** One thing that is wrong in a document, and where: at the value under `path`, or at its key. */
export interface DocumentProblem {
  readonly path: readonly string[]
  readonly at?: 'key'
  /** A part of a sentence, without the place. */
  readonly message: string
  /** A word that was written, and those that may stand in its place. */
  readonly wrong?: { readonly word: string; readonly names: readonly string[] }
}

/** Everything that is wrong with a document of the shape `CheckDocument`; nothing when it is right. */
export function documentProblems(document: unknown): readonly DocumentProblem[] {
  if (isMap(document)) return mapProblems([], document, DOCUMENT)
  return [{ path: [], message: `a document must be a map with "iteration_check", not ${shown(document)}` }]
}

interface Rule {
  /** The phrase for what may stand here: "true or false". */
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
  readonly isNeeded?: true
  /** Whether nothing at all may stand after the key. */
  readonly isEmptyAllowed?: true
  /** The words that may stand here. */
  readonly words?: readonly string[]
  /** The keys of a map. */
  readonly keys?: Rules
}

type Rules = Readonly<Record<string, Rule>>

const FLAG: Rule = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' }
const TEXT: Rule = { expected: 'a text', accepts: (value) => typeof value === 'string', isEmptyAllowed: true }
const COUNT: Rule = {
  expected: 'a whole number of at least 1',
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
}

const DOCUMENT: Rules = {
  iteration_check: {
    ...map('a map with task_id, current_iteration and test_result', {
      task_id: {
        expected: 'a text that names the task',
        accepts: (value) => typeof value === 'string' && value.trim() !== '',
        isNeeded: true,
      },
      current_iteration: { ...COUNT, expected: 'the number of iterations completed, a whole number from 1', isNeeded: true },
      max_iterations: COUNT,
      test_result: {
        ...map('a map such as { status: pass }', { status: words('pass', 'fail', 'error'), output: TEXT }),
        isNeeded: true,
      },
      review_result: map('a map such as { status: approve }', {
        status: words('approve', 'reject', 'pending'),
        feedback: TEXT,
      }),
      diff: TEXT,
    }),
    isNeeded: true,
  },
  iteration_control: map('a map of settings such as { max_iterations: 3 }', {
    max_iterations: COUNT,
    auto_retry_on_test_fail: FLAG,
    auto_retry_on_review_reject: FLAG,
    escalation_includes_diff: FLAG,
    feedback_max_length: COUNT,
  }),
}

function map(expected: string, keys: Rules): Rule {
  return { expected, accepts: isMap, keys }
}

function words(...names: readonly string[]): Rule {
  const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return { expected, accepts: (value) => names.some((name) => name === value), isNeeded: true, words: names }
}

function mapProblems(
  path: readonly string[],
  value: Readonly<Record<string, unknown>>,
  rules: Rules,
): readonly DocumentProblem[] {
  const names = Object.keys(rules)
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(rules, key))
  return [
    ...unknown.map((key) => {
      const wrong = { word: key, names }
      return { path: [...path, key], at: 'key' as const, message: `unknown field ${JSON.stringify(key)}`, wrong }
    }),
    ...names.flatMap((key) => {
      const rule = rules[key]
      return rule ? valueProblems([...path, key], Object.hasOwn(value, key) ? value[key] : undefined, rule) : []
    }),
  ]
}

function valueProblems(path: readonly string[], value: unknown, rule: Rule): readonly DocumentProblem[] {
  const name = JSON.stringify(path.at(-1))
  if (value === undefined) {
    return rule.isNeeded ? [{ path: path.slice(0, -1), message: `${name} is missing: it must be ${rule.expected}` }] : []
  }
  if (value === null && rule.isEmptyAllowed) return []
  if (rule.accepts(value)) return rule.keys ? mapProblems(path, value as Readonly<Record<string, unknown>>, rule.keys) : []
  const wrong = rule.words && typeof value === 'string' ? { wrong: { word: value, names: rule.words } } : {}
  return [{ path, message: `${name} must be ${rule.expected}, not ${shown(value)}`, ...wrong }]
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What stands there, in words for people. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${JSON.stringify(value.slice(0, 60))}`
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a map' : String(value)
}
