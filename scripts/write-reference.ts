// Writes what the settings' schemas say into the reference, the pages of the guards and the JSON Schema for editors: `npm run reference`.
// test/docs.test.ts fails if one of them is out of step.
import { toJsonSchema } from '@valibot/to-json-schema'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type GuardName, GUARD_NAMES, settingsOf } from '../src/guards/default-guards.ts'
import { type Entries, fileEntries, notesOf, snakeCase } from '../src/schema/file-kinds.ts'
import type { GenericSchema } from '../src/schema/kinds.ts'
import { wantedBy } from '../src/schema/schema-at.ts'
import { ENTRY_SCHEMAS, guardExample, projectSchema } from '../src/settings/project-schema.ts'

const ROOT = dirname(import.meta.dirname)
const YAML = 'docs/reference/pawl-yaml.md'
const SCHEMA = 'schema/pawl.schema.json'

/** The files by their paths, as the schemas have it. */
export function referenceFiles(): Readonly<Record<string, string>> {
  const tables = { 'top level': keyTable(projectSchema.entries), ...entryTables(), guards: guardTable() }
  const pages = GUARD_NAMES.map((name) => {
    const path = `docs/guards/${snakeCase(name).replaceAll('_', '-')}.md`
    return [path, filled(path, { settings: settingsTable(name) })]
  })
  return { [YAML]: filled(YAML, tables), ...Object.fromEntries(pages), [SCHEMA]: jsonSchema() }
}

function keyTable(entries: Entries): string {
  const rows = Object.entries(entries).map(([name, entry]) => {
    const { about, byDefault = '', flag = '', flags = flag.replace(/^.*?(--[\w-]+).*$/, '`$1`') } = notesOf(entry)
    return [`\`${name}\``, about, wantedBy(entry), byDefault, flags]
  })
  return table(['key', 'what it sets', 'value', 'default', 'flag'], rows)
}

function entryTables(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(ENTRY_SCHEMAS).map(([name, { entries }]) => {
      const rows = Object.entries(entries as Entries).map(([key, entry]) => {
        const { about, byDefault = '', isNeeded } = notesOf(entry)
        return [`\`${key}\``, about, wantedBy(entry), isNeeded ? 'needed' : byDefault]
      })
      return [name, table(['key', 'what it sets', 'value', 'default'], rows)]
    }),
  )
}

function guardTable(): string {
  const names = GUARD_NAMES.filter((name) => !settingsOf(name).isLimit)
  const rows = names.map((name) => {
    const page = `../guards/${snakeCase(name).replaceAll('_', '-')}.md`
    const others = Object.entries(fileEntries(settingsOf(name).schema.entries)).filter(([setting]) => setting !== 'severity')
    const settings = others.map(([setting, entry]) => `\`${setting}\` (${wantedBy(entry)})`)
    const off = settingsOf(name).place === undefined ? 'off; an example: ' : ''
    return [`[\`${snakeCase(name)}\`](${page})`, settings.join(', '), `${off}\`${guardExample(name)}\``]
  })
  return table(['key', 'keys in it besides `severity` and `patience`', 'default'], rows)
}

function settingsTable(name: GuardName): string {
  const rows = Object.entries(settingsOf(name).schema.entries).map(([setting, entry]) => {
    const { about, isNeeded } = notesOf(entry)
    const { default: value } = entry as { readonly default?: unknown }
    const byDefault = isNeeded ? 'needed' : value === undefined ? 'none' : `\`${JSON.stringify(value).replaceAll('"', '')}\``
    return [`\`${setting}\``, about, wantedBy(entry), byDefault]
  })
  return table(['setting', 'what it sets', 'value', 'default'], rows)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`)
  return lines.join('\n').replaceAll('| --- ', '|---').replaceAll('---|', '---|')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** The file with its tables between `<!-- NAME: … -->` and `<!-- end -->` written again. */
function filled(path: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce(
    (text, [name, each]) => {
      const place = new RegExp(`(<!-- ${name}: [^\\n]*-->\\n).*?(\\n<!-- end -->)`, 's')
      if (!place.test(text))
        throw new Error(`${path} has no place for the table "${name}": add <!-- ${name}: npm run reference -->.`)
      return text.replace(place, (_whole, before: string, after: string) => `${before}\n${each}\n${after}`)
    },
    readFileSync(join(ROOT, path), 'utf8'),
  )
}

function jsonSchema(): string {
  const schema = toJsonSchema(projectSchema, {
    typeMode: 'input',
    errorMode: 'ignore',
    ignoreActions: ['description', 'metadata'],
    overrideSchema: ({ valibotSchema, jsonSchema: found }) => ({ ...found, ...described(valibotSchema as GenericSchema) }),
  })
  return `${JSON.stringify({ $id: 'pawl.schema.json', title: 'pawl.yaml', ...schema }, null, 2)}\n`
}

/** The default is part of the description, and the links of Markdown, which lead nowhere from a project, are text. */
function described(schema: GenericSchema): { readonly description?: string } {
  const { about, byDefault } = notesOf(schema)
  if (about === '') return {}
  const text = about.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
  return { description: byDefault === undefined ? `${text}.` : `${text}. Default: ${byDefault}.` }
}

if (basename(process.argv[1] ?? '') === 'write-reference.ts') {
  for (const [path, text] of Object.entries(referenceFiles())) writeFileSync(join(ROOT, path), text)
}
