import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leakedIn, oddKeys } from '../support/planted-secrets.ts'
import { plantedSecrets } from '../../src/testing/planted-secrets.ts'
import { makeProject } from './project.ts'

test('RUN-134 a secret that an agent, a check or a person lets slip is nowhere in the store and in nothing that is printed', async (context) => {
  const project = await makeProject(context)
  const secrets = plantedSecrets()
  await project.note('secrets', `${secrets.map(({ text }) => text).join('\n')}\n`)
  const agent = await project.script(
    'agent.sh',
    `cat >/dev/null; cat "$NOTES/secrets"; cat "$NOTES/secrets" >&2; cp "$NOTES/secrets" leaked.txt
    printf '{"summary": "%s", "costUsd": 1}' "$(grep ghp "$NOTES/secrets" | head -1)" >"$PAWL_REPORT_FILE"
    [ "$PAWL_ITERATION" = 1 ]`,
  )
  const check = await project.script('check.sh', 'cat "$NOTES/secrets"; exit 1')
  const token = secrets.find(({ name }) => name === 'GitHub token')?.secret ?? ''
  const printed = [
    await project.pawl(
      'task',
      `use ${token}`,
      '--id',
      'leak',
      '--agent-command',
      agent,
      '--check',
      check,
      '-n',
      '1',
      '--worktree',
    ),
    await project.pawl('answer', 'leak', '1', '--note', `the key is ${token}`),
    await project.pawl('resume', 'leak', '-n', '2'),
  ]
  expect(printed.map(({ code }) => code)).toEqual([3, 0, 3])
  expect(await project.of('leak', 'work.finished')).toHaveLength(1)
  expect(await project.of('leak', 'work.failed')).toHaveLength(1)
  for (const words of [
    ['log', 'leak'],
    ['show', 'leak', '--json'],
    ['export', 'leak', '--format', 'markdown'],
  ]) {
    printed.push(await project.pawl(...words))
  }
  const folder = join(project.root, '.pawl')
  const names = (await readdir(folder)).filter((name) => name.startsWith('pawl.db'))
  expect(names).toContain('pawl.db')
  const bytes = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))
  const everything = [...bytes, ...printed.flatMap(({ stdout, stderr }) => [stdout, stderr])]
  expect(secrets.filter(({ secret }) => everything.some((text) => text.includes(secret))).map(({ name }) => name)).toEqual([])
})

test('SECRET-27 no key that Pawl hands to an agent or a check is in the store or in anything that is printed, whatever it looks like', async (context) => {
  const project = await makeProject(context)
  const [key] = oddKeys()
  const env = { ODD_TOKEN: key?.secret ?? '' }
  const agent = await project.script(
    'agent.sh',
    'cat >/dev/null; echo "agent uses $ODD_TOKEN"; echo "$ODD_TOKEN" >used.txt; exit 1',
  )
  const check = await project.script('check.sh', 'echo "check uses $ODD_TOKEN"; exit 1')
  await writeFile(
    join(project.root, 'pawl.yaml'),
    `agents: { odd: { command: "${agent}", environment: [ODD_TOKEN] } }\nchecks:\n  - { name: tests, command: "${check}", environment: [ODD_TOKEN] }\n`,
  )
  const printed = [
    await project.over(project.start(['task', `use ${env.ODD_TOKEN}`, '--id', 'odd', '--agent', 'odd', '-n', '1'], { env })),
  ]
  // Nor where a person repeats it.
  const answer = ['answer', 'odd', '1', '--note', `it is ${env.ODD_TOKEN}`]
  printed.push(await project.over(project.start(answer, { env })))
  for (const words of [
    ['log', 'odd'],
    ['show', 'odd', '--json'],
    ['export', 'odd', '--format', 'markdown'],
  ])
    printed.push(await project.pawl(...words))
  expect(printed.map(({ code }) => code)).toEqual([3, 0, 0, 0, 0])
  const folder = join(project.root, '.pawl')
  const names = (await readdir(folder)).filter((name) => name.startsWith('pawl.db'))
  const bytes = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))
  const everything = [...bytes, ...printed.flatMap(({ stdout, stderr }) => [stdout, stderr])].join('\n')
  expect(everything).toContain('[redacted: ODD_TOKEN]')
  expect(leakedIn(everything, oddKeys())).toEqual([])
})

test('SECRET-29 a run continues in its folder, though a variable that may hold a secret has the name of that folder as its value', async (context) => {
  const project = await makeProject(context)
  const above = project.root.split('/').find((name) => name.length >= 8) ?? ''
  const env = { SHOP_KEY: above }
  const words = ['task', 'go on', '--id', 'on', '--agent-command', 'true', '--check', 'test -e done', '-n', '1', '--worktree']
  expect(await project.over(project.start(words, { env }))).toMatchObject({ code: 3 })
  expect(await project.over(project.start(['answer', 'on', '1', '--resume'], { env }))).toMatchObject({ code: 3 })
  expect(above).not.toBe('')
  expect(await project.of('on', 'iteration.ended')).not.toHaveLength(1)
})

