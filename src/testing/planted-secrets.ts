/** A made-up secret as it would stand in a text, and the part of it that must never be seen again. */
export interface PlantedSecret {
  readonly name: string
  readonly text: string
  readonly secret: string
}

/**
 * One of every kind that a journal must not keep. They are put together when called, so that no scanner takes this file for a
 * leak; none of them opens anything.
 */
export function plantedSecrets(): readonly PlantedSecret[] {
  const plain = [
    planted('AWS access key', ['AKIA', letters(16).toUpperCase()]),
    planted('GitHub token', ['ghp', '_', letters(36)]),
    planted('fine-grained GitHub token', ['github', '_pat_', letters(82)]),
    planted('npm token', ['npm', '_', letters(36)]),
    planted('Slack token', ['xoxb', '-', '123456789012', '-', letters(24)]),
    planted('OpenAI key', ['sk', '-proj-', letters(74), 'T3Blbk', 'FJ', letters(74)]),
    planted('OpenAI key of another length', ['sk', '-', letters(48)]),
    planted('Anthropic key', ['sk', '-ant-', 'api03-', letters(93), 'AA']),
    planted('Google API key', ['AIza', letters(35)]),
    planted('Stripe key', ['sk', '_live_', letters(24)]),
    planted('GitLab token', ['glpat', '-', letters(20)]),
    planted('JWT', ['eyJ', letters(20), '.', 'eyJ', letters(40), '.', letters(43)]),
    planted('Databricks token', ['dapi', '0123456789abcdef'.repeat(2)]),
    planted('OpenRouter key', ['sk', '-or-v1-', '0123456789abcdef'.repeat(4)]),
    planted('Hugging Face token of lower case', ['hf', '_', 'abcdefghijklmnopqrstuvwxyzabcdefgh']),
    planted('xAI key', ['xai', '-', letters(80)]),
    planted('Perplexity key', ['pplx', '-', letters(48)]),
    planted('Cerebras key', ['csk', '-', letters(48)]),
    planted('Replicate token', ['r8', '_', letters(37)]),
    planted('PyPI token', ['pypi', '-AgEIcHlwaS5vcmc', letters(60)]),
    planted('DigitalOcean token', ['dop', '_v1_', '0123456789abcdef'.repeat(4)]),
    planted('Supabase token', ['sbp', '_', '0123456789abcdef'.repeat(2), '01234567']),
    planted('Twilio key', ['SK', '0123456789abcdef'.repeat(2)]),
    planted('Telegram token', ['1234567890', ':AA', letters(33)]),
    planted('Hugging Face token', ['hf', '_', 'abcdefghijKLMNOPQRSTuvwxyzABCDEFGH']),
  ]
  return [...plain, ...givenToNames(), privateKey()]
}

/** Keys that no rule would know: they are secret only because they are handed on as such. Another `mark` makes others of them. */
export function oddKeys(mark = 'odd'): readonly PlantedSecret[] {
  return [
    planted('odd key', ['hunter2', `-my-${mark}-key`]),
    planted('odd key of words', ['open sesame', ` to the ${mark} cave`]),
    planted('odd key with quotation marks', [`say "${mark}`, '" \\ <and/or> more']),
  ]
}

/** A text in which a cut after `length` characters goes through the middle of the secret. */
export function straddling({ text, secret }: PlantedSecret, length: number): string {
  const before = length - text.indexOf(secret) - Math.ceil(secret.length / 2)
  return before < 1 ? text : `${'so it goes on '.repeat(Math.ceil(before / 14)).slice(0, before - 1)} ${text}`
}

/** The same from the end: only the last `length` characters are kept. */
export function straddlingEnd({ text, secret }: PlantedSecret, length: number): string {
  const after = length - (text.length - text.indexOf(secret) - Math.floor(secret.length / 2))
  return after < 1 ? text : `${text} ${'so it goes on '.repeat(Math.ceil(after / 14)).slice(0, after - 1)}`
}

/** The names of the secrets of which half or more stands in a text, from their beginning or to their end. */
export function leakedIn(text: string, secrets: readonly PlantedSecret[]): readonly string[] {
  return secrets.filter(({ secret }) => halves(secret).some((half) => text.includes(half))).map(({ name }) => name)
}

function halves(secret: string): readonly string[] {
  const length = Math.floor(secret.length / 2)
  return [secret.slice(0, length), secret.slice(-length)]
}

function givenToNames(): readonly PlantedSecret[] {
  const awsSecret = `${letters(18)}/${letters(12)}+${letters(8)}`
  const password = ['correct', 'horse', '7'].join('-')
  return [
    { name: 'AWS secret key', text: ['aws_secret', '_access_key = ', awsSecret].join(''), secret: awsSecret },
    { name: 'URL of a database', text: ['postgres', '://app:', password, '@db.internal:5432/app'].join(''), secret: password },
    { name: 'URL of a cache', text: ['redis', '://:', password, '@cache:6379'].join(''), secret: password },
    { name: 'password in the environment', text: ['FOO', '_PASSWORD=', password].join(''), secret: password },
    { name: 'password in JSON', text: ['{"user":"app","pass', `word":"${password}"}`].join(''), secret: password },
    { name: 'password in code', text: ['const dbPass', `word: string = '${password}'`].join(''), secret: password },
    { name: 'password in YAML', text: ['  pass', `word: ${password}`].join(''), secret: password },
    { name: 'password in a compose file', text: ['  POSTGRES_PASS', `WORD: ${password}`].join(''), secret: password },
    { name: 'token as a flag', text: ['deploy --to', `ken ${letters(24)} --now`].join(''), secret: letters(24) },
    { name: 'API key in a URL', text: ['GET /v1?api', `_key=${letters(32)}&page=2`].join(''), secret: letters(32) },
    { name: 'bearer token', text: ['Authorization: Bea', `rer ${letters(40)}`].join(''), secret: letters(40) },
  ]
}

function planted(name: string, parts: readonly string[]): PlantedSecret {
  const secret = parts.join('')
  return { name, text: secret, secret }
}

function privateKey(): PlantedSecret {
  const body = Array.from({ length: 6 }, () => letters(64))
  const [begin, end] = ['BEGIN', 'END'].map((word) => ['-----', word, ' RSA PRIVATE', ' KEY-----'].join(''))
  return { name: 'private key', text: [begin, ...body, 'aB3=', end].join('\n'), secret: body[3] as string }
}

/** Looks random, is always the same, mixes capitals, small letters and digits. */
function letters(length: number): string {
  const alphabet = 'q7RwT2ySx9ZbK4mNc8VdJ1fHg5LpA3eUo6Yi'
  let text = ''
  for (let index = 0; index < length; index++) text += alphabet[(index * 7 + length) % alphabet.length]
  return text
}
