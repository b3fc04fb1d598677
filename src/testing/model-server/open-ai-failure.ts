import type { Failure, FailureAnswer } from './api.ts'

/** Failures as OpenAI's two APIs write them: the reset time is in headers and in the sentence. */
export function openAiFailure({ status, message, resetInSeconds = 0, isUsedUp = false }: Failure): FailureAnswer {
  if (status !== 429) return { body: { error: { message, type: TYPES[status], param: null, code: CODES[status] ?? null } } }
  // As the plans of ChatGPT say it; Codex then ends and names the time.
  if (isUsedUp) {
    const resetsAt = Math.ceil(Date.now() / 1000) + resetInSeconds
    return {
      body: {
        error: {
          type: 'usage_limit_reached',
          message,
          plan_type: 'plus',
          resets_at: resetsAt,
          resets_in_seconds: resetInSeconds,
        },
      },
    }
  }
  return {
    headers: {
      'retry-after': String(resetInSeconds),
      'retry-after-ms': String(resetInSeconds * 1000),
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': `${resetInSeconds}s`,
    },
    body: {
      error: {
        message: `${message} Please try again in ${resetInSeconds}s.`,
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
  }
}

const TYPES: Readonly<Record<number, string>> = { 401: 'invalid_request_error', 500: 'server_error' }
const CODES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 404: 'not_found', 500: 'server_error' }
