import type { JSX } from 'preact'
import type { GuardView, Nearness, RunDetail } from '../types.ts'
import { Fold, Panel } from './basics.tsx'

/** The guards and limits of a run, the nearest to its limit first. */
export function Guards({ view }: { readonly view: RunDetail }): JSX.Element | null {
  const counting = view.guards.filter(({ near }) => near.length > 0).toSorted((a, b) => nearest(b) - nearest(a))
  const others = view.guards.filter(({ near }) => near.length === 0)
  if (view.guards.length === 0) return null
  return (
    <Panel title="Guards">
      <ul class="list">
        {counting.flatMap(({ guard, near, isWaived, severity }) =>
          near.map((each) => (
            <li key={`${guard} ${each.what}`} class="stack tight">
              <div class="row between small whole">
                <span>
                  {sentence(each.what)}
                  {severity === 'warn' && <span class="soft"> (only warns)</span>}
                </span>
                <span class="num">{each.words}</span>
              </div>
              <Meter near={each} />
              {isWaived && <span class="tag wait">may be passed once</span>}
            </li>
          )),
        )}
      </ul>
      {others.length > 0 && (
        <div class="pad">
          <Fold title={<span class="small">{others.length} more that don’t count anything yet</span>}>
            {() => (
              <ul class="stack tight small soft">
                {others.map(({ guard, words }) => (
                  <li key={guard}>{words}</li>
                ))}
              </ul>
            )}
          </Fold>
        </div>
      )}
    </Panel>
  )
}

function nearest({ near }: GuardView): number {
  return Math.max(...near.map(({ used, max }) => used / max))
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function Meter({ near: { what, used, max, words } }: { readonly near: Nearness }): JSX.Element {
  const share = Math.min(1, max > 0 ? used / max : 0)
  const level = share >= 1 ? 'over' : share >= 0.75 ? 'near' : ''
  return (
    <span
      class={`meter ${level}`}
      role="meter"
      aria-label={what}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={words}
    >
      <span style={{ width: `${share * 100}%` }} />
    </span>
  )
}
