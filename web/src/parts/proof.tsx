import type { JSX } from 'preact'
import { proofDetails } from '../../../src/present/proof-view.ts'
import type { ProofView } from '../types.ts'
import { Panel } from './basics.tsx'

/** Why a success is believed, or what speaks against it. */
export function Proof({ proof }: { readonly proof: ProofView }): JSX.Element {
  const isGood = proof.level !== 'unproven' && proof.findings.length === 0
  return (
    <Panel title="Proof" aside={<span class={`tag ${isGood ? 'good' : 'bad'}`}>{proof.level}</span>}>
      <div class="pad stack tight">
        <p>{proof.summary}</p>
        <ul class="stack tight small soft">
          {proofDetails(proof).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {proof.reviewers && <p class="small">Approved by {proof.reviewers.join(', ')}</p>}
      </div>
    </Panel>
  )
}
