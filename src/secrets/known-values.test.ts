import { describe, expect, test } from 'vitest'
import { leakedIn, oddKeys, straddling, straddlingEnd } from '../../test/support/planted-secrets.ts'
import { keepSecret, keepSecretsOf, keepVisible, withoutCutSecret } from './known-values.ts'
import { redactedEnd, redactedLine, redactedStart, redactJson, redactSaid, redactText } from './filter.ts'
import { hasSecretHint } from './hint.ts'
import { isOpenValue, isSecretName, isSecretValue } from './variables.ts'

// Nobody else in this process has made these known.
describe.each(oddKeys('strange'))('$name', (planted) => {
  const { secret } = planted

  test('SECRET-25 is nothing special until it is known, and taken out alone from then on, in words and in JSON however deep', async () => {
    const said = `I use ${secret} now`
    expect(await redactText(said)).toBe(said)
    keepSecret(secret, 'ODD')
    expect(await redactText(said)).toBe('I use [redacted: ODD] now')
    expect(await redactText(await redactText(said))).toBe('I use [redacted: ODD] now')
    for (let depth = 0, text = said; depth < 3; depth++) {
      text = JSON.stringify({ text })
      expect(hasSecretHint(text)).toBe(true)
      expect(leakedIn(await redactText(text), [planted])).toEqual([])
    }
    expect(await redactJson({ deep: [{ said }], [secret]: 1 })).toEqual({
      deep: [{ said: 'I use [redacted: ODD] now' }],
      '[redacted: ODD]': 1,
    })
    expect(JSON.parse(await redactSaid(`Done.\n${JSON.stringify({ said, ok: true })}`).then((text) => text.slice(5)))).toEqual({
      said: 'I use [redacted: ODD] now',
      ok: true,
    })
    const address = `http://localhost/?key=${encodeURIComponent(secret)}&more=1`
    expect(await redactText(address)).not.toContain(encodeURIComponent(secret))
  })

  test('SECRET-25 no cut on the way into a fact leaves a part of it', async () => {
    keepSecret(secret, 'ODD')
    const kept = [
      await redactedStart(straddling(planted, 500), 500),
      await redactedEnd(straddlingEnd(planted, 500), 500),
      await redactedLine(straddling(planted, 200), 200),
    ]
    expect(kept.map((text) => leakedIn(text, [planted]))).toEqual([[], [], []])
  })

  test('SECRET-28 of a line for the eye the part of it that a cut left at the end or the beginning is taken away', () => {
    keepSecret(secret, 'ODD')
    for (let length = 8; length < secret.length; length++) {
      expect(withoutCutSecret(`I use ${secret.slice(0, length)}…`)).toBe('I use …')
      expect(withoutCutSecret(`I use ${secret.slice(0, length)}`)).toBe('I use …')
      expect(withoutCutSecret(`${secret.slice(-length)} is used`)).toBe('… is used')
      expect(withoutCutSecret(`${secret.slice(-length)} is used so…`)).toBe('… is used so…')
    }
    expect(withoutCutSecret('I use nothing…')).toBe('I use nothing…')
  })
})

test('SECRET-38 words that a secret begins or ends with stay in a line for the eye; of a short secret half is too much', () => {
  keepSecretsOf({ TEST_PASSWORD: 'testing-gatehouse-9q', SHORT_PASSWORD: 'kurz-9-x' })
  for (const line of ['npm run test', 'npm run testing…', '9q is fine', 'ouse-9q is fine', 'kur', '-x is it'])
    expect(withoutCutSecret(line)).toBe(line)
  expect(withoutCutSecret('it is testing-g')).toBe('it is …')
  expect(withoutCutSecret('house-9q is fine')).toBe('… is fine')
  expect(withoutCutSecret('it is kurz')).toBe('it is …')
  expect(withoutCutSecret('-9-x is it')).toBe('… is it')
})

test('SECRET-35 what is part of the name of a run is no secret, whether it was known before that name or not', async () => {
  keepSecretsOf({ FIRST_KEY: 'my-company-1', OTHER_KEY: 'not-in-it-1' })
  expect(await redactText('see my-company-1')).toBe('see [redacted: FIRST_KEY]')
  keepVisible('fix-my-company-1-and-2')
  keepSecretsOf({ SECOND_KEY: 'company-1-and-2' })
  const text = 'refs/pawl/fix-my-company-1-and-2/start'
  expect(await redactText(text)).toBe(text)
  expect(await redactText('see not-in-it-1')).toBe('see [redacted: OTHER_KEY]')
})

