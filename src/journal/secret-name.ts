/** Whether the name of a variable says that its value is a secret: `OPENAI_API_KEY`, `PGPASSWORD`, `myToken`; `MAX_TOKENS` does not. */
export function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()
  return SECRET_NAME.test(words) && !NOT_THE_SECRET.test(words)
}

/**
 * Whether a value can be a secret at all. Short ones, plain words (`disabled`), files and addresses without a password are what such
 * variables hold instead of one, and taking them out would leave holes in every text.
 */
export function isSecretValue(value: string): boolean {
  if (value.length < SECRET_LENGTH_MIN || PLAIN_WORD.test(value)) return false
  return !(PATH.test(value) || ADDRESS.test(value)) || LONG_RUN.test(value)
}

const SECRET_LENGTH_MIN = 8

/** Not `PWD` by itself: that is the folder in which a shell stands. */
const SECRET_NAME =
  /(?:^|_)(?:KEYS?|AUTH|OAUTH|AUTHORIZATION|PAT|PASS|JWT|COOKIE)(?:_|$)|_PWD(?:_|$)|(?:TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?:API|ACCESS|PRIVATE)KEY)(?:_|$)/

/** What is known to everybody, a key to find something by, or said about a secret: `SORT_KEY`, `AUTH_METHOD`, `TOKEN_LIMIT`. */
const NOT_THE_SECRET =
  /(?:^|_)PUBLIC(?:_|$)|(?:^|_)(?:CACHE|DATE|FOREIGN|MODEL|PARTITION|PRIMARY|PROJECT|SORT)_KEYS?$|_(?:METHOD|MODE|TYPE|PROVIDER|NAME|FILE|PATH|DIR|SOCK|LIMIT|MAX|TIMEOUT|COUNT)$/

const PLAIN_WORD = /^[A-Za-z]?[a-z]{0,19}$|^[A-Z]{1,20}$/
const PATH = /^(?:~|\.{1,2})?\/[^+=\s]*$|^[A-Za-z]:\\/
const ADDRESS = /^[a-z][\w+.-]*:\/\/[^\s@]*$/i

/** Hardly a folder has such a name; a secret may begin as a path does. */
const LONG_RUN = /(?=[A-Za-z0-9+]*[a-z])(?=[A-Za-z0-9+]*[A-Z])(?=[A-Za-z0-9+]*[0-9])[A-Za-z0-9+]{20,}/
