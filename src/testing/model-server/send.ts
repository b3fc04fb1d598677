import type { ServerResponse } from 'node:http'
import type { Json } from '../../core/json.ts'
import type { Api, Failure } from './api.ts'

/** Sends a document. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** Sends a failure as the API writes it. */
export function sendFailure(response: ServerResponse, api: Api, failure: Failure): void {
  const { body, headers } = api.failure(failure)
  sendJson(response, failure.status, body, headers)
}
