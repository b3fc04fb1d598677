import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configText, schemaFor } from './config-text.ts'
import { parseConfig } from './parse-config.ts'

test('INIT-2 a new file names the JSON Schema where the project has it, and none if it has not', () => {
  const root = mkdtempSync(join(tmpdir(), 'pawl-schema-'))
  try {
    expect(schemaFor(root)).toEqual({})
    mkdirSync(join(root, 'node_modules/pawl/schema'), { recursive: true })
    writeFileSync(join(root, 'node_modules/pawl/schema/pawl.schema.json'), '{}')
    expect(schemaFor(root)).toEqual({ schema: './node_modules/pawl/schema/pawl.schema.json' })
    expect(schemaFor(join(import.meta.dirname, '../..'))).toEqual({ schema: './schema/pawl.schema.json' })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

test('INIT-2 the line for editors comes first, and the file loads', () => {
  const text = configText({ checks: [], schema: './schema/pawl.schema.json' })
  expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./schema/pawl.schema.json')
  expect(parseConfig(text, 'pawl.yaml')).toEqual({ agents: {}, checks: [] })
})
