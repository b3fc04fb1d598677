import { describe, expect, test } from 'vitest'
import { redactJson, redactText } from './filter.ts'
import { hasSecretHint } from './hint.ts'

const NAME = ['DB', 'PASSWORD'].join('_')
const RANDOM = 'xK9fQ2mZ7wLp4TvR'

describe.each<[string, string]>([
  [`${NAME}="correct horse battery 9 staple"`, `${NAME}="[redacted: password]"`],
  [`${NAME}='correct horse battery staple'`, `${NAME}='[redacted: password]'`],
  [`export ${NAME}="correct horse battery 9 staple"`, `export ${NAME}="[redacted: password]"`],
  [`docker run -e ${NAME}="correct horse" app`, `docker run -e ${NAME}="[redacted: password]" app`],
  [`  ${NAME}: "correct horse battery 9 staple"`, `  ${NAME}: "[redacted: password]"`],
  [`{"${NAME}": "correct horse battery 9 staple", "a": 1}`, `{"${NAME}": "[redacted: password]", "a": 1}`],
  [`${NAME}=ab,${RANDOM}`, '[redacted: password]'],
  [`${NAME}=ab;${RANDOM}`, '[redacted: password]'],
  [`${NAME}=ab&${RANDOM}`, '[redacted: password]'],
  [`${NAME}_PROD=${RANDOM}`, '[redacted: password]'],
  [`${NAME}2=${RANDOM}`, '[redacted: password]'],
  [`+${NAME}_V2: ${RANDOM}`, '[redacted: password]'],
  [`${NAME}_PROD="${RANDOM}"`, `${NAME}_PROD="[redacted: password]"`],
  [`db_password2: '${RANDOM}'`, `db_password2: '[redacted: password]'`],
  [`${NAME}: correct-horse # prod`, '[redacted: password]'],
  [`${NAME} = correcthorse`, '[redacted: password]'],
  [`+${NAME} = correcthorse`, '[redacted: password]'],
  [`db_password=correcthorse`, '[redacted: password]'],
  [`+db_password=correcthorse`, '[redacted: password]'],
  [`spring.datasource.password=correcthorse`, '[redacted: password]'],
  [`${NAME}=%${RANDOM}`, '[redacted: password]'],
  [`${NAME}=null-${RANDOM}`, '[redacted: password]'],
  [`${NAME}=any-${RANDOM}`, '[redacted: password]'],
  [`${NAME}=${RANDOM}.a`, '[redacted: password]'],
])('%s', (line, kept) => {
  test('SECRET-61 a password goes whole to its closing quotation mark or to the end of its line', async () => {
    expect(hasSecretHint(line)).toBe(true)
    expect(await redactText(`first\n${line}\nlast`)).toBe(`first\n${kept}\nlast`)
    expect(await redactText(kept)).toBe(kept)
    const inJson = await redactText(JSON.stringify({ text: `first\n${line}\nlast` }))
    expect(inJson).not.toMatch(/correct|horse|staple|xK9f|4TvR/)
  })
})

test('SECRET-61 a field that says which password it is, or holds several words, is judged by its name', async () => {
  const fields = { [`${NAME}_PROD`]: RANDOM, [NAME]: 'correct horse battery 9 staple', password2: RANDOM }
  expect(Object.values(await redactJson(fields))).toEqual(Array.from({ length: 3 }, () => '[redacted: password]'))
})

test.each([
  `${NAME}=$OTHER ${NAME}="$OTHER" ${NAME}=\${OTHER2:-x} ${NAME}=$(pass show db2) ${NAME}=<your password>`,
  `${NAME}="\${OTHER} and more"\n${NAME}="<your password 1>"\n${NAME}='enter your 8 characters'`,
  `${NAME}: string\n  ${NAME}: string | null # one\n  ${NAME}: null\n${NAME}: any`,
  `${NAME} = os.environ["${NAME}2"]\n${NAME} = config('db', default='')\n${NAME} = DEFAULT_PASSWORD\n${NAME} = None # 1`,
  `  ${NAME}: !Ref DatabasePassword2\n  ${NAME}: |\n  ${NAME}: z.string().min(8),\n  ${NAME}: process.env.${NAME}_V2,`,
  'INVALID_PASSWORD: "The password needs 8 characters"\n  PASSWORD: "Your 2 passwords"\nERROR_PASSWORD = "Must have 8 letters"',
  'LABEL_PASSWORD: "Kennwort eingeben"',
  'enum Field { PASSWORD=1, TOKEN=2 }\nPASSWORD=1,OTHER=2;',
  'connect(user=user, password=word)\n    db_password=settings,\n  password = value\nconst password = other',
  'PASSWORD_MIN_LENGTH=12\nENABLE_PASSWORD_V2=true\nRESET_PASSWORD_TEST=enabled\npassword=required\npassword1 = form.password1',
  "Access denied for user 'root'@'localhost' (using password: YES)\npassword=hidden",
  'if (password1 !== password2) return\nexpect(password2).toBe(password1)\npassword_test: runAll',
  'DB_PASSWORD == other && DB_PASSWORD => x\nPASSWORD: required for the 2 accounts',
])('SECRET-9 what only resembles a password that is given stays as it is: %s', async (text) => {
  expect(await redactText(text)).toBe(text)
})
