import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { useResource } from '../api.ts'
import { counted, thousands } from '../format.ts'
import { Fold, Loaded, Panel } from '../parts/basics.tsx'
import { Chart } from '../parts/chart.tsx'
import type { ResearchResult } from '../types.ts'
import type { RunProps } from './run.tsx'

type Finding = ResearchResult['findings'][number]

/** Research: the questions with their answers and the code they rest on, how it converged, what is missing and what contradicts. */
export function Research({ view, version }: RunProps): JSX.Element {
  const found = useResource<ResearchResult>(`/runs/${encodeURIComponent(view.run)}/research`, version)
  return (
    <Loaded of={found} height={400}>
      {(result) => (
        <div class="stack">
          <Convergence result={result} />
          <Questions result={result} />
          <Others result={result} />
          <Gaps result={result} />
          <Conflicts result={result} />
        </div>
      )}
    </Loaded>
  )
}

const STATUS = {
  FULL: ['good', 'all criteria met'],
  PARTIAL: ['wait', 'ended with criteria unmet'],
  not_converged: ['', 'not converged yet'],
} as const

function Convergence({ result }: { readonly result: ResearchResult }): JSX.Element {
  const { convergences, status, coverage, confidence, unmet } = result
  const { x, series } = useMemo(() => {
    const share = (value: number): string => `${Math.round(value * 100)}%`
    return {
      x: convergences.map(({ iteration }) => iteration),
      series: [
        { label: 'Coverage', values: convergences.map((each) => each.coverage), colour: '--accent', scale: 'share', text: share },
        {
          label: 'Confidence',
          values: convergences.map((each) => each.confidence),
          colour: '--good',
          scale: 'share',
          text: share,
          isDashed: true,
        },
        {
          label: 'Open conflicts',
          values: convergences.map((each) => each.unresolvedConflicts),
          colour: '--bad',
          scale: 'conflicts',
          text: thousands,
          isWhole: true,
        },
      ],
    }
  }, [result])
  const [tone, words] = STATUS[status] ?? ['', status]
  const last = convergences.at(-1)
  return (
    <Panel title="Convergence" aside={<span class={`tag ${tone}`}>{words}</span>}>
      {convergences.length > 1 && <Chart x={x} series={series} label="Coverage and confidence over the iterations" />}
      <div class="pad stack tight">
        <dl class="figures">
          <div>
            <dt>Coverage</dt>
            <dd>{Math.round(coverage.coverage * 100)}%</dd>
          </div>
          <div>
            <dt>Confidence</dt>
            <dd>{Math.round(confidence * 100)}%</dd>
          </div>
          <div>
            <dt>Findings</dt>
            <dd>{thousands(result.findings.length)}</dd>
          </div>
          <div>
            <dt>Critical questions</dt>
            <dd>{last ? `${last.questionsAnswered} of ${last.questionsCritical}` : '0'}</dd>
          </div>
        </dl>
        {last && <p class="small soft">{last.reason}</p>}
        {unmet.length > 0 && <p class="small">Unmet: {unmet.join(', ')}</p>}
      </div>
    </Panel>
  )
}

function Questions({ result }: { readonly result: ResearchResult }): JSX.Element {
  const byId = new Map(result.findings.map((finding) => [finding.id, finding]))
  return (
    <>
      {result.questions.map(({ id, text, status, isCritical, findings, missing }) => (
        <Panel
          key={id}
          title={text}
          aside={
            <span class="row">
              {isCritical && <span class="tag">critical</span>}
              <span class={`tag ${status === 'answered' ? 'good' : 'wait'}`}>{status === 'not' ? 'not answered' : status}</span>
            </span>
          }
        >
          <ul class="list">
            {findings
              .flatMap((each) => byId.get(each) ?? [])
              .map((finding) => (
                <Answer key={finding.id} finding={finding} />
              ))}
          </ul>
          {missing && <p class="pad small wait">Missing: {missing}</p>}
          {findings.length === 0 && !missing && <p class="pad soft">No finding answers it yet.</p>}
        </Panel>
      ))}
    </>
  )
}

