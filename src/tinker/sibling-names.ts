/** Library functions that are confused with each other. */
const GROUPS: readonly (readonly string[])[] = [
  ['floor', 'ceil', 'round', 'trunc'],
  ['min', 'max'],
  ['Min', 'Max'],
  ['push', 'unshift'],
  ['pop', 'shift'],
  ['some', 'every'],
  ['any', 'all'],
  ['find', 'findLast', 'filter'],
  ['findIndex', 'findLastIndex'],
  ['indexOf', 'lastIndexOf'],
  ['startsWith', 'endsWith', 'includes'],
  ['startswith', 'endswith'],
  ['HasPrefix', 'HasSuffix'],
  ['toUpperCase', 'toLowerCase'],
  ['upper', 'lower'],
  ['ToUpper', 'ToLower'],
  ['padStart', 'padEnd'],
  ['ljust', 'rjust'],
  ['trim', 'trimStart', 'trimEnd'],
  ['strip', 'lstrip', 'rstrip'],
  ['replace', 'replaceAll'],
  ['map', 'flatMap'],
  ['append', 'extend'],
  ['keys', 'values', 'entries'],
  ['all', 'allSettled', 'race', 'any'],
  ['getDate', 'getDay', 'getUTCDate', 'getUTCDay'],
  ['getHours', 'getUTCHours'],
  ['getMonth', 'getUTCMonth'],
  ['getFullYear', 'getUTCFullYear'],
  ['setDate', 'setUTCDate'],
  ['setHours', 'setUTCHours'],
  ['sin', 'cos'],
  ['parseInt', 'parseFloat', 'Number'],
]

/** The other members of the groups that a library function belongs to. */
export function siblingsOf(name: string): readonly string[] {
  return GROUPS.filter((group) => group.includes(name)).flatMap((group) => group.filter((other) => other !== name))
}
