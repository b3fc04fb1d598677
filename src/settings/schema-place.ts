import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where editors find the JSON Schema of pawl.yaml, from the folder of the file: in the project's `node_modules`, or in a clone of Pawl.
 * Nothing if Pawl lies outside of the project: the file is shared, and another machine has it elsewhere.
 */
export function schemaFor(root: string): { readonly schema?: string } {
  const installed = join('node_modules', 'pawl', 'schema', 'pawl.schema.json')
  if (existsSync(join(root, installed))) return { schema: asPath(installed) }
  const own = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((place) => existsSync(place))
  const way = own === undefined ? '..' : relative(root, own)
  return way.startsWith('..') || isAbsolute(way) ? {} : { schema: asPath(way) }
}

function asPath(path: string): string {
  return `./${path.split(sep).join('/')}`
}

/** From the source, from the bundle, and from a chunk in a folder of the bundle. */
const PLACES = ['../../schema/pawl.schema.json', '../schema/pawl.schema.json']
