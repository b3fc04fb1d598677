import { beforeAll, describe, expect, test } from 'vitest'
import { type AgentAnswer, readAgentAnswer } from '../loops/research/answer.ts'
import { jsonAnswer } from '../core/json-answer.ts'
import { termsOf } from '../loops/research/terms.ts'
import type { QuestionKind } from '../loops/research/rules.ts'
import { temporaryRepository } from '../../test/support/temporary-repository.ts'
import { folderCodebase } from '../codebase/folder-codebase.ts'
import { explorerAgent } from './explorer-agent.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

type Asked = readonly (readonly [kind: QuestionKind, text: string])[]

/** The questions are `question-1`, `question-2`, … in their order; every file is missing yet. */
async function answersTo(files: Record<string, string>, asked: Asked, role = 'alone'): Promise<AgentAnswer> {
  await using folder = await temporaryRepository(files)
  const question = asked.map(([, text]) => text).join(' ')
  const request = {
    question,
    terms: termsOf(question),
    questions: asked.map(([kind, text], index) => ({ id: `question-${index + 1}`, text, kind, status: 'not' })),
    role,
    iteration: 1,
    focus: '',
    gaps: [],
    missingFiles: Object.keys(files),
    analysedFiles: [],
    findings: [],
  }
  const agent = explorerAgent({ codebase: folderCodebase({ path: folder.path }) })
  const brief = `\`\`\`research-request\n${JSON.stringify(request)}\n\`\`\`\n`
  const result = await agent.work(
    { run: 'r', iteration: 1, role, brief, cwd: folder.path },
    { signal: new AbortController().signal, progress: () => undefined, started: () => Promise.resolve() },
  )
  const read = readAgentAnswer(jsonAnswer(result.status === 'finished' ? (result.output?.text ?? '') : ''))
  if (read.status !== 'read') throw new Error(read.errors.join('; '))
  return read.answer
}

const answering = ({ findings }: AgentAnswer, id: string) =>
  findings.filter(({ answers }) => answers?.includes(id)).map(({ description }) => description)

const statuses = ({ questions }: AgentAnswer) => Object.fromEntries(questions.map(({ id, status }) => [id, status]))

const OAUTH = {
  'lib/validator.py': `class RequestValidator:
    def validate_scopes(self, scopes):
        return scopes

    def get_default_scopes(self):
        return []
`,
  'lib/tokens.py': 'def random_token_generator(request):\n    return 1\n\n\ndef custom_error():\n    return 2\n',
  'lib/server.py': 'from .validator import RequestValidator\n\n\ndef serve():\n    return RequestValidator()\n',
  'lib/common.py': `def safe_string_equals(a, b):
    """ Near-constant time string comparison.

    Used in order to avoid timing attacks on
    secret keys.
    """
    # The loop is plain because a string is short.
    return a == b
`,
  'lib/data.json': '{ "because": "safe_string_equals is safe, because it is" }\n',
}

const SCOPES = ['location', 'Where are scopes validated?'] as const

