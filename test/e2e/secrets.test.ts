import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