/** A finding, with the code that it cites beside it. */
function Answer({ finding }: { readonly finding: Finding }): JSX.Element {
  const { description, confidence, sourceAgents } = finding
  // Several agents may have cited the same lines.
  const citations = [...new Map(finding.citations.map((each) => [`${each.file}:${each.line} ${each.snippet}`, each])).values()]
  return (
    <li class="two">
      <div class="stack tight">
        <p class="words">{description}</p>
        <p class="small soft num">
          {Math.round(confidence * 100)}% sure · {sourceAgents.join(', ')}
        </p>
      </div>
      <div class="stack tight">
        {citations.slice(0, 4).map((citation, index) => (
          <figure key={index} class="stack tight">
            <figcaption class="row between small">
              <code>
                {citation.file}:{citation.line}
              </code>
              <span class={`tag ${citation.status === 'exact' ? 'good' : citation.status === 'drifted' ? '' : 'bad'}`}>
                {citation.status}
              </span>
            </figcaption>
            {citation.snippet !== '' && <pre class="text">{citation.snippet.slice(0, 1500)}</pre>}
          </figure>
        ))}
        {citations.length > 4 && <p class="small soft">{counted(citations.length - 4, 'more citation')}</p>}
      </div>
    </li>
  )
}

/** Findings that answer no question. */
function Others({ result }: { readonly result: ResearchResult }): JSX.Element | null {
  const used = new Set(result.questions.flatMap(({ findings }) => findings))
  const others = result.findings.filter(({ id }) => !used.has(id))
  if (others.length === 0) return null
  return (
    <Panel title={counted(others.length, 'other finding')}>
      <div class="pad">
        <Fold title="Findings that answer no question" isOpen={used.size === 0}>
          {() => (
            <ul class="list">
              {others.slice(0, 200).map((finding) => (
                <Answer key={finding.id} finding={finding} />
              ))}
            </ul>
          )}
        </Fold>
      </div>
    </Panel>
  )
}

function Gaps({ result }: { readonly result: ResearchResult }): JSX.Element {
  const names = new Map([
    ...result.findings.map(({ id, description }) => [id, description] as const),
    ...result.questions.map(({ id, text }) => [id, text] as const),
  ])
  // "confidence finding-001": the finding's own words say more than its number.
  const topicOf = (topic: string): string => {
    const [kind = '', id = ''] = topic.split(' ')
    const name = names.get(id)
    return name === undefined ? topic : `${kind.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase())}: ${name}`
  }
  return (
    <Panel title="Gaps" aside={<span class="soft small num">{counted(result.gaps.length, 'gap')}</span>}>
      {result.gaps.length === 0 ? (
        <p class="pad soft">Nothing is known to be missing.</p>
      ) : (
        <ul class="list">
          {result.gaps.slice(0, 100).map((gap) => (
            <li key={gap.id} class="stack tight">
              <div class="row between">
                <span>{topicOf(gap.topic)}</span>
                <span class="row small">
                  <span class="tag">{gap.kind.replaceAll('_', ' ')}</span>
                  <span class="tag">{gap.status}</span>
                </span>
              </div>
              <p class="small soft">
                since iteration {gap.iterationFound} · {counted(gap.attempts, 'attempt')}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Conflicts({ result }: { readonly result: ResearchResult }): JSX.Element {
  const byId = new Map(result.findings.map((finding) => [finding.id, finding]))
  return (
    <Panel title="Conflicts" aside={<span class="soft small num">{counted(result.conflicts.length, 'conflict')}</span>}>
      {result.conflicts.length === 0 ? (
        <p class="pad soft">No finding contradicts another.</p>
      ) : (
        <ul class="list">
          {result.conflicts.map(({ id, topic, sides, resolution, rootCause }) => (
            <li key={id} class="stack tight">
              <div class="row between">
                <strong>{topic}</strong>
                <span class={`tag ${resolution ? 'good' : 'bad'}`}>{resolution ? 'resolved' : 'open'}</span>
              </div>
              <div class="two small">
                {sides.map(({ finding, value }) => (
                  <p key={finding}>
                    <code>{value}</code> <span class="soft">{byId.get(finding)?.description ?? finding}</span>
                  </p>
                ))}
              </div>
              {rootCause && <p class="small soft">{rootCause}</p>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
