/** A made-up secret as it would appear in a text, and the part that must never be kept. */
export interface PlantedSecret {
  readonly name: string
  readonly text: string
  readonly secret: string
}

/**
 * One of every kind that a journal must not keep. They are assembled at run time so that no scanner mistakes this file for a
 * leak. None of them is real.
 */
export function plantedSecrets(): readonly PlantedSecret[] {
  const plain = [
    secretOf('AWS access key', ['AKIA', letters(16).toUpperCase()]),
    secretOf('GitHub token', ['ghp', '_', letters(36)]),
    secretOf('fine-grained GitHub token', ['github', '_pat_', letters(82)]),
    secretOf('npm token', ['npm', '_', letters(36)]),
    secretOf('Slack token', ['xoxb', '-', '123456789012', '-', letters(24)]),
    secretOf('OpenAI key', ['sk', '-proj-', letters(74), 'T3Blbk', 'FJ', letters(74)]),
    secretOf('OpenAI key of another length', ['sk', '-', letters(48)]),
    secretOf('Anthropic key', ['sk', '-ant-', 'api03-', letters(93), 'AA']),
    secretOf('Google API key', ['AIza', letters(35)]),
    secretOf('Stripe key', ['sk', '_live_', letters(24)]),
    secretOf('GitLab token', ['glpat', '-', letters(20)]),
    secretOf('JWT', ['eyJ', letters(20), '.', 'eyJ', letters(40), '.', letters(43)]),
    secretOf('Databricks token', ['dapi', '0123456789abcdef'.repeat(2)]),
    secretOf('OpenRouter key', ['sk', '-or-v1-', '0123456789abcdef'.repeat(4)]),
    secretOf('Hugging Face token of lower case', ['hf', '_', 'abcdefghijklmnopqrstuvwxyzabcdefgh']),
    secretOf('xAI key', ['xai', '-', letters(80)]),
    secretOf('Perplexity key', ['pplx', '-', letters(48)]),
    secretOf('Cerebras key', ['csk', '-', letters(48)]),
    secretOf('Replicate token', ['r8', '_', letters(37)]),
    secretOf('PyPI token', ['pypi', '-AgEIcHlwaS5vcmc', letters(60)]),
    secretOf('DigitalOcean token', ['dop', '_v1_', '0123456789abcdef'.repeat(4)]),
    secretOf('Supabase token', ['sbp', '_', '0123456789abcdef'.repeat(2), '01234567']),
    secretOf('Twilio key', ['SK', '0123456789abcdef'.repeat(2)]),
    secretOf('Telegram token', ['1234567890', ':AA', letters(33)]),
    secretOf('Hugging Face token', ['hf', '_', 'abcdefghijKLMNOPQRSTuvwxyzABCDEFGH']),
  ]
  return [...plain, ...secretsInContext(), privateKey()]
}

function secretsInContext(): readonly PlantedSecret[] {
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

function secretOf(name: string, parts: readonly string[]): PlantedSecret {
  const secret = parts.join('')
  return { name, text: secret, secret }
}

function privateKey(): PlantedSecret {
  const body = Array.from({ length: 6 }, () => letters(64))
  const [begin, end] = ['BEGIN', 'END'].map((word) => ['-----', word, ' RSA PRIVATE', ' KEY-----'].join(''))
  return { name: 'private key', text: [begin, ...body, 'aB3=', end].join('\n'), secret: body[3] as string }
}

/** Looks random but is always the same, with upper case, lower case and digits. */
function letters(length: number): string {
  const alphabet = 'q7RwT2ySx9ZbK4mNc8VdJ1fHg5LpA3eUo6Yi'
  let text = ''
  for (let index = 0; index < length; index++) text += alphabet[(index * 7 + length) % alphabet.length]
  return text
}
