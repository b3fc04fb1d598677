import { significantWords } from '../../loops/research/terms.ts'
import type { CodeIndex } from '../../codebase/codebase.ts'
import { namesIn } from './subjects.ts'

/** One thing that a question speaks of: a name as it is written, or a word in all the forms that stand in the codebase. */
export interface ContentWord {
  readonly word: string
  readonly isName: boolean
  readonly isIn: (text: string) => boolean
}

/** What a question is about, word by word; words that only ask for a place or a use are left out. */
export function contentWords(index: CodeIndex, text: string): readonly ContentWord[] {
  const names = namesIn(text)
  const rest = names.reduce((shorter, name) => shorter.replaceAll(name, ' '), text)
  const words = significantWords(rest).filter((word) => !ASKING.has(word))
  return [
    ...names.map((name) => ({ word: name, isName: true, isIn: nameIn(name) })),
    ...words.map((word) => ({ word, isName: false, isIn: wordIn(index, word) })),
  ]
}

/** A declaration is the thing when the question has its name as it is written, or its name has all that the question is about. */
export function isNamed(content: readonly ContentWord[], name: string): boolean {
  return (
    content.length > 0 && (content.some((word) => word.isName && word.word === name) || content.every((word) => word.isIn(name)))
  )
}

/** They say what is wanted of the thing, not which thing it is. */
const ASKING: ReadonlySet<string> = new Set(
  (
    'import imports imported depend depends depending call calling configured stored specified placed ' +
    'performed occur occurs live come comes take takes place reason reasons currently actually exactly'
  ).split(' '),
)

/** A name stands in other spellings too: `node_modules` in `removeNodeModules`. */
function nameIn(name: string): (text: string) => boolean {
  const wanted = collapsed(name)
  return (text) => collapsed(text).includes(wanted)
}

function wordIn(index: CodeIndex, word: string): (text: string) => boolean {
  const forms = new Set([word, ...index.formsOf(word)])
  return (text) => significantWords(text).some((each) => forms.has(each))
}

function collapsed(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
