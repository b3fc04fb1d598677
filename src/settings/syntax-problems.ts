import { visit, type Document, type ErrorCode, type YAMLError } from 'yaml'

/** Something the YAML itself has wrong, and where in the text. */
export interface SyntaxProblem {
  readonly offset: number
  readonly message: string
  /** Nothing can be said about the rest of the file. */
  readonly isFatal?: true
}

/** What is wrong with the YAML, before anybody asks what it says. After a slip in the syntax only the first is told: the rest follows from it. */
export function syntaxProblems(document: Document, text: string): readonly SyntaxProblem[] {
  const first = document.errors.find((error) => error.code !== 'DUPLICATE_KEY')
  if (first !== undefined) return [{ offset: offsetOfError(first, document), message: sentence(first), isFatal: true }]
  return [
    ...document.errors.map(({ pos: [offset] }) => ({ offset, message: twice(text.slice(offset)) })),
    ...document.warnings.map((warning) => ({ offset: warning.pos[0], message: sentence(warning), isFatal: true as const })),
    ...unknownAliases(document),
  ]
}

const SENTENCES: Partial<Readonly<Record<ErrorCode, string>>> = {
  TAB_AS_INDENT: 'a tab cannot indent in YAML: use spaces',
  MULTIPLE_DOCS: 'a second document begins here (---): a pawl.yaml is one',
  BLOCK_AS_IMPLICIT_KEY:
    'a key cannot stand here: begin a new line with the indentation of its neighbours, or put quotes around the text',
  BAD_SCALAR_START: 'a text cannot begin with this character: put quotes around it',
}

function sentence({ code, message }: YAMLError): string {
  const known = SENTENCES[code]
  if (known !== undefined) return known
  if (code === 'MISSING_CHAR' && message.includes('quote')) return 'the quote that begins here is never closed'
  return `this is not YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}

/** A missing quote is noticed at the end of the file; what people look for is where it began. */
function offsetOfError(error: YAMLError, document: Document): number {
  let offset = error.pos[0]
  if (error.code !== 'MISSING_CHAR') return offset
  visit(document, {
    Scalar: (_key, node) => {
      const isOpen = node.type?.startsWith('QUOTE') && node.range && node.range[0] < error.pos[0] && node.range[1] >= error.pos[0]
      if (isOpen && node.range) offset = node.range[0]
    },
  })
  return offset
}

function twice(rest: string): string {
  const key = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:,}]+)/.exec(rest)?.[0] ?? ''
  return `the key ${JSON.stringify(key.replaceAll(/^["']|["']$/g, ''))} stands here a second time: keep one of them`
}

function unknownAliases(document: Document): readonly SyntaxProblem[] {
  const problems: SyntaxProblem[] = []
  visit(document, {
    Alias: (_key, node) => {
      if (node.resolve(document) === undefined)
        problems.push({ offset: node.range?.[0] ?? 0, message: `nothing before it is called &${node.source}`, isFatal: true })
    },
  })
  return problems
}
