import type { SecretSpan } from './secret-span.ts'

/**
 * Finds passwords in addresses (`://USER:PASSWORD@HOST`), with the user where that looks like a token. The user may be an address of mail. Where
 * a later `@` may belong to the password as well, nobody can tell where it ends.
 */
export function findUrlPasswords(text: string): SecretSpan[] {
  const spans = passwordsWithSlash(text)
  for (const { 0: whole, 1: user = '', 2: password = '', index } of text.matchAll(USER_AND_PASSWORD)) {
    if (PLACEHOLDER.test(password)) continue
    if (password.includes("'") && IN_QUOTES.test(text.slice(Math.max(0, index - SCHEME_LENGTH_MAX), index))) continue
    const at = index + whole.length - 1
    const [host = ''] = REST_OF_HOST.exec(text.slice(at + 1, at + 1 + LENGTH_MAX)) ?? []
    const [path = ''] = REST_OF_WORD.exec(text.slice(at + 1 + host.length, at + 1 + host.length + LENGTH_MAX)) ?? []
    const end = host.includes('@') ? at + 1 + host.lastIndexOf('@') : at
    const start = at - password.length - (isTokenLike(user, password) ? user.length + 1 : 0)
    spans.push({ start, end, kind: 'url-password', ...(/[^/]@/.test(path) ? {} : { isExact: true }) })
  }
  return spans
}

const LENGTH_MAX = 400
const USER_AND_PASSWORD = /:\/\/([^\s/:"'<>]{0,200}):([^\s/@"<>]{1,4000})@(?!sha\d)/g

/**
 * A slash in a password should be encoded, and often is not. What stands before it is then no port, and no word of a path without digits: an
 * address like `http://host:port/@scope` has no password.
 */
function passwordsWithSlash(text: string): SecretSpan[] {
  return Array.from(text.matchAll(WITH_SLASH))
    .filter(({ 1: password = '' }) => /[A-Za-z]/.test(password) && /[0-9]/.test(password) && !PLACEHOLDER.test(password))
    .map(({ 0: whole, 1: password = '', index }) => {
      const end = index + whole.length
      return { start: end - password.length, end, kind: 'url-password' }
    })
}

const WITH_SLASH =
  /:\/\/(?!\[)[^\s/:@"'<>]{0,200}:(?![0-9]{1,5}\/)([^\s/@"'<>]{1,200}\/[^\s@"'<>]{0,200})(?=@(?!sha\d)[A-Za-z0-9])/g

/** Where the address itself is in such quotation marks, they end it. */
const IN_QUOTES = /'[\w+.-]*$/
const SCHEME_LENGTH_MAX = 40
const REST_OF_HOST = /^[^\s/?#"'<>\\]*/
const REST_OF_WORD = /^[^\s"'<>\\]*/
const PLACEHOLDER = /^\$|^%[a-z_]\w*%$|[{[]|^\*+$|^x+$/i

/** GitHub takes a token as the user, with a password that says nothing. */
function isTokenLike(user: string, password: string): boolean {
  return password === 'x-oauth-basic' || (user.length >= 16 && /[0-9]/.test(user) && /[a-z]/i.test(user))
}
