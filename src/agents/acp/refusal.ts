import { RequestError } from '@agentclientprotocol/sdk'

/** What the agent is or has does not fit the settings. */
export class Unfit extends Error {}

/** An error that the agent answered with; `unfit` where it is ours. */
export interface AcpRefusal {
  readonly code: number | 'unfit'
  readonly message: string
  /** All that it said, as JSON. */
  readonly source: string
}

/** The error as one that can be told; `undefined` for a defect, or an end of the connection. */
export function refusalOf(error: unknown): AcpRefusal | undefined {
  if (error instanceof Unfit) return { code: 'unfit', message: error.message, source: '' }
  if (!(error instanceof RequestError)) return undefined
  const { code, message, data } = error
  const detail = detailIn(data)
  const said = detail === undefined || message.includes(detail) ? message : `${message}: ${detail}`
  return { code, message: said, source: JSON.stringify({ code, message, data }) ?? '' }
}

/** Agents put the telling part into `data`, in several ways. */
function detailIn(data: unknown): string | undefined {
  if (typeof data === 'string') return data
  if (typeof data !== 'object' || data === null) return undefined
  const { details, message, error } = data as Readonly<Record<string, unknown>>
  const inner = typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>)['message'] : error
  return [details, message, inner].find((each) => typeof each === 'string')
}

/** The agent wants to be logged in first. */
export const AUTH_REQUIRED = -32000
