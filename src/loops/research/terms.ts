/** The words of a text that carry meaning, in small letters, each once, in order: names are also taken apart (`loginUser`). */
export function significantWords(text: string): readonly string[] {
  const words = new Set<string>()
  // Names are taken apart where a capital follows a small letter, and before the last of several (`JSONDecoder`, but not `APIs`).
  const apart = text.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/gu, ' ').toLowerCase()
  for (const word of apart.split(/[^\p{L}\p{N}]+/u)) {
    if (word.length >= WORD_LENGTH_MIN && !STOP_WORDS.has(word)) words.add(word)
  }
  return [...words]
}

/** What to look for in a codebase: the names in a question as they are written, then its significant words. */
export function termsOf(question: string): readonly string[] {
  const names = [...question.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*(?:[._-][\p{L}\p{N}_$]+)*/gu)]
    .map((match) => match[0])
    .filter((name) => /[_$.]|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2}|^\p{Lu}[^-]*(?:-\p{Lu}[^-]*)+$/u.test(name))
  return [...new Set([...names, ...askedNames(question), ...significantWords(question)])].slice(0, TERMS_MAX)
}

/** A word in the place of a name is one, also if it is a common word: "Where is add declared?", "Where is the function set?". */
export function askedNames(question: string): readonly string[] {
  const before =
    /(?:\b(?:is|of|function|method|class)\s+)([\p{L}_$][\p{L}\p{N}_$]*)(?=\s+(?:declared|defined|implemented|located)\b)/giu
  const last = /\b(?:function|method|class)\s+([\p{L}_$][\p{L}\p{N}_$]*)(?=\s*[?.]?\s*$)/giu
  return [...question.matchAll(before), ...question.matchAll(last)]
    .map((match) => match[1] ?? '')
    .filter((name) => !NOUNS.has(name))
}

const NOUNS: ReadonlySet<string> = new Set(['it', 'this', 'that', 'code', 'function', 'class', 'module', 'file'])

const WORD_LENGTH_MIN = 3
const TERMS_MAX = 40

/** Words of every question and every finding: they say nothing about what it is about. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'the and for are was were has have had that this with from into onto its it’s they them their there then than when where which who whom ' +
    'why how what does did doing done can could should would may might must shall will possible all any each every some other others another ' +
    'about across after again also because been before being between both but during few more most not only own same such very over under ' +
    'out off our your you his her she him one two use used uses using handle handles handled handling work works working find found finding ' +
    'file files code codebase repository function functions class classes module modules please tell explain describe analyze analyse show ' +
    'set sets new add adds added adding like whether decide decides without way ways ' +
    'declare declared declares declaration declarations define defines definition exist exists called calls lives kept need needs ' +
    'app application project entire whole system implemented implementation defined located happen happens is it to of in on at by an as or if be do so we'
  ).split(' '),
)

/** Whether a keyword, or a word that begins with it, is in the text; case and punctuation do not matter. */
export function wordIn(text: string, keyword: string): boolean {
  return ` ${plain(text)} `.includes(` ${plain(keyword)}`)
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
