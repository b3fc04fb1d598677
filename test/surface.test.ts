import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { surface } from './surface/surface.ts'

const HELP = `What users can touch has changed: see the lines marked + (as it is) and - (as test/surface.json has it).
If dist is older than src, build first: npx tsdown --logLevel warn
If the change is meant, write docs/decisions/NNNN-….md and accept it: npx vitest run test/surface.test.ts -u`

test('DOCS-9 exports, commands, flags, exit codes, MCP tools, hook answers, events and keys of pawl.yaml are those in test/surface.json', async ({
  onTestFailed,
}) => {
  onTestFailed(() => void process.stderr.write(`\n${HELP}\n`))
  expect(existsSync(join(import.meta.dirname, '..', 'dist', 'cli.mjs')), 'Build first: npx tsdown --logLevel warn').toBe(true)
  await expect(await surface()).toMatchFileSnapshot('surface.json')
}, 180_000)
