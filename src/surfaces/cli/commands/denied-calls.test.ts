import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../../test/support/cli-project.ts'
import { EXIT } from '../exit-codes.ts'
import type { RunView } from '../../../present/run-view.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'
import { task } from './task.ts'

/** A Claude Code that may not install anything, unless it may do all. */
const SCRIPT = `#!/bin/sh
cat > /dev/null
denials='[{"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"npm install left-pad"}}]'
case "$*" in *bypassPermissions*) denials='[]'; echo done > work.txt;; esac
echo '{"type":"assistant","session_id":"s","message":{"id":"m","content":[{"type":"text","text":"I could not."}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"I could not.","total_cost_usd":0.1,"permission_denials":'"$denials"'}'
`
const MESSAGE = '1 call of claude was denied in permission mode edit: Bash npm install left-pad.'
const FIX = "Allow what it needs in claude's own settings, or continue with --permission-mode full in a container."

test('CLI-424 what an agent was denied is shown while it runs, on the card and by show, with a fix that works', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  writeFileSync(join(project.root, 'agent'), SCRIPT)
  chmodSync(join(project.root, 'agent'), 0o755)
  writeFileSync(
    join(project.root, 'pawl.yaml'),
    'agent: claude\nagents: { claude: { program: ./agent } }\nchecks: [{ name: t, command: "grep -q done work.txt" }]\n',
  )
  const started = project.look({ columns: 80 })
  expect(await task(started, { id: 'r', ask: false, maxIterations: '2' }, ['work.txt says done'])).toBe(EXIT.waiting)
  expect(started.out.filter((line) => line === `          note: ${MESSAGE} ${FIX}`)).toHaveLength(2)
  const card = started.out.slice(started.out.findIndex((line) => line.startsWith('■ r ')))
  const words = card.join(' ').replaceAll(/\s+/g, ' ')
  expect(words).toContain(`Note ${MESSAGE} ${FIX}`)
  expect(words).toContain('the agent changed nothing; its own rules denied it 1 call.')
  expect(words).toContain('May the agent do what it was denied?')
  expect(words.split(FIX)).toHaveLength(2)
  const [text, data] = [project.look(), project.look({ json: true })]
  await show(text, 'r')
  await show(data, 'r')
  expect(text.out.join(' ').replaceAll(/\s+/g, ' ')).toContain(`Note ${MESSAGE} ${FIX}`)
  const view = data.documents[0] as RunView
  expect(view.hints).toEqual([`${MESSAGE} ${FIX}`])
  expect(view.iterations.map(({ said }) => said)).toEqual(['I could not.', 'I could not.'])
  expect(await resume(project.look(), { permissionMode: 'full', maxIterations: '3', ask: false }, 'r')).toBe(EXIT.done)
  const after = project.look({ json: true })
  await show(after, 'r')
  expect((after.documents[0] as RunView).hints, 'its last work was denied nothing').toBeUndefined()
})
