import manifest from '../../../package.json' with { type: 'json' }
import { jsonSchema } from '../../schema/json-schema.ts'
import type { SettingsSchema } from '../../schema/read-options.ts'
import { looseMap, needed, NUMBER, WORDS } from '../../schema/kinds.ts'
import type { Endpoint } from './endpoint.ts'

const PROBLEM = looseMap('a problem', {
  type: needed(WORDS),
  title: needed(WORDS),
  status: needed(NUMBER),
  detail: needed(WORDS, 'What happened and how to fix it'),
  code: needed(WORDS, 'A stable code'),
})

/** The API in OpenAPI's form, made from the schemas that requests are read by. */
export function openApi(endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const each of endpoints) {
    const path = `/api/v1${each.path.replaceAll(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [each.method.toLowerCase()]: operationOf(each) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Pawl', version: manifest.version, description: 'Watch loops of AI agents and answer their questions.' },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of the link that `pawl serve` prints.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'pawl' },
      },
      schemas: { Problem: jsonSchema(PROBLEM, 'output') },
    },
  }
}

function operationOf({ method, path, about, query, body, answers, answer, isStream }: Endpoint): object {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string' },
    description: 'The same key again does nothing twice',
  }
  const content = isStream
    ? { 'text/event-stream': { schema: { type: 'string' } } }
    : { 'application/json': { schema: answer ? jsonSchema(answer, 'output') : { type: 'object', description: answers } } }
  return {
    summary: about,
    operationId: operationName(method, path),
    parameters: [...inPath, ...queryParameters(query), ...(method === 'POST' ? [key] : [])],
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body, 'input') } } } } : {}),
    responses: {
      200: { description: answers, content },
      default: {
        description: 'What went wrong',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

function operationName(method: string, path: string): string {
  const words = path
    .split('/')
    .filter((word) => word !== '')
    .map((word) => word.replace(':', 'by-'))
  return [method.toLowerCase(), ...words].join('-')
}

function queryParameters(query: SettingsSchema | undefined): readonly object[] {
  if (!query) return []
  const { properties = {}, required = [] } = jsonSchema(query, 'input') as {
    properties?: Record<string, { description?: string }>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }))
}