describe('the explorer, with several questions', () => {
  test('CODE-50 each question is searched for by its own words, and a finding answers only the one that it is about', async () => {
    const answer = await answersTo(OAUTH, [
      ['feasibility', 'Can we plug in a custom token generator?'],
      SCOPES,
      ['location', 'What uses RequestValidator?'],
    ])
    expect(answering(answer, 'question-1')[0]).toContain('`random_token_generator` in lib/tokens.py')
    expect(answering(answer, 'question-1').join(' ')).not.toMatch(/scopes|RequestValidator/)
    expect(answering(answer, 'question-2')).toEqual(['`validate_scopes` is declared as a function in lib/validator.py.'])
    expect(answering(answer, 'question-3')).toContain('`RequestValidator` is called in lib/server.py (in `serve`).')
    expect(answering(answer, 'question-3').join(' ')).not.toMatch(/token|scopes/)
    expect(statuses(answer)).toEqual({ 'question-1': 'not', 'question-2': 'answered', 'question-3': 'answered' })
  })

  test('CODE-51 "what uses it?" is about what the question before is about, also with a verb of its own', async () => {
    const files = {
      'src/cookies.ts': 'export function parseCookies() {}\nexport function validateCookies() {}\n',
      'src/page.ts': "import { parseCookies } from './cookies.ts'\nexport const page = () => parseCookies()\n",
      'src/mail.ts': 'export function validateMail() {}\n',
    }
    const answer = await answersTo(files, [
      ['location', 'Where are cookies parsed'],
      ['location', 'what uses them'],
      ['location', 'where are they validated?'],
    ])
    expect(answering(answer, 'question-2')).toEqual(['`parseCookies` is called in src/page.ts.'])
    expect(answering(answer, 'question-3')).toEqual(['`validateCookies` is declared as a function in src/cookies.ts.'])
    expect(statuses(answer)).toEqual({ 'question-1': 'answered', 'question-2': 'answered', 'question-3': 'answered' })
  })

  test('CODE-52 a "where" is answered by a name with all that is asked, with its file where no name has it; else not', async () => {
    expect(statuses(await answersTo(OAUTH, [SCOPES]))).toEqual({ 'question-1': 'answered' })
    const redact = { 'src/redact.ts': 'export function findSecrets() {}\n', 'src/secret.ts': 'export const secretName = 1\n' }
    const secrets = await answersTo(redact, [['location', 'Where are secrets redacted?']])
    expect(answering(secrets, 'question-1')).toEqual(['`findSecrets` is declared as a function in src/redact.ts.'])
    expect(statuses(secrets)).toEqual({ 'question-1': 'answered' })
    const some = await answersTo(OAUTH, [['location', 'Where are scopes encrypted?']])
    expect(some.questions).toMatchObject([{ status: 'not', missing: expect.stringContaining('best places to look') }])
  })

  test('CODE-53 asked why, what is written at the thing itself comes first, and data gives no reasons', async () => {
    const answer = await answersTo(OAUTH, [['rationale', 'Why does safe_string_equals exist?']])
    expect(answering(answer, 'question-1')).toEqual([
      'What is written at `safe_string_equals` in lib/common.py: "Used in order to avoid timing attacks on secret keys.".',
    ])
    expect(statuses(answer)).toEqual({ 'question-1': 'partly' })
    const unnamed = await answersTo(OAUTH, [['rationale', 'Why is the comparison in near constant time?']])
    expect(answering(unnamed, 'question-1')[0]).toContain('lib/common.py gives a reason: "Used in order to avoid timing attacks')
    const above = { 'src/a.ts': '/** Waits, so that no lock is lost. */\nexport function lockWait() {}\n' }
    expect(statuses(await answersTo(above, [['rationale', 'Why is there a lockWait?']]))).toEqual({ 'question-1': 'partly' })
  })

  test('CODE-54 a reason for something else does not count, and the answer says that there is no reason', async () => {
    const files = {
      'lib/ci.js': '// Remove the lock first, otherwise npm waits.\nexport const remove = 1\n// node_modules is large\n',
      'lib/npm.js': '// npm is loaded here because the node version is known\nexport const modules = 2\n',
    }
    const answer = await answersTo(files, [['rationale', 'Why does npm ci remove node_modules?']])
    expect(answering(answer, 'question-1').filter((each) => !each.startsWith('A place to look'))).toEqual([])
    expect(statuses(answer)).toEqual({ 'question-1': 'not' })
    expect(answer.uncertainties).toContainEqual({
      area: 'Why does npm ci remove node_modules?',
      reason: 'No comment and no document that was looked at gives a reason for it.',
    })
    const sqlite = { 'src/store.ts': '// SQLite, because several processes write.\nexport const store = 1\n' }
    const both = await answersTo(sqlite, [SCOPES, ['rationale', 'why is SQLite used']])
    expect(answering(both, 'question-2')).toEqual(['src/store.ts gives a reason: "SQLite, because several processes write.".'])
    // One word alone: it may be a reason for anything about it.
    expect(statuses(both)).toEqual({ 'question-1': 'not', 'question-2': 'partly' })
  })
})

test.each(['Where is add declared?', 'Where is the function add?'])(
  'RESCLI-31 a common word in the place of a name is one: %s',
  async (text) => {
    const files = { 'math_ops.py': 'def add(a, b):\n    return a + b\n', 'README.md': '# Adder\n\nWe add things.\n' }
    const answer = await answersTo(files, [['location', text]])
    expect(answering(answer, 'question-1')).toEqual(['`add` is declared as a function in math_ops.py.'])
    expect(termsOf('Where is it declared?')).toEqual([])
  },
)

