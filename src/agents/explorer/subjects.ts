import { significantWords, termsOf } from '../../loops/research/terms.ts'
import type { Declaration } from '../../codebase/codebase.ts'
import { literalsIn } from './literal-findings.ts'
import type { Look } from './look.ts'

const SUBJECTS_MAX = 6
/** Names below this share of the best one's score are about something else. */
const SCORE_SHARE_MIN = 0.5
const DECLARATIONS_PER_TERM_MAX = 400
/** What a word of the question in the path is worth against one in the name. */
const PATH_SHARE = 0.6
/** What a name is worth more whose words stand together in the question. */
const PHRASE_WORTH = 2

/** What the code calls the things that a text is about: declared names, the nearest to its words first. */
export function subjectsOf({ index }: Look, text: string, terms: readonly string[]): readonly Declaration[] {
  const wanted = new Set([...termsOf(text), ...terms].flatMap((term) => significantWords(term)))
  const named = new Set(namesIn(text))
  const candidates = new Map<string, Declaration>()
  for (const name of named) for (const each of index.declarationsOf(name)) candidates.set(keyOf(each), each)
  for (const word of wanted) {
    for (const each of index.declarationsWith(word).slice(0, DECLARATIONS_PER_TERM_MAX)) candidates.set(keyOf(each), each)
  }
  const phrase = ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `
  const rarity = rarities(index, wanted)
  const forms = [...wanted].map((word) => [word, ...index.formsOf(word)])
  // Where a text is asked for as it is written, a name with only some of its words is something else.
  const literals = literalsIn(text).map((literal) => significantWords(literal))
  const isMeant = ({ name }: Declaration): boolean =>
    literals.length === 0 || literals.some((literal) => literal.every((word) => significantWords(name).includes(word)))
  const scored = [...candidates.values()].filter(isMeant).map((declaration) => {
    const words = significantWords(declaration.name)
    const matched = words.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0)
    const isNamed = named.has(declaration.name)
    // `parse` in a file of that name is about cookies too.
    const around = significantWords(declaration.file.replace(/\.\w+$/, '')).filter((word) => !words.includes(word))
    const placed = matched === 0 ? 0 : PATH_SHARE * around.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0)
    const covered = forms.filter((each) => each.some((form) => words.includes(form) || around.includes(form))).length
    // A thing that has to do with all of the question comes before one with a single word of it.
    const share = (matched / Math.max(words.length, 1) ** 0.5 + placed) * (covered / Math.max(wanted.size, 1)) ** 0.5
    // "The retry handler" is `RetryHandler`.
    const isPhrase = words.length > 1 && phrase.includes(` ${words.join(' ')} `)
    return {
      declaration,
      score:
        ((isNamed ? 100 : 0) + share * (isPhrase ? PHRASE_WORTH : 1)) *
        KIND_WEIGHTS[declaration.kind] *
        (index.isTest(declaration.file) ? 0.3 : 1),
    }
  })
  const best = scored.toSorted((one, other) => other.score - one.score || order(one.declaration, other.declaration))
  const least = (best[0]?.score ?? 0) * SCORE_SHARE_MIN
  return distinctNames(best.filter(({ score }) => score > 0 && score >= least).map(({ declaration }) => declaration)).slice(
    0,
    SUBJECTS_MAX,
  )
}

/** What stands in backticks, and words that only a programmer writes. */
export function namesIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`([^`\n]{2,100})`/g)]
    .map((match) => match[1] ?? '')
    .flatMap((each) => each.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])
  const written = (text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter((word) => /_|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word))
  return [...new Set([...quoted, ...written])]
}

const KIND_WEIGHTS: Readonly<Record<Declaration['kind'], number>> = {
  function: 1,
  class: 1,
  type: 0.8,
  method: 0.8,
  module: 0.7,
  constant: 0.6,
  variable: 0.5,
}

/** What each form of a wanted word is worth: a word that many names have says little. */
function rarities(index: Look['index'], words: ReadonlySet<string>): ReadonlyMap<string, number> {
  return new Map(
    [...words].flatMap((word) => {
      const worth = 1 / Math.log2(2 + index.declarationsWith(word).length)
      return [...index.formsOf(word).map((form): [string, number] => [form, worth * FORM_SHARE]), [word, worth] as const]
    }),
  )
}

/** Another form of a word counts a little less than the word itself. */
const FORM_SHARE = 0.9

function keyOf({ file, line, name }: Declaration): string {
  return `${file}:${line}:${name}`
}

function order(one: Declaration, other: Declaration): number {
  return keyOf(one) < keyOf(other) ? -1 : 1
}

function distinctNames(declarations: readonly Declaration[]): readonly Declaration[] {
  const seen = new Set<string>()
  return declarations.filter(({ name }) => !seen.has(name) && seen.add(name))
}
