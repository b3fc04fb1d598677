import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { testImage } from '../../test/support/container-image.ts'
import { PLAIN_ENVIRONMENT, runShell } from '../../test/support/process-support.ts'
import { container } from './container.ts'
import { devcontainer } from './devcontainer.ts'
import { isolationSpec } from './settings.ts'

const made = testImage()
const image = 'image' in made ? made.image : ''
const trouble = 'trouble' in made ? made.trouble : (await container({ image }).ready())?.message
if (trouble !== undefined) console.warn(`Containers aren't tested here. ${trouble}`)

function folder(files: Readonly<Record<string, string>> = {}): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-container-test-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return path
}

/** The containers that belong to an owner. */
function running(owner: string): string {
  return execFileSync('podman', ['ps', '--quiet', '--filter', `label=pawl.owner=${owner}`], { encoding: 'utf8' }).trim()
}

describe('BOX-20 the image of a project', () => {
  const FILE = '.devcontainer/devcontainer.json'

  test('is the one of its devcontainer.json, which may have comments', () => {
    const root = folder({ [FILE]: '{ // ours\n "image": "node:24", "containerEnv": { "A": "b" }, }' })
    expect(devcontainer(root)).toEqual({ image: 'node:24', variables: { A: 'b' } })
    expect(isolationSpec({ isolation: 'container' }, root)?.settings).toMatchObject({ image: 'node:24', variables: { A: 'b' } })
    expect(isolationSpec({ isolation: 'container', sandbox: { image: 'mine' } }, root)?.settings).toMatchObject({ image: 'mine' })
  })

  test('is built from the Dockerfile it names, with paths from its own folder', () => {
    const root = folder({
      [FILE]: '{ "build": { "dockerfile": "Dockerfile", "context": "..", "args": { "N": 1 }, "target": "dev" } }',
    })
    const from = join(root, '.devcontainer')
    expect(devcontainer(root)).toEqual({
      build: { dockerfile: join(from, 'Dockerfile'), context: root, args: { N: '1' }, target: 'dev' },
    })
  })

  test.for([
    ['{ "dockerComposeFile": "a.yml" }', 'Docker Compose'],
    ['{ "image": "a", "features": { "x": {} } }', 'devcontainer build'],
    ['{ "image": "a", "containerEnv": { "A": "${localEnv:B}" } }', 'sets A'],
    ['{}', 'neither an `image`'],
    ['{', "isn't JSON"],
  ])('is refused where Pawl would make another one: %s', ([text, words]) => {
    expect(() => devcontainer(folder({ [FILE]: text as string }))).toThrow(words)
  })

  test('is needed', () => {
    expect(() => isolationSpec({ isolation: 'container' }, folder())).toThrow('needs an image')
  })
})

describe.skipIf(trouble !== undefined)('BOX-21 a container', () => {
  test('has the variables that Pawl passes, and no others', async () => {
    const cwd = folder()
    const box = await container({ image, variables: { SET: 'in settings' } }).open({ cwd, purpose: 'check' })
    onTestFinished(() => box.close())
    const env = { ...PLAIN_ENVIRONMENT, HOME: homedir(), MANY: 'one\nFAKE=two' }
    const result = await runShell('echo "$SET|$MANY|$FAKE|$HOME|$PATH"; id -u; pwd', { cwd, box, env })
    const text = 'output' in result ? result.output.text : ''
    expect(text).toContain(`in settings|one\nFAKE=two||${realpathSync(homedir())}|`)
    expect(text).not.toContain(process.env['PATH'])
    expect(text).toMatch(new RegExp(`^${process.getuid?.()}$`, 'm'))
    expect(text.trim().endsWith(cwd)).toBe(true)
  })

  test('ends with its box, also if the program ignores signals', async () => {
    const cwd = folder()
    const box = await container({ image }).open({ cwd, purpose: 'check' })
    const line = "trap '' TERM; echo started > started; while :; do sleep 1; done"
    const result = await runShell(line, { cwd, box, timeoutMs: 6000, graceMs: 500 })
    expect(result.status).toBe('timed-out')
    expect(readFileSync(join(cwd, 'started'), 'utf8')).toBe('started\n')
    await box.close()
    const label = box.prefix.find((word) => word.startsWith('--label=pawl.box='))?.slice('--label='.length)
    expect(execFileSync('podman', ['ps', '--all', '--quiet', '--filter', `label=${label}`], { encoding: 'utf8' })).toBe('')
  })

  test('whose Pawl was killed is ended before the next one starts', async () => {
    const owner = Buffer.from(JSON.stringify([2 ** 22 - 3, 'long ago', 'elsewhere'])).toString('base64url')
    const here = container({ image })
    const box = await here.open({ cwd: folder(), purpose: 'check' })
    onTestFinished(() => box.close())
    const mine =
      box.prefix
        .find((word) => word.startsWith('--label=pawl.owner='))
        ?.split('=')
        .at(-1) ?? ''
    const [, startedAt, host] = JSON.parse(Buffer.from(mine, 'base64url').toString()) as [number, string, string]
    const gone = Buffer.from(JSON.stringify([2 ** 22 - 3, startedAt, host])).toString('base64url')
    const start = async (label: string): Promise<void> => {
      const [program = '', ...words] = box.prefix.map((word) =>
        word.startsWith('--label=pawl.owner=') ? `--label=pawl.owner=${label}` : word,
      )
      const child = spawn(program, [...words, 'sleep', '100'], { stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      await vi.waitFor(() => expect(running(label)).not.toBe(''), { timeout: 30_000 })
    }
    await start(gone)
    await start(owner)
    onTestFinished(() => void execFileSync('podman', ['rm', '--force', '--time=0', '--ignore', running(owner)]))
    expect(await here.ready()).toBeUndefined()
    expect(running(gone)).toBe('')
    expect(running(owner)).not.toBe('')
  })

  test('is built from a Dockerfile once', async () => {
    const root = folder({ Dockerfile: `FROM ${image}\nENV MADE=here\n` })
    const build = { dockerfile: join(root, 'Dockerfile'), context: root }
    const box = await container({ build }).open({ cwd: root, purpose: 'check' })
    const built = box.enforced.image ?? ''
    onTestFinished(async () => {
      await box.close()
      execFileSync('podman', ['rmi', '--force', built])
    })
    const result = await runShell('echo "$MADE"', { cwd: root, box })
    expect('output' in result && result.output.text).toBe('here\n')
    const again = await container({ build }).open({ cwd: root, purpose: 'check' })
    await again.close()
    expect(again.enforced).toEqual({ isolation: 'container', by: 'podman', image: built, network: 'none', writable: [] })
  })

  test('without what an agent needs is an error before any work', async () => {
    expect(await container({ image }).ready({ program: 'claude' })).toMatchObject({ message: expect.stringContaining('claude') })
    expect(await container({ image: 'localhost/pawl-no-such-image' }).ready()).toMatchObject({
      fault: 'environment',
      message: expect.stringContaining('There is no image localhost/pawl-no-such-image'),
    })
  })
})
