/**
 * Whether the name of a variable says that its value is a secret: `OPENAI_API_KEY`, `PGPASSWORD`, `myToken`, `GITHUB_TOKEN_2`. What is only
 * said about one is none: `JWT_ISSUER`, `FIREBASE_AUTH_DOMAIN`, `MAX_TOKENS`.
 */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  return (ENDS_AS_SECRET.test(words) || HOLDS_SECRET.test(words)) && !NOT_THE_SECRET.test(words)
}

/**
 * Whether it speaks of a secret and then says which one: `API_KEY_OPENAI`, `TOKEN_GITHUB`, `STRIPE_KEY_EU`. What follows may as well be said about
 * it in a word that nobody thought of, so the value has to look like a secret too.
 */
export function isSecretNameOfOne(name: string): boolean {
  const words = wordsOf(name)
  return SAYS_WHICH.test(words) && !NOT_THE_SECRET.test(words)
}

/** Whether it says that the value is known to everybody or only said about a secret, as in `private_key_id`. */
export function isSaidAboutSecret(name: string): boolean {
  return NOT_THE_SECRET.test(wordsOf(name))
}

/** Whether it says that the value is a password: then a number, or what reads as a host, is one too. */
export function isPasswordName(name: string): boolean {
  const words = wordsOf(name)
  return PASSWORD.test(words) && !NOT_THE_SECRET.test(words)
}

/** In capitals with `_` between its words, without what tells several of a kind apart at its end. */
function wordsOf(name: string): string {
  return name
    .slice(-NAME_LENGTH_MAX)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(WHICH_ONE, '')
}

/** What is longer is no name of anything; fields of JSON may be called whatever they like. */
const NAME_LENGTH_MAX = 200

const WHICH_ONE =
  /(?:_V?\d|\d|_(?:PROD|PRODUCTION|DEV|DEVELOPMENT|TEST|STAGING|LIVE|SANDBOX|LOCAL|MAINNET|TESTNET|CI|OLD|NEW|PREVIOUS|CURRENT|DEFAULT|MAIN|PRIMARY|SECONDARY|BACKUP|VALUE|RAW|BASE64|B64|HEX|ENCODED|JSON|CONFIG))+$/

/** These mean the secret as the last word. */
const ENDS_AS_SECRET =
  /(?:^|_)(?:KEYS?|O?AUTH|AUTHORIZATION|PATS?|PASS|JWTS?|COOKIES?)$|_SK$|(?:TOKEN|CREDENTIALS?|CREDS|USERPWD)$|(?:^|_)(?:ACCESS|API|AUTH|BEARER|BOT|REFRESH|SECRET|SESSION)_?TOKENS$|(?:ACCESS|ACCOUNT|API|PRIVATE|SECRET)KEYS?$/

/** A key after one of these is there to find something by. */
const FINDS_SOMETHING = 'CACHE|DATE|FOREIGN|IDEMPOTENCY|MODEL|PARTITION|PRIMARY|PROJECT|SORT'

/** These may mean it also where more follows. Not `AUTH`, `JWT`, `COOKIE` and a `KEY` that comes first: whole groups of settings begin so. */
const SAYS_WHICH = new RegExp(
  [
    `(?<!(?:^|_)(?:${FINDS_SOMETHING}))_KEYS?_`,
    '(?:^|_)(?:PATS?|PASS)_',
    '(?:TOKEN|CREDENTIALS?|CREDS|USERPWD)_',
    '(?:^|_)(?:ACCESS|API|AUTH|BEARER|BOT|REFRESH|SECRET|SESSION)_?TOKENS_',
    '(?:ACCESS|ACCOUNT|API|PRIVATE|SECRET)KEYS?_',
  ].join('|'),
)

/** These mean it wherever they stand: `SECRET_KEY_BASE`. Not `PWD` by itself: that is the folder in which a shell stands. */
const HOLDS_SECRET = /(?:SECRETS?|PASSWORDS?|PASSWD|PASSPHRASES?|PRIVATE_?KEY)(?:_|$)|_PWD(?:_|$)/

const PASSWORD = /(?:PASSWORDS?|PASSWD|PASSPHRASES?)(?:_|$)|_PWD(?:_|$)|USERPWD$|(?:^|_)PASS$/

/** What is known to everybody, a key to find something by, or said about a secret: `SORT_KEY`, `AUTH_METHOD`, `PASSWORD_LENGTH`. */
const NOT_THE_SECRET = new RegExp(
  [
    '(?:^|_)(?:PUBLIC|PUBLISHABLE)(?:_|$)',
    `(?:^|_)(?:${FINDS_SOMETHING})_KEYS?$`,
    '(?:^|_)(?:METHOD|MODE|TYPE|KIND|PROVIDER|STRATEGY|POLICY|ALGORITHM|ALG|FORMAT|VERSION|ENABLED|DISABLED|REQUIRED)$',
    '(?:^|_)(?:SCHEME|SCHEMA|STYLE|PROTOCOL|CURVE|SPEC|USAGE|ENCODING|ENCODER|CHARSET|RULES|PATTERN|REGEX|TEMPLATE)$',
    '(?:^|_)(?:HOST|HOSTS|HOSTNAME|DOMAIN|DOMAINS|URL|URLS|URI|URIS|ENDPOINT|PORT|SERVER|ADDRESS|ADDR|SOCK|SOCKET|REGION|ZONE|CONTRACT)$',
    '(?:^|_)(?:ISSUER|AUDIENCE|REALM|USER|USERNAME|EMAIL|SCOPE|SCOPES|PREFIX|SUFFIX|SEPARATOR|HEADER|HEADERS|NAME|NAMES|PROFILE|ARN)$',
    '(?:^|_)(?:ALIAS|ALIASES|LABEL|TITLE|COMMENT|DESCRIPTION|HINT|FIELD|FIELDS|COLUMN|COLUMNS|PARAM|PARAMETER|REF|REFERENCE)$',
    '(?:^|_)(?:ENV|VAR|VARIABLE|SOURCE|BACKEND|HELPER|HELPERS|MANAGER|DRIVER|PLUGIN|CLASS|FACTORY|COMMAND|CMD|SCRIPT|PROGRAM|MODEL)$',
    '(?:^|_)(?:KEYRING|FINGERPRINT|FINGERPRINTS|THUMBPRINT|SERIALIZER|DESERIALIZER|CONVERTER|THROUGH)$|(?<!(?:API|ACCESS)_)KEY_(?:VAULT|RING|PAIR)$',
    '(?<!(?:ROLE|VAULT)_SECRET)(?:^|_)IDS?$',
    '(?:^|_)(?:FILE|FILES|FILENAME|PATH|PATHS|DIR|DIRECTORY|FOLDER|LOCATION|STORE)$',
    '(?:^|_)(?:SIZE|LENGTH|BITS|TTL|EXPIRY|EXPIRES|EXPIRATION|LIFETIME|DURATION|TIMEOUT|INTERVAL|DAYS|HOURS|MINUTES|SECONDS|LIMIT|MAX|MIN|COUNT)$',
    '(?:^|_)(?:AGE|BUDGET|LEEWAY|RATE|RETENTION|ROTATION|SKEW|STATUS|THRESHOLD|TOTAL|USED|WINDOW)$',
    '(?:^|_)(?:CREATED|EXPIRES?|ISSUED|REFRESHED|ROTATED|UPDATED|VALID)_(?:AFTER|AT|FOR|IN|ON|UNTIL)$',
  ].join('|'),
)
