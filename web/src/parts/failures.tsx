import type { JSX } from 'preact'
import type { Failure } from '../types.ts'
import { Fold, Text } from './basics.tsx'

/** How many failures are shown before the rest is folded. */
const SHOWN_MAX = 10

/** What fails, as data: the test, the place, what was expected and what came. */
export function Failures({ failures }: { readonly failures: readonly Failure[] }): JSX.Element {
  const rest = failures.slice(SHOWN_MAX)
  return (
    <>
      <ul class="list">
        {failures.slice(0, SHOWN_MAX).map((failure, index) => (
          <OneFailure key={index} failure={failure} />
        ))}
      </ul>
      {rest.length > 0 && (
        <div class="pad">
          <Fold title={`${rest.length} more`}>
            {() => (
              <ul class="list">
                {rest.map((failure, index) => (
                  <OneFailure key={index} failure={failure} />
                ))}
              </ul>
            )}
          </Fold>
        </div>
      )}
    </>
  )
}

/** One failure. */
export function OneFailure({ failure }: { readonly failure: Failure }): JSX.Element {
  const { id, message, file, line, expected, received, frame, severity, isFlaky } = failure
  const hasValues = expected !== undefined && received !== undefined
  return (
    <li class="stack tight">
      <div class="row between">
        <strong>{shortened(id)}</strong>
        <span class="row small">
          {severity && <span class={`tag ${severity === 'minor' ? '' : 'bad'}`}>{severity}</span>}
          {isFlaky && <span class="tag wait">flaky</span>}
          {file !== undefined && (
            <code class="soft">
              {file}
              {line === undefined ? '' : `:${line}`}
            </code>
          )}
        </span>
      </div>
      {hasValues && (
        <dl class="expected">
          <dt class="soft">expected</dt>
          <dd class="good">{shortened(expected)}</dd>
          <dt class="soft">received</dt>
          <dd class="bad">{shortened(received)}</dd>
        </dl>
      )}
      {message !== '' &&
        message !== id &&
        (message.length > 300 || message.includes('\n') ? <Text text={message} /> : <p class="words small">{message}</p>)}
      {frame !== undefined && <code class="soft small">at {frame}</code>}
    </li>
  )
}

function shortened(text: string): string {
  return text.length > 600 ? `${text.slice(0, 600)} …` : text
}