describe('the explorer, asked for what an index knows', () => {
  const APP = {
    'src/app.py': `class App:
    def wsgi_app(self, environ):
        return self.full_dispatch_request()

    def full_dispatch_request(self):
        raise ValueError("The view function did not "
                         "return a valid response")
`,
    'src/cli.py':
      'import os\nfrom .app import App\n\n\ndef main():\n    # full_dispatch_request in a comment\n    return os.environ["APP_SETTINGS_FILE"], App()\n',
    'src/agent.py': 'def user_agent(request):\n    return request\n',
    'docs/api.md': '# full_dispatch_request\n\nThe view function did not return a valid response.\n',
    'tests/test_app.py': 'from src.app import App\n\n\ndef test_app():\n    assert App().full_dispatch_request()\n',
  }

  test('CODE-55 what calls a name: every call with the function around it, also in its own file; what a file imports', async () => {
    const calls = await answersTo(APP, [['location', 'What calls full_dispatch_request?']])
    expect(answering(calls, 'question-1')).toEqual([
      '`full_dispatch_request` is called in src/app.py (in `wsgi_app`).',
      '`full_dispatch_request` is exercised by tests in tests/test_app.py.',
    ])
    expect(calls.findings[0]?.citations).toEqual([
      { file: 'src/app.py', line: 3, snippet: 'return self.full_dispatch_request()' },
    ])
    expect(statuses(calls)).toEqual({ 'question-1': 'answered' })
    const imports = await answersTo(APP, [['location', 'What does src/cli.py import?']])
    expect(answering(imports, 'question-1')[0]).toContain('src/cli.py imports src/app.py')
    expect(imports.findings[0]?.citations.map(({ line }) => line)).toEqual([1, 2])
    expect(statuses(imports)).toEqual({ 'question-1': 'answered' })
  })

  test('CODE-55 an import or a mention beside a call is not a call; without any call, other uses are named as such', async () => {
    const files = {
      'src/mail.ts': 'export function sendMail(to: string) {\n  return to\n}\n',
      'src/index.ts': "export { other } from './other.ts'\nimport { sendMail } from './mail.ts'\n",
      'src/other.ts':
        "import { sendMail } from './mail.ts'\nexport const hooks = [sendMail]\nexport function other() {\n  return sendMail('a')\n}\n",
      'src/hooks.ts': "import { sendMail } from './mail.ts'\nexport const all = [sendMail]\n",
    }
    for (const role of ['alone', 'citation']) {
      const calls = await answersTo(files, [['location', 'What calls sendMail?']], role)
      const found = calls.findings.filter(({ answers }) => answers?.includes('question-1'))
      expect(found.map(({ description, citations }) => [description, ...citations.map(({ line }) => line)])).toEqual([
        ['`sendMail` is called in src/other.ts (in `other`).', 4],
        ['`sendMail` is used in src/hooks.ts.', 2],
      ])
    }
    const uses = await answersTo(files, [['location', 'What uses sendMail?']])
    expect(answering(uses, 'question-1')).toContain('`sendMail` is imported in src/index.ts.')
  })

  test('CODE-56 a quoted text is found across lines and with values put in, a constant as it is written, code first', async () => {
    const message = 'The view function did not return a valid response'
    const answer = await answersTo(APP, [['location', `Where does the message "${message}" come from?`]])
    expect(answer.findings[0]?.citations).toMatchObject([{ file: 'src/app.py', line: 6 }])
    expect(statuses(answer)).toEqual({ 'question-1': 'answered' })
    const constant = await answersTo(APP, [['location', 'Where is APP_SETTINGS_FILE read?']])
    expect(constant.findings[0]?.citations).toMatchObject([{ file: 'src/cli.py', line: 7 }])
    expect(statuses(constant)).toEqual({ 'question-1': 'answered' })
  })

  const TEXTS = {
    'src/errors.py':
      'LIMIT = "Queue limit of size %d reached, gave up after %s seconds" % (1, 2)\nNO = _("No such command {name!r}.")\n',
    'src/parse.js': "export function parseType(type) {\n  throw new Error('Type parser ' + type + ' already present')\n}\n",
    'src/main.rs':
      '#[error("unknown syntax: \'{0}\'")]\npub struct Unknown(String);\nfn help() -> &\'static str {\n    "  --raw-bytes  print bytes"\n}\n',
    'man/tool.1': 'The variable TOOL_PAGER and unknown syntax in the manual.\n',
    'src/run.go': 'package run\n\nfunc pager() string {\n\treturn os.Getenv("PAGER") + os.Getenv("TOOL_PAGER")\n}\n',
    'tests/test_errors.py': 'assert message == "No such command \'foo\'."\n',
  }

  test.each([
    ['Queue limit of size 5 reached, gave up after 30 seconds', 'src/errors.py:1'],
    ["Error: No such command 'foo'.", 'src/errors.py:2'],
    ["Type parser 'image/png' already present", 'src/parse.js:2'],
    ["unknown syntax: 'foo'", 'src/main.rs:1'],
  ])('CODE-68 a message with its values filled in is found where the code puts them in: %s', async (message, place) => {
    const answer = await answersTo(TEXTS, [['location', `Where does "${message}" come from?`]])
    expect(answer.findings[0]?.citations.map(({ file, line }) => `${file}:${line}`)).toEqual([place])
    expect(statuses(answer)).toEqual({ 'question-1': 'answered' })
  })

  test.each([
    'Queue limit of size 5 exceeded',
    'No such command was ever sent',
    'Type parser image/png is missing',
    'unknown syntax tree of a module',
  ])('CODE-68 a message that only begins like one in the code is another one: %s', async (message) => {
    const answer = await answersTo(TEXTS, [['location', `Where does "${message}" come from?`]])
    expect(statuses(answer)).toEqual({ 'question-1': 'not' })
  })

  test.each([
    ['Where is the PAGER environment variable read?', 'src/run.go:4'],
    ['Where is TOOL_PAGER read?', 'src/run.go:4'],
    ['where is the command line option --raw-bytes parsed', 'src/main.rs:4'],
  ])(
    'CODE-69 capitals are no function of that name, an option keeps its dashes, and code comes before a manual: %s',
    async (text, place) => {
      const answer = await answersTo(TEXTS, [['location', text]])
      expect(answer.findings[0]?.citations.map(({ file, line }) => `${file}:${line}`)[0]).toBe(place)
      expect(statuses(answer)).toEqual({ 'question-1': 'answered' })
    },
  )

  const OWNED = {
    'src/mux.go': 'package mux\n\ntype Mux struct{}\n\nfunc (mx *Mux) Mount(pattern string) {\n\tmx.handle(pattern)\n}\n',
    'src/disk.go': 'package mux\n\ntype Disk struct{}\n\nfunc (d *Disk) Mount(path string) {\n\td.open(path)\n}\n',
    'src/assets.rs': 'pub struct Assets;\n\nimpl Assets {\n    pub fn get_theme(&self) -> u8 {\n        1\n    }\n}\n',
    'src/lazy.rs': 'pub struct Lazy;\n\nimpl Lazy {\n    pub fn get_theme(&self) -> u8 {\n        2\n    }\n}\n',
    'src/session.py': 'class Session:\n    def merge(self):\n        return moved()\n\n\ndef move_file():\n    return 1\n',
    'src/jv.h': 'int jv_getpath(int root);\n',
    'src/jv.c': '#include "jv.h"\nint jv_getpath(int root) {\n  return root;\n}\n',
  }

  test.each([
    ['Where is Mux.Mount implemented?', 'src/mux.go:5'],
    ['Where is `Assets::get_theme` defined?', 'src/assets.rs:4'],
    ['where is session.merge?', 'src/session.py:2'],
    ['Where is the file moved?', 'src/session.py:6'],
    ['Where is jv_getpath defined?', 'src/jv.c:2'],
  ])(
    'CODE-70 of a name with its class only that one is meant, a verb in any form, and the body before what announces it: %s',
    async (text, place) => {
      const answer = await answersTo(OWNED, [['location', text]])
      expect(answer.findings[0]?.citations.map(({ file, line }) => `${file}:${line}`)[0]).toBe(place)
      expect(statuses(answer)).toEqual({ 'question-1': 'answered' })
    },
  )

  test('CODE-70 a method that its class does not have is not there, whoever else has one of that name', async () => {
    expect(statuses(await answersTo(OWNED, [['location', 'Where is Session.Mount declared?']]))).toEqual({ 'question-1': 'not' })
  })

  test.each([
    'Where is the new user added?',
    'Where is GraphBroker declared?',
    'What calls render_invoice?',
    'Where is SMTP_RELAY_HOST read?',
    'Where does "no such invoice" come from?',
    'Where does "The view function did not return 7" come from?',
    'Where are database migrations run?',
  ])('CODE-57 what is not there is not answered: %s', async (text) => {
    const answer = await answersTo(APP, [['location', text]])
    expect(statuses(answer)).toEqual({ 'question-1': 'not' })
    expect(answering(answer, 'question-1').every((each) => each.startsWith('A place to look'))).toBe(true)
  })

  test('CODE-57 any other question gets its best places, and one that nothing is about says so', async () => {
    const how = await answersTo(APP, [['architecture', 'How does the app dispatch a request?']])
    expect(how.findings[0]?.citations[0]?.file).toBe('src/app.py')
    expect(statuses(how)).toEqual({ 'question-1': 'not' })
    const nothing = await answersTo(APP, [['location', 'Where are database migrations run?']])
    expect(answering(nothing, 'question-1')).toEqual([])
    expect(nothing.questions[0]?.missing).toContain('a place to look')
    expect(nothing.uncertainties.map(({ reason }) => reason).join(' ')).toContain('Nothing in 5 files is about it')
  })
})
