import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildProgram } from '../run-cli.ts'
import { ralph, type RalphFlags } from './ralph.ts'
import { answer } from './answer.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { log } from './log.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'
import { task } from './task.ts'

let root = ''

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-ralph-')))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function look({ json = false } = {}) {
  return collectingContext(root, json)
}

const PROMPT = '# Fill work.txt\n\nAdd a line. Say <promise>COMPLETE</promise> when there are enough.\n'

function file(name: string, text: string): string {
  const path = join(root, name)
  writeFileSync(path, text)
  return path
}

/** An agent that adds a line, keeps its brief, and says these words. */
function agent(words: string): string {
  return file('agent.sh', `cat > brief-$PAWL_ITERATION.txt\necho "line $PAWL_ITERATION" >> work.txt\n${words}\n`)
}

function flags(words: string, more: Partial<RalphFlags> = {}): RalphFlags {
  return {
    id: 'filler',
    prompt: PROMPT,
    agentCommand: `sh ${agent(words)}`,
    check: ['grep -q "line 2" work.txt'],
    ask: false,
    ...more,
  }
}

const CLAIM = 'echo "<promise>COMPLETE</promise>"'

test('CLI-350 PROJ-5 the same prompt is given until a promise holds: a refuted one continues, and show and log tell of both', async () => {
  const { prompt: _text, ...rest } = flags(CLAIM)
  const run = look()
  expect(await ralph(run, { ...rest, promptFile: file('PROMPT.md', PROMPT) })).toBe(0)
  expect(run.said.join('\n')).toMatch(/promise: COMPLETE doesn't hold: Not passed: grep[^]*promise: COMPLETE holds\n/)
  // What failed before any work is known in the first iteration.
  expect(run.said.join('\n')).toMatch(/^ {2}start {2}1 failing$/m)
  const first = readFileSync(join(root, 'brief-1.txt'), 'utf8')
  expect(first.startsWith(`${PROMPT.trimEnd()}\n\n# What the checks said last time\n- `)).toBe(true)
  const second = readFileSync(join(root, 'brief-2.txt'), 'utf8')
  expect(second.startsWith(`${PROMPT.trimEnd()}\n\n# What the checks said last time\n- `)).toBe(true)
  const shown = look({ json: true })
  await show(shown, 'filler')
  expect(shown.documents[0]).toMatchObject({
    loop: 'ralph',
    goal: '# Fill work.txt Add a line. Say <promise>COMPLETE</promise> when there are enough.',
    status: 'completed',
    iterationsDone: 2,
    message: expect.stringMatching(/^COMPLETE holds\. .+ failed before and passes now\.$/),
  })
  const logged = look()
  await log(logged, 'filler', {})
  expect(logged.said.join('\n')).toMatch(/promise\.declared.*COMPLETE[^]*promise\.refuted[^]*promise\.verified/)
})

test('CLI-351 without a check or a rule it is refused, with the reason, and leaves nothing behind', async () => {
  const { check: _none, ...rest } = flags(CLAIM)
  await expect(ralph(look(), rest)).rejects.toThrow('a promise alone proves nothing')
  expect(existsSync(join(root, '.pawl'))).toBe(false)
})

test('CLI-352 rules come from a file, in place of those of pawl.yaml, and are all checked', async () => {
  file('pawl.yaml', 'rules:\n  - { type: file_existence, name: never, config: { paths: [nowhere] } }\n')
  const rules = [
    { type: 'command', name: 'two lines', config: { command: 'grep -q "line 2" work.txt' } },
    { type: 'file_existence', name: 'briefs', config: { paths: ['brief-1.txt', 'brief-2.txt'] } },
    { type: 'content_pattern', name: 'words', config: { pattern: 'COMPLETE', target: 'agent_output' } },
    {
      type: 'content_pattern',
      name: 'no more than a line',
      config: { pattern: '^\\+line 3', flags: 'm', mustMatch: false, target: 'work_product_latest' },
    },
  ]
  const { check: _none, ...rest } = flags(CLAIM, { rule: [file('rules.json', JSON.stringify({ validationRules: rules }))] })
  const run = look({ json: true })
  expect(await ralph(run, rest)).toBe(0)
  expect(run.documents.at(-1)).toMatchObject({ status: 'completed', iterations: 2 })
  const list = file('rules.yaml', '- { type: command, name: tests, config: { comand: x } }\n')
  const wrong = ralph(look(), { ...rest, id: 'other', rule: [list] })
  await expect(wrong).rejects.toThrow('Rule "tests" (command): config has no option "comand"')
})

test('CLI-381 a custom rule is the program of that name in pawl-validators; one that is not there asks a person', async () => {
  mkdirSync(join(root, 'pawl-validators'))
  chmodSync(file('pawl-validators/enough', '#!/bin/sh\ntest "$(wc -l < work.txt)" -ge 2\n'), 0o755)
  const custom = (validatorId: string) => [
    file(`${validatorId}.json`, JSON.stringify([{ type: 'custom', name: validatorId, config: { validatorId } }])),
  ]
  const { check: _none, ...rest } = flags(CLAIM)
  const run = look({ json: true })
  expect(await ralph(run, { ...rest, rule: custom('enough') })).toBe(0)
  expect(run.documents.at(-1)).toMatchObject({ status: 'completed', iterations: 2 })
  const missing = look({ json: true })
  expect(await ralph(missing, { ...rest, id: 'missing', rule: custom('nowhere') })).toBe(7)
  expect(JSON.stringify(missing.documents.at(-1))).toContain('pawl-validators/nowhere')
})

function yaml(name: string): string {
  return `checks:\n  - { name: two, command: "grep -q 'line 2' work.txt" }\nrules:\n  - { type: file_existence, name: ${name}, config: { paths: [brief-3.txt] } }\n`
}

test('CLI-353 rules of pawl.yaml are checked after its checks, and a name is given once', async () => {
  file('pawl.yaml', yaml('third'))
  const { check: _none, ...rest } = flags(CLAIM)
  const run = look({ json: true })
  expect(await ralph(run, rest)).toBe(0)
  expect(run.documents.at(-1)).toMatchObject({ iterations: 3 })
  file('pawl.yaml', yaml('two'))
  await expect(ralph(look(), { ...rest, id: 'other' })).rejects.toThrow('Two checks or rules are called "two"')
})

test('CLI-354 BLOCKED waits for an answer, and the run continues with what was said', async () => {
  const words = `if grep -q "in .env" brief-$PAWL_ITERATION.txt; then ${CLAIM}; else echo "<promise>BLOCKED: no API key</promise>"; fi`
  const run = look()
  expect(await ralph(run, flags(words, { check: ['test -f work.txt'] }))).toBe(3)
  expect(run.said.join('\n')).toContain("The agent says it can't continue: no API key")
  expect(await answer(look(), { resume: true }, 'filler', 'The key is in .env now')).toBe(0)
})

test('CLI-355 a known run is resumed, with a new prompt if one is given, but never with other promises or another loop', async () => {
  const stuck = flags('true', { maxIterations: '1', check: ['test -f work.txt'] })
  expect(await ralph(look(), stuck)).toBe(3)
  await expect(ralph(look(), { ...stuck, promise: ['DONE'] })).rejects.toThrow('exists with other promises')
  expect(await ralph(look(), flags(CLAIM, { check: ['test -f work.txt'], maxIterations: '2', prompt: 'Tuned: <promise>' }))).toBe(
    0,
  )
  expect(readFileSync(join(root, 'brief-2.txt'), 'utf8')).toMatch(/^Tuned: <promise>/)
  await expect(ralph(look(), stuck)).rejects.toThrow('Run filler is completed already')
  await task(look(), { id: 'other', agentCommand: 'true', check: ['true'], ask: false }, ['Work'])
  await expect(ralph(look(), { ...stuck, id: 'other' })).rejects.toThrow('is a run of the task loop')
})

test('CLI-356 a new --check on resume replaces the checks and leaves the rules', async () => {
  const rule = [file('rules.yaml', 'type: file_existence\nname: third\nconfig: { paths: [brief-3.txt] }\n')]
  expect(await ralph(look(), flags(CLAIM, { check: ['false'], rule, maxIterations: '1' }))).toBe(3)
  const run = look({ json: true })
  expect(await resume(run, { check: ['test -f work.txt'], maxIterations: '5', ask: false }, 'filler')).toBe(0)
  expect(run.documents.at(-1)).toMatchObject({ iterations: 3 })
})

test('CLI-357 without promises passing checks end it; with --no-feedback the prompt stays alone', async () => {
  expect(await ralph(look(), flags('true', { promise: false, feedback: false, minIterations: '3' }))).toBe(0)
  expect(readFileSync(join(root, 'brief-3.txt'), 'utf8')).toBe(PROMPT)
})

test.each<[Partial<RalphFlags>, string]>([
  [{ promptFile: 'PROMPT.md' }, 'both given'],
  [{ prompt: ' \n' }, '--prompt is empty'],
  [{ minIterations: '0' }, '--min-iterations takes a whole number of at least 1'],
  [{ minIterations: '21' }, '--min-iterations 21 is more than the 20 iterations there are at most'],
  [{ promise: ['BLOCKED'] }, 'never a success'],
  [{ rule: ['no-such-rules.yaml'] }, 'There is no file no-such-rules.yaml'],
])('CLI-358 %j is refused before anything is begun', async (more, words) => {
  await expect(ralph(look(), flags(CLAIM, more))).rejects.toThrow(words)
  expect(existsSync(join(root, '.pawl'))).toBe(false)
})

test('CLI-358 a prompt has to be given, and its file to be there', async () => {
  const { prompt: _text, ...rest } = flags(CLAIM)
  await expect(ralph(look(), rest)).rejects.toThrow('Give --prompt-file PROMPT.md')
  await expect(ralph(look(), { ...rest, promptFile: 'no-such.md' })).rejects.toThrow('There is no file no-such.md')
})

test('CLI-359 a run without a name is called after the first words of its prompt', async () => {
  const { id: _none, ...rest } = flags(CLAIM)
  const run = look({ json: true })
  expect(await ralph(run, rest)).toBe(0)
  expect(run.documents.at(-1)).toMatchObject({ run: 'fill-work-txt' })
})

test.each([
  ['--promise', 'X', '--no-promise'],
  ['--no-promise', '--promise', 'X'],
])('CLI-396 %s %s %s: a promise and none do not go together', async (...words) => {
  const line = ['ralph', '-p', 'x', '-c', 'true', '--agent-command', 'true', ...words]
  const program = await buildProgram(line, () => {})
  await expect(program.parseAsync(line, { from: 'user' })).rejects.toThrow("don't go together")
})
