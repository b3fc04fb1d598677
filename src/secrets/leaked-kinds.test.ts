import { expect, test } from 'vitest'
import { redactJson, redactText } from './filter.ts'
import { hasSecretHint } from './hint.ts'

/** Looks random, and is put together at run time so that no scanner takes this file for a leak. */
function random(length: number, alphabet = 'q7RwT2ySx9ZbK4mNc8VdJ1fHg5LpA3eUo6Yi'): string {
  return Array.from({ length }, (_, index) => alphabet[(index * 7 + length) % alphabet.length]).join('')
}

const HEX = '0123456789abcdef'
const BASE64 = `${random(200)}==`
const LOWER = 'q7rwt2ysx9zbk4mnc8vdj1fhg5lpa3euo6yi'

/** Kind, a line with a secret of that kind, and the secret. */
const LEAKED: readonly (readonly [kind: string, before: string, secret: string, after: string])[] = [
  ['kubeconfig', '    client-key-data: ', `LS0tLS1CRUdJ${BASE64}`, ''],
  ['kubeconfig in JSON', '{"client-key-data": "', `LS0tLS1CRUdJ${BASE64}`, '"}'],
  ['Set-Cookie', 'Set-Cookie: session=', random(32), '; Path=/; HttpOnly'],
  ['Set-Cookie of curl -v', '< set-cookie: connect.sid=s%3A', `${random(24)}.${random(30)}`, '; Path=/'],
  ['Set-Cookie of lower case', 'set-cookie: sid=', random(26, LOWER), ''],
  ['Docker auth', '{ "auths": { "ghcr.io": { "auth": "', Buffer.from(`me:${random(20)}`).toString('base64'), '" } } }'],
  ['Telegram bot address', 'GET https://api.telegram.org/bot', `1234567890:AA${random(33)}`, '/getMe'],
  ['Telegram bot address of another form', 'https://api.telegram.org/bot', `123456:${random(32)}`, '/sendMessage'],
  ['Notion', 'token is ', `ntn_${random(46)}`, ' now'],
  ['Notion, the older form', 'token is ', `secret_${random(43)}`, ' now'],
  ['Fly', 'FLY is ', `FlyV1 fm2_${random(120)}`, ''],
  ['Fly, the older form', 'key ', `fo1_${random(43)}`, ''],
  ['age', '', `AGE-SECRET-KEY-1${random(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`, ''],
  ['mysql', 'mysql -u root -p', 'Tr0ub4dor3', ' shop < dump.sql'],
  ['mysql, letters only', 'mysqldump -h db -uroot -p', 'correcthorse', ' shop'],
  ['mysql in quotation marks', "mysql -u root -p'", 'Tr0ub 4dor', "' shop"],
  ['Atlassian', 'token is ', `ATATT3xFfGF0${random(180)}=${random(8, '0123456789ABCDEF')}`, ''],
  ['Atlassian of lower case', 'see ', `ATCTT3${random(40)}`, ''],
  ['Airtable', 'token is ', `pat${random(14)}.${random(64, HEX)}`, ''],
  ['Airtable, the older form', 'Airtable key: ', `key${random(14)}`, ''],
  ['Facebook', 'token is ', `EAA${random(120)}`, ''],
  ['Facebook app token', 'access ', `EAACEdEose0cBA${random(60)}`, ''],
]

test.each(LEAKED)('SECRET-63 %s is caught', async (_kind, before, secret, after) => {
  const line = `${before}${secret}${after}`
  expect(hasSecretHint(line)).toBe(true)
  const kept = await redactText(`first line\n${line}\nlast line`)
  for (let at = 0; at + 8 <= secret.length; at++) expect(kept).not.toContain(secret.slice(at, at + 8))
  expect(kept).toContain('first line')
  expect(kept).toContain('last line')
  expect(await redactText(kept)).toBe(kept)
  expect(JSON.stringify(await redactJson({ text: line }))).not.toContain(secret.slice(-8))
})

test('SECRET-63 fields with such names are judged by them', async () => {
  const fields = { 'client-key-data': `LS0t${BASE64}`, 'set-cookie': `sid=${random(20)}` }
  for (const value of Object.values(await redactJson(fields))) expect(value).toMatch(/^\[redacted: /)
})

test.each([
  'mysql -u root -p shop\nmysql --port 3306 -P 3306\nmkdir -p src/app\nmysql -u root -p"$DB_PASSWORD" shop\nmysql -p$PASS',
  'the client-key-data field of a kubeconfig\nclient-key-data: <base64>\n"auth": "oauth2"\n"auth": true\nauth: "basic"',
  'res.setHeader("Set-Cookie", cookie)\nSet-Cookie: theme=dark; Path=/\nSet-Cookie: lang=en\nexpect(headers["set-cookie"]).toBe(undefined)',
  'https://api.telegram.org/bot<token>/getMe\nhttps://api.telegram.org/bot${TOKEN}/getMe\n/bot:name/page',
  'secret_name secret_manager_client_configuration_for_production_use FlyV1 AGE-SECRET-KEY-1...\nage-plugin',
  'patient.record pattern.match(keyboardShortcuts) keyValuePairOfThings EAAAAAAA path.resolve\nkeydown keyof typeof',
  'sha256-EAAB1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1',
])('SECRET-9 what only resembles these kinds stays as it is: %s', async (text) => {
  expect(await redactText(text)).toBe(text)
})
