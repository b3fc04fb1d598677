/** What the tokenizer and the mutations need to know of a language; anything finer is left to the check. */
export interface Language {
  readonly family: 'script' | 'indented' | 'braces'
  /** `#` begins a comment, and `//` is an operator. */
  readonly hashComments: boolean
  /** Backticks hold `${…}`, and a slash may begin a regular expression. */
  readonly templates: boolean
  /** `<` and `>` may be brackets around types, so they count as comparisons only with a space on either side. */
  readonly typeBrackets: boolean
}

/** The language of a file by its extension; `undefined` where it is not source text that tinker may read. */
export function languageOf(path: string): Language | undefined {
  return LANGUAGES.get(path.slice(path.lastIndexOf('.') + 1))
}

const SCRIPT: Language = { family: 'script', hashComments: false, templates: true, typeBrackets: false }
const TYPED_SCRIPT: Language = { ...SCRIPT, typeBrackets: true }
const INDENTED: Language = { family: 'indented', hashComments: true, templates: false, typeBrackets: false }
const BRACES: Language = { family: 'braces', hashComments: false, templates: false, typeBrackets: false }
const TYPED_BRACES: Language = { ...BRACES, typeBrackets: true }

const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  Object.entries({
    js: SCRIPT,
    mjs: SCRIPT,
    cjs: SCRIPT,
    jsx: TYPED_SCRIPT,
    ts: TYPED_SCRIPT,
    mts: TYPED_SCRIPT,
    cts: TYPED_SCRIPT,
    tsx: TYPED_SCRIPT,
    py: INDENTED,
    go: BRACES,
    c: BRACES,
    h: BRACES,
    cc: TYPED_BRACES,
    cpp: TYPED_BRACES,
    hpp: TYPED_BRACES,
    cs: TYPED_BRACES,
    java: TYPED_BRACES,
    kt: TYPED_BRACES,
    rs: TYPED_BRACES,
    php: BRACES,
    swift: TYPED_BRACES,
  }),
)
