/** Whether a value only holds the place of one: `$NAME`, `<your key>`, `***`, a type, or a mark that stands for a secret. What is long and random holds no place. */
export function isPlaceholder(value: string): boolean {
  if (STANDS_FOR_ONE.test(value) || '[redacted: '.startsWith(value.replace(/…$/, ''))) return true
  return MAY_STAND_FOR_ONE.test(value) && !isRandom(value)
}

const STANDS_FOR_ONE = /^\$?\{|\$\{|\{\{|^\*+$|^x+$|^\.+$|^\[redacted/i
const MAY_STAND_FOR_ONE =
  /^[$<%]|^(?:string|str|bool|boolean|number|true|false|null|none|nil|undefined|unknown|any|required|optional|never)(?![\w-])/i

/** Whether a value is a name in code, with dots, or a call. A password may be written so, too; then it is long and random. */
export function isCode(value: string): boolean {
  return /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*(?:[([].*)?$/.test(value) && /[.([]/.test(value) && !isRandom(value)
}

/**
 * Whether nobody made a value up to be read: with digits, and words, numbers and capitals in it that are no longer than two characters and a
 * half. Names in code have words of more.
 */
function isRandom(value: string): boolean {
  if (value.length < 12 || !mixesLettersAndDigits(value) || /[()[\]{}]|->|::/.test(value)) return false
  const held = value.match(/[A-Za-z0-9]/g)?.length ?? 0
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g)?.length ?? 0
  return held >= 10 && held <= words * 2.5
}

/** Whether a value holds letters as well as digits: words have none, and counts and dates hardly any letters. */
export function mixesLettersAndDigits(value: string): boolean {
  return /[A-Za-z]/.test(value) && /[0-9]/.test(value)
}

/** Whether a value repeats the name it is given to. */
export function sameWord(value: string, name: string): boolean {
  return value.toLowerCase() === name.toLowerCase().replace(/^[_-]+/, '')
}