test('SECRET-48 the forms of secrets are made when a text is looked at and not by a name that becomes visible', async () => {
  const variables = Object.entries(Array.from({ length: 1000 }, (_, index) => `many & <of> them, ${index} of all`)).map(
    ([number, value]) => [`MANY_${number}_KEY`, value] as const,
  )
  keepSecretsOf({ ...Object.fromEntries(variables), SEEN_KEY: 'seen-from-now-on-1' })
  // The quickest of several: another process may take the processor away for a moment.
  const naming = [1, 2, 3, 4, 5].map((number) => {
    const start = performance.now()
    keepVisible(`run-${number}-seen-from-now-on-1`)
    return performance.now() - start
  })
  const named = performance.now()
  expect(await redactText('many & <of> them, 77 of all seen-from-now-on-1')).toBe('[redacted: MANY_77_KEY] seen-from-now-on-1')
  expect(Math.min(...naming)).toBeLessThan((performance.now() - named) / 10)
})

test('SECRET-25 of variables those count whose name says so, the passwords in addresses and the headers that say so', async () => {
  keepSecretsOf({
    MY_API_KEY: 'own key of mine\n',
    HTTP_PROXY: 'http://me:proxy-word-1@127.0.0.1:1',
    CUSTOM_HEADERS: 'x-team: team-blue-1\nx-api-key: header-word-1\nAuthorization: Bearer bearer-word-1',
    NOTHING: 'not-a-secret-1',
    UNSET_KEY: undefined,
  })
  const values = ['own key of mine', 'proxy-word-1', 'header-word-1', 'bearer-word-1', 'not-a-secret-1', 'team-blue-1']
  const kept = await Promise.all(values.map((value) => redactText(value)))
  expect(kept).toEqual([
    '[redacted: MY_API_KEY]',
    '[redacted: HTTP_PROXY]',
    '[redacted: CUSTOM_HEADERS]',
    '[redacted: CUSTOM_HEADERS]',
    'not-a-secret-1',
    'team-blue-1',
  ])
})

test('SECRET-26 distinguishes the names of variables that hold secrets from others', () => {
  const secret = [
    'OPENAI_API_KEY',
    'GH_TOKEN',
    'PGPASSWORD',
    'DB_PWD',
    'myAuthToken',
    'AWS_SECRET_ACCESS_KEY',
    'BASIC_AUTH',
    'npm_token',
    'GITHUB_TOKEN_2',
    'API_KEY_V2',
    'STRIPE_KEY_LIVE',
    'API_KEYS',
    'ACCESS_TOKENS',
    'GOOGLE_APPLICATION_CREDENTIALS_JSON',
    'DOCKER_AUTH_CONFIG',
    'SESSION_COOKIE',
    'OAUTH2',
    'SECRET_KEY_BASE',
    'APIKEY',
    'VAULT_SECRET_ID',
  ]
  const plain = [
    'PATH',
    'MAX_TOKENS',
    'GIT_AUTHOR_NAME',
    'KEYBOARD',
    'AUTH_METHOD',
    'STRIPE_PUBLIC_KEY',
    'TOKEN_LIMIT',
    'OPENAI_BASE_URL',
    'PWD',
    'SORT_KEY',
    'SONAR_PROJECT_KEY',
    'OLDPWD',
    'FIREBASE_AUTH_EMULATOR_HOST',
    'VITE_FIREBASE_AUTH_DOMAIN',
    'JWT_ISSUER',
    'OAUTH_SCOPES',
    'COOKIE_DOMAIN',
    'AUTH_HOST',
    'AUTH_USER',
    'KEY_PREFIX',
    'API_KEY_HEADER',
    'AWS_ACCESS_KEY_ID',
    'TOKEN_TTL',
    'TOKEN_EXPIRES_IN',
    'PASSWORD_RESET_URL',
    'PASSWORD_MIN_LENGTH',
    'SECRETS_DIR',
    'SECRET_NAME',
    'CREDENTIALS_FILE_PROD',
    'CREDENTIAL_HELPER',
    'AUTH_TOKEN_ENDPOINT',
    'RESTIC_PASSWORD_COMMAND',
    'SECRET_BACKEND',
    'KMS_KEY_RING',
  ]
  expect(secret.filter((name) => !isSecretName(name))).toEqual([])
  expect(plain.filter((name) => isSecretName(name))).toEqual([])
})

/** Variables whose names mention a secret and have more words after it. */
const NAMES_ONE = {
  API_KEY_OPENAI: 'openai-word-1',
  TOKEN_GITHUB: 'github-word-2',
  GITHUB_TOKEN_WRITE: 'write-word-3',
  ANTHROPIC_API_KEY_WORK: 'work-word-4',
  STRIPE_KEY_EU: 'stripe-word-5',
  DB_PASS_ROOT: 'root-word-6',
  CREDENTIALS_AWS: 'ann:aws-word-7',
  API_KEY_A: 'a-word-8',
  AWS_ACCESS_KEY_BACKUP_ACCOUNT: 'backup-word-9',
  PAT_AZURE_DEVOPS: 'azure-word-10',
  apiKeyOpenai: 'camel-word-11',
  BOT_TOKENS_CHAT: 'chat-word-12,chat-word-13',
  TOKEN_VAULT: 'vault-word-14',
}

