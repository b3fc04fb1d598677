import { expect, test } from 'vitest'
import { keepSecretsOf } from './known-values.ts'
import { redactText } from './filter.ts'

/** What a variable holds, what of it is secret, and what is not. */
const HELD: Readonly<Record<string, readonly [value: string, secrets: readonly string[], open: readonly string[]]>> = {
  MSSQL_CONNECTION_STRING: [
    'Server=hazel-db-01;User Id=hazel-sa-01;Password=mssqlpw-Hazel;Encrypt=True',
    ['mssqlpw-Hazel'],
    ['hazel-db-01', 'hazel-sa-01'],
  ],
  QUOTED_CONNECTION: [`"Server=db;Pwd='quoted-pw-Hazel';"`, ['quoted-pw-Hazel'], []],
  ODBC_CONNECTION: ['Driver={ODBC 18};UID=hazel-uid-01;PWD=odbc-pw-Hazel', ['odbc-pw-Hazel'], ['hazel-uid-01']],
  NUMBER_CONNECTION: ['Server=db;Password=7788990011', ['7788990011'], []],
  AZURE_STORAGE_CONNECTION_STRING: [
    'DefaultEndpointsProtocol=https;AccountName=hazelstore01;AccountKey=Hz1/abcdEFGH+2ijkl==;EndpointSuffix=core.example',
    ['Hz1/abcdEFGH+2ijkl=='],
    ['hazelstore01'],
  ],
  KEY_FIRST: ['AccountKey=first-key-Hazel;Owner=hazelaccount2026abc', ['first-key-Hazel'], ['hazelaccount2026abc']],
  SERVICE_BUS: [
    'Endpoint=sb://hazel.example/;SharedAccessKeyName=HazelRoot01;SharedAccessKey=Bus1key2Hazel3=',
    ['Bus1key2Hazel3='],
    ['HazelRoot01'],
  ],
  lower_case: ['accountname=hazel-low-01;accountkey=low-key-Hazel', ['low-key-Hazel'], ['hazel-low-01']],
  BLOB_SAS: ['https://hazel.example/c?sv=2024-11-04-hazel&sig=Sas%2Fsig%2BHazel1', ['Sas/sig+Hazel1'], ['2024-11-04-hazel']],
  OTLP_HEADERS: ['api-key=otlp-Hazel-1', ['otlp-Hazel-1'], []],
  REDIS_CONFIGURATION: ['cache.example:6380,password=redis-Hazel-1,ssl=True', ['redis-Hazel-1'], []],
  JDBC: ['jdbc:sqlserver://db:1433;user=hazel-jdbc-01;password=jdbcpw-Hazel', ['jdbcpw-Hazel'], ['hazel-jdbc-01']],
  PG_DSN: [`host=db user=hazel-pg-01 password='libpq-pw-Hazel' dbname=app`, ['libpq-pw-Hazel'], ['hazel-pg-01']],
  GO_DSN: ['hazel-go-01:go-pw-Hazel@tcp(db:3306)/app', ['go-pw-Hazel'], ['hazel-go-01']],
  SLACK_WEBHOOK_URL: [
    ['https://hooks.slack.com', 'services', 'T0HAZEL01', 'B0HAZEL01', 'hkPathHazel0123456789abc'].join('/'),
    ['hkPathHazel0123456789abc'],
    ['T0HAZEL01'],
  ],
  MY_WEBHOOK: ['https://chat.example/api/webhooks/998877665544332211/hk-Hazel-token-1/github-events', ['hk-Hazel-token-1'], []],
  COOKIE: ['session=cookie-Hazel-1', ['cookie-Hazel-1'], []],
  HTTP_COOKIE: ['sid=cookie-Hazel-2; theme=dark; locale=production', ['cookie-Hazel-2'], ['production']],
  PROXY_USERPWD: ['me:proxypw-Hazel', ['proxypw-Hazel'], []],
  CLOUD_SK: ['cloud-sk-Hazel-1', ['cloud-sk-Hazel-1'], []],
}

test.each(Object.entries(HELD))(
  'SECRET-39 what is secret in %s is known by itself, in base64 and in hexadecimal, and the rest is not',
  async (name, [value, secrets, open]) => {
    keepSecretsOf({ [name]: value })
    for (const secret of secrets) {
      expect(await redactText(`it is ${secret}, so`)).toBe(`it is [redacted: ${name}], so`)
      for (const encoding of ['base64', 'hex'] as const)
        expect(await redactText(`it is ${Buffer.from(secret).toString(encoding)} so`)).toBe(`it is [redacted: ${name}] so`)
    }
    for (const each of open) expect(await redactText(`it is ${each}, so`)).toBe(`it is ${each}, so`)
  },
)

test('SECRET-39 a command or a script that a variable holds is no connection string, and a webhook without a token has none', async () => {
  keepSecretsOf({
    npm_lifecycle_script: 'API_KEY=dummy-Hazel-3 vitest run',
    SHELL_FUNCTION: '() { PASSWORD=script-Hazel-4;\n TOKEN=script-Hazel-5;\n}',
    START: 'node server.js mode=fast token=start-Hazel-6',
    ASSEMBLY: 'System, Culture=neutral-1, PublicKeyToken=b77a5c561934e089',
    PLAIN_WEBHOOK_URL: 'https://ci.example/github-webhook/incoming-handlers',
  })
  const text = 'dummy-Hazel-3 script-Hazel-4 script-Hazel-5 start-Hazel-6 b77a5c561934e089 incoming-handlers'
  expect(await redactText(text)).toBe(text)
})

test('SECRET-40 fingerprints of public keys are no secrets; other values of hexadecimal digits are', async () => {
  const [fingerprint, other, key] = [
    'A035C8C19219BA821ECEA86B64E628F8D684696D',
    '1198C0117593497A5EC5C199286AF1F9897469DC',
    'c0ffee'.repeat(7),
  ]
  keepSecretsOf({
    GPG_KEY: fingerprint,
    GPG_KEYS: `${other} ${fingerprint}`,
    PGP_SIGNING_KEY: 'armored-Hazel-7',
    RUN_API_KEY: key.slice(2),
  })
  expect(await redactText(`${fingerprint} ${other}`)).toBe(`${fingerprint} ${other}`)
  expect(await redactText(`armored-Hazel-7 ${key.slice(2)}`)).toBe('[redacted: PGP_SIGNING_KEY] [redacted: RUN_API_KEY]')
})