test('SECRET-26 variables that are only said about secrets change neither the name of a run nor its parts, and it continues', async (context) => {
  const project = await makeProject(context)
  const env = { JWT_ISSUER: 'my-company', AUTH_HOST: '127.0.0.1', FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9099' }
  const agent = await project.script('agent.sh', 'cat >"$NOTES/brief"')
  const check = await project.script('check.sh', 'echo "$1" >>"$NOTES/checked"; exit 1')
  const goal = 'Fix the my-company login at localhost:9099'
  const words = ['task', goal, '--agent-command', agent, '--check', `${check} 127.0.0.1`, '-n', '1']
  expect(await project.over(project.start(words, { env }))).toMatchObject({ code: 3 })
  expect(await readFile(join(project.notes, 'brief'), 'utf8')).toContain(goal)
  const run = 'fix-the-my-company-login-at-localhost-90'
  expect(await project.over(project.start(['answer', run, '1', '--resume'], { env }))).toMatchObject({ code: 3 })
  const checked = (await readFile(join(project.notes, 'checked'), 'utf8')).trim().split('\n')
  expect(checked.length).toBeGreaterThan(2)
  expect(new Set(checked)).toEqual(new Set(['127.0.0.1']))
})

test('SECRET-35 a run whose name holds a known value continues; one that is named after its goal is named without it', async (context) => {
  const project = await makeProject(context)
  const env = { SHOP_KEY: 'my-company-9' }
  const how = ['--agent-command', 'true', '--check', 'test -e done', '-n', '1']
  const named = ['task', 'go on', '--id', 'for-my-company-9', ...how]
  expect(await project.over(project.start(named, { env }))).toMatchObject({ code: 3 })
  expect(await project.over(project.start(['answer', 'for-my-company-9', '1', '--resume'], { env }))).toMatchObject({ code: 3 })
  const unnamed = await project.over(project.start(['task', 'Fix the my-company-9 login', ...how], { env }))
  expect(unnamed).toMatchObject({ code: 3 })
  expect(unnamed.stdout).toContain('fix-the-redacted-shop-key-login')
  expect(unnamed.stdout).not.toContain(env.SHOP_KEY)
})

test('SECRET-49 several goals with a secret in one of them begin, their tasks are named without it, and the same call continues them', async (context) => {
  const project = await makeProject(context)
  const env = { SHOP_KEY: 'shop-word-1' }
  const how = ['--agent-command', 'true', '--check', 'test -e done', '-n', '1', '--id', 'goals']
  const words = ['task', 'use shop-word-1', 'and more', ...how]
  expect(await project.over(project.start(words, { env }))).toMatchObject({ code: 3 })
  expect(await project.over(project.start(words, { env }))).toMatchObject({ code: 3 })
  const [started] = await project.of('goals', 'run.started')
  expect(started).toMatchObject({
    data: { config: { loop: { settings: { tasks: [{ id: 'use-redacted-shop-key' }, { id: 'and-more' }] } } } },
  })
  expect(JSON.stringify(started)).not.toContain(env.SHOP_KEY)
})

test('SECRET-49 a plan with a secret in an item begins, and the same call continues it', async (context) => {
  const project = await makeProject(context)
  const env = { SHOP_KEY: 'shop-word-1' }
  await writeFile(join(project.root, 'plan.md'), '- [ ] use shop-word-1\n- [ ] and more\n')
  await writeFile(join(project.root, 'pawl.yaml'), 'agents: { idle: { command: "true" } }\nagent: idle\nreviewer: idle\n')
  const words = ['review', 'plan.md', '--id', 'plan', '--check', 'test -e done', '--no-ask']
  for (const _ of ['begins', 'goes on']) {
    const { stderr } = await project.over(project.start(words, { env }))
    expect(stderr).toBe('')
  }
  const [started] = await project.of('plan', 'run.started')
  expect(started).toMatchObject({ data: { config: { loop: { settings: { items: [{ id: 'use-redacted-shop-key' }, {}] } } } } })
})

test('SECRET-49 research whose question holds a secret continues by the same call', async (context) => {
  const project = await makeProject(context)
  const env = { SHOP_KEY: 'shop-word-1' }
  const agent = await project.script(
    'agent.sh',
    'cat >/dev/null; echo \'{"fault":"config","message":"no key"}\' >"$PAWL_REPORT_FILE"',
  )
  const words = ['research', 'How does shop-word-1 work?', '--id', 'look', '--no-ask', '--agent-command', agent]
  for (const _ of ['begins', 'goes on']) expect((await project.over(project.start(words, { env }))).code).toBe(7)
})

test('SECRET-36 a run with a secret in a command is refused before anything is kept or started, and continues without the variable', async (context) => {
  const project = await makeProject(context)
  const env = { SHOP_KEY: 'my-company-9' }
  const agent = await project.script('agent.sh', 'cat >/dev/null; echo "$1" >>"$NOTES/worked"')
  const words = [
    'task',
    'go on',
    '--agent-command',
    `${agent} my-company-9`,
    '--check',
    'test -e done',
    '-n',
    '1',
    '--id',
    'shop',
  ]
  const refused = await project.over(project.start(words, { env }))
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('agent.command holds the value of SHOP_KEY') })
  expect(`${refused.stdout}${refused.stderr}`).not.toContain(env.SHOP_KEY)
  expect((await project.pawl('ls', '--json')).stdout).not.toContain('shop')
  expect(await project.pawl(...words)).toMatchObject({ code: 3 })
  const later = await project.over(project.start(['resume', 'shop', '-n', '2'], { env }))
  expect(later).toMatchObject({ code: 1, stderr: expect.stringContaining('env -u SHOP_KEY pawl') })
  expect(await project.pawl('resume', 'shop', '-n', '2')).toMatchObject({ code: 3 })
  expect(await readFile(join(project.notes, 'worked'), 'utf8')).toBe('my-company-9\nmy-company-9\n')
})
