import { afterEach, expect, test, vi } from 'vitest'
import { settingsSchema } from '../schema/kinds.ts'
import { COMMAND_OPTIONS, readCommandOptions } from './command-option-kinds.ts'
import { argumentList, childEnvironment, type CommandOptions, programName } from './command-options.ts'

afterEach(() => vi.unstubAllEnvs())

test.each<[string, unknown, string]>([
  ['no program', { command: [] }, 'place.empty'],
  ['an empty program', { command: [' '] }, 'place.empty'],
  ['an empty shell line', { command: ' ', shell: true }, 'place.empty'],
  ['a string without shell', { command: 'npm test' }, 'place.shape'],
  ['a list with shell', { command: ['npm'], shell: true }, 'place.shape'],
  ['a part that is no text', { command: ['npm', 1] }, 'place.shape'],
  ['a NUL character', { command: ['npm', 'a\0b'] }, 'place.shape'],
  ['no time at all', { command: ['npm'], timeoutMs: 0 }, 'place.timeout'],
  ['endless time', { command: ['npm'], timeoutMs: Infinity }, 'place.timeout'],
  ['a value instead of a name', { command: ['npm'], environment: ['A=b'] }, 'place.environment'],
  ['a variable no shell can hold', { command: ['npm'], variables: { 'a.b': 'c' } }, 'place.variables'],
  ['a variable that is no text', { command: ['npm'], variables: { a: 1 } }, 'place.variables'],
])('PROC-15 %s is refused at construction, with a code', (_what, options, code) => {
  expect(() => readCommandOptions('owner', 'place', settingsSchema(COMMAND_OPTIONS), options as CommandOptions)).toThrow(
    expect.objectContaining({ name: 'PawlError', code }),
  )
})

test('PROC-15 a shell line gets further arguments as $1, and its program is its first word', () => {
  expect(argumentList({ command: 'echo "$1"', shell: true }, ['x'])).toEqual(['/bin/sh', '-c', 'echo "$1"', 'sh', 'x'])
  expect(programName({ command: ' /opt/claude -p', shell: true })).toBe('claude')
  expect(programName({ command: ['/opt/bin/claude', '-p'] })).toBe('claude')
})

test('PROC-16 only the variables on the list and those named are passed on; set ones win', () => {
  const planted = { PAWL_TEST_PLANTED: 'secret', PAWL_TEST_NAMED: 'named', PAWL_FAMILY_ONE: '1', LC_PAWL: 'x' }
  Object.assign(process.env, planted)
  const env = childEnvironment(['PAWL_TEST_NAMED', 'PAWL_FAMILY_*'], { TZ: 'Etc/UTC' })
  for (const name of Object.keys(planted)) delete process.env[name]
  expect(env).toMatchObject({
    PATH: process.env['PATH'],
    PAWL_TEST_NAMED: 'named',
    PAWL_FAMILY_ONE: '1',
    LC_PAWL: 'x',
    TZ: 'Etc/UTC',
  })
  expect(env).not.toHaveProperty('PAWL_TEST_PLANTED')
})

test('ENV-3 what toolchains need is passed on, and secrets only by their own name', () => {
  const usual = 'RUSTUP_HOME CARGO_HOME GOPATH GOROOT GOFLAGS JAVA_HOME VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT NVM_DIR VOLTA_HOME'
  const more = 'ASDF_DIR MISE_DATA_DIR DOCKER_HOST HTTPS_PROXY no_proxy NODE_EXTRA_CA_CERTS'
  const secrets = ['MISE_GITHUB_TOKEN', 'NVM_AUTH_HEADER', 'AWS_SECRET_ACCESS_KEY', 'NPM_TOKEN', 'DATABASE_URL', 'OPENAI_API_KEY']
  const passed = `${usual} ${more}`.split(' ')
  for (const name of [...passed, ...secrets]) vi.stubEnv(name, 'x')
  expect(childEnvironment([], {})).toMatchObject(Object.fromEntries(passed.map((name) => [name, 'x'])))
  for (const name of secrets) expect(childEnvironment([], {})).not.toHaveProperty(name)
  expect(childEnvironment(['MISE_GITHUB_TOKEN', 'AWS_*'], {})).toMatchObject({
    MISE_GITHUB_TOKEN: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  })
})
