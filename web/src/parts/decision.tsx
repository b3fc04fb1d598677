import type { JSX } from 'preact'
import type { ExplainedDecision } from '../types.ts'
import { Fold, Panel } from './basics.tsx'
import { Events } from './events.tsx'

const TONES: Readonly<Record<string, string>> = { proceed: 'good', stop: 'bad', escalate: 'wait', wait: 'wait', retry: '' }

/** A decision, the events behind it, and what would have changed it. */
export function Decision({ decision }: { readonly decision: ExplainedDecision }): JSX.Element {
  const { action, message, trips, basisEvents, wouldChange } = decision
  return (
    <Panel
      title={
        <span class="row">
          Decision <span class={`tag ${TONES[action] ?? ''}`}>{action}</span>
        </span>
      }
    >
      <div class="pad stack tight">
        <p class="words">{message}</p>
        {trips.map((trip) => (
          <div key={trip.seq} class="small">
            <span class={`tag ${trip.severity === 'warn' ? '' : 'wait'}`}>{trip.guard}</span> {trip.message}
            {trip.isWaived && <span class="soft"> (allowed once)</span>}
            {trip.isDisputed && <span class="soft"> (false alarm)</span>}
          </div>
        ))}
        {wouldChange.length > 0 && (
          <div class="small">
            <h3>What would have changed it</h3>
            <ul>
              {wouldChange.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </div>
        )}
        {basisEvents.length > 0 && (
          <Fold title={<span class="small">The events behind it</span>}>{() => <Events events={basisEvents} isWhole />}</Fold>
        )}
      </div>
    </Panel>
  )
}