test('SECRET-42 a variable whose name speaks of a secret and then says which one holds one', async () => {
  keepSecretsOf(NAMES_ONE)
  for (const [name, value] of Object.entries(NAMES_ONE))
    for (const secret of value.replace('ann:', '').split(','))
      expect(await redactText(`it is ${secret}, so`)).toBe(`it is [redacted: ${name}], so`)
})

test('SECRET-42 where what follows is only said about the secret, or the value does not look like one, it holds none', async () => {
  const variables = {
    TOKEN_EXPIRES_IN: '2027-01-02T03:04:05Z',
    GIT_CREDENTIAL_HELPER: 'cache-2-hours',
    API_KEY_HEADER: 'x-api-key-v2-me',
    API_KEY_PREFIX_PROD: 'sk-mine-v2-',
    TOKEN_ENCODING: 'cl100k_base',
    FIRST_PASS_MODEL: 'gpt-4o-2024-11-20',
    AZURE_KEY_VAULT: 'my-vault-01-west',
    RELEASE_KEY_ALIAS: 'upload-key-01',
    SSH_KEY_FINGERPRINT: 'aa11bb22cc33dd44',
    TOKEN_ADDRESS_MAINNET: '0x0011223344556677889900aabbccddeeff001122',
    TOKEN_ENV: 'GITHUB_TOKEN_NO_2',
    CREDENTIALS_SOURCE: 'ec2-metadata',
    TOKEN_SCOPES: 'repo:read2,user1:write',
    SORT_KEY_ORDERS: 'created_at_1',
    KEY_REPEAT: 'slow-250-30',
    AUTH_SERVICE: 'auth-v2-prod',
    JWT_GROUP: 'group-v2-prod',
    COOKIE_JAR: 'jar-v2-prod',
    TOKEN_SERVICE: 'my-token-service',
    CREDENTIALS_HOME: 'vault-1.internal:8200',
    PASS_THROUGH: 'header-v2-b',
    TOKENIZERS_PARALLELISM: 'false-1-false',
    MAX_TOKENS_PER_MINUTE: '1000000000',
  }
  keepSecretsOf(variables)
  const text = Object.values(variables).join(' ')
  expect(await redactText(text)).toBe(text)
})

test('SECRET-26 short values, plain words, files and addresses without a password are no secrets', () => {
  const secret = [
    'hunter2-my-odd-key',
    'correct horse',
    '12345678',
    '/Ab1Cd2Ef3Gh4Ij5Kl6Mn7',
    'a+b/c=d1',
    'pqrstuvwxyzabcdefghijklmnop',
  ]
  const plain = [
    'short',
    'true',
    'disabled',
    'PRODUCTION',
    '/home/me/.config/key.json',
    '~/keys/service.json',
    '/tmp/pawl-test-KfDT6X/project-2/Service-Key-01',
    'http://127.0.0.1:4000/v1',
  ]
  expect(secret.filter((value) => !isSecretValue(value))).toEqual([])
  expect(plain.filter((value) => isSecretValue(value))).toEqual([])
})

test('SECRET-26 what reads as a host, a number or a file is no secret under a name that says so, unless the name says password', async () => {
  const open = [
    '127.0.0.1',
    'localhost:9099',
    'my-app.firebaseapp.com',
    'db.internal:5432',
    'redis:6379',
    '[::1]:80',
    '1700000000',
    '-12345.678',
    'keys/service.json',
  ]
  const closed = ['hunter2-my-odd-key', 'ann:12345678', 'Hunter2.com', '12345678901234567890', 'ab/cd+ef.9', 'open.sesame!']
  expect(open.filter((value) => !isOpenValue(value))).toEqual([])
  expect(closed.filter((value) => isOpenValue(value))).toEqual([])
  keepSecretsOf({ LINE_TOKEN: '127.0.0.1:4711', STAMP_KEY: '1700000000', DOOR_PASSWORD: '9988776655' })
  expect(await redactText('127.0.0.1:4711 1700000000 9988776655')).toBe('127.0.0.1:4711 1700000000 [redacted: DOOR_PASSWORD]')
})

test('SECRET-34 many secrets that overlap and resemble each other are all found in one pass, each in its place', async () => {
  const values = Array.from({ length: 3000 }, (_, index) => `overlap-${index}-${index % 7}-overlap`)
  for (const value of values) keepSecret(value, 'MANY')
  const text = `see overlap-${values[2500]}-end, ${values[1]} and overlap-3001-5-overlap`
  expect(await redactText(text)).toBe('see overlap-[redacted: MANY]-end, [redacted: MANY] and overlap-3001-5-overlap')
  expect(hasSecretHint(`${'so it goes on, '.repeat(5000)}${values[2999]}`)).toBe(true)
})
