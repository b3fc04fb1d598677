import { readdirSync, readFileSync } from 'node:fs'
import { expect, expectTypeOf, it } from 'vitest'
import type { Event } from '../core/event.ts'
import type { Json } from '../core/json.ts'
import { evolveAll } from '../loops/evolve.ts'
import type { BacktestDocument } from './backtest-lines.ts'
import { type StopCard, stopCard } from './card.ts'
import { type LedgerGrid, ledgerGrid } from './ledger-grid.ts'
import { type ProvenanceRecord, provenanceRecords } from './provenance.ts'
import { type TreeStep, treeSteps } from './workspace-lines.ts'
import { type QuestionAnswer, questionAnswer } from './question.ts'
import { runRow, type RunRow } from './run-table.ts'
import { type RunView, runView } from './run-view.ts'
import type { ShownStatistics, TuneDocument } from './stats-lines.ts'

/** The type itself if JSON can carry it; a part that JSON can't carry becomes `never`. */
type Plain<Value> = Value extends Json | undefined
  ? Value
  : Value extends ((...given: never[]) => unknown) | Date | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | bigint | symbol
    ? never
    : { [Key in keyof Value]: Plain<Value[Key]> }

it('CLI-216 no view model has a type that JSON cannot carry', () => {
  expectTypeOf<RunView>().toExtend<Plain<RunView>>()
  expectTypeOf<StopCard>().toExtend<Plain<StopCard>>()
  expectTypeOf<LedgerGrid>().toExtend<Plain<LedgerGrid>>()
  expectTypeOf<RunRow>().toExtend<Plain<RunRow>>()
  expectTypeOf<QuestionAnswer>().toExtend<Plain<QuestionAnswer>>()
  expectTypeOf<TreeStep>().toExtend<Plain<TreeStep>>()
  expectTypeOf<ProvenanceRecord>().toExtend<Plain<ProvenanceRecord>>()
  expectTypeOf<ShownStatistics>().toExtend<Plain<ShownStatistics>>()
  expectTypeOf<TuneDocument>().toExtend<Plain<TuneDocument>>()
  expectTypeOf<BacktestDocument>().toExtend<Plain<BacktestDocument>>()
  expectTypeOf<{ readonly at: Date }>().not.toExtend<Plain<{ readonly at: Date }>>()
})

const GOLDEN = new URL('../../test/golden/', import.meta.url)

it.each(readdirSync(GOLDEN))('CLI-216 JSON gives every view model of %s back unchanged', (name) => {
  const lines = readFileSync(new URL(name, GOLDEN), 'utf8').trim().split('\n')
  const all = lines.map((line) => JSON.parse(line) as Event)
  // At the end, and while it goes.
  for (const events of [all, all.slice(0, all.length / 2)]) {
    const view = runView(events)
    const state = evolveAll(undefined, events)
    if (!state) throw new Error('There is no state.')
    const models = [
      view,
      stopCard(view),
      ledgerGrid(events),
      runRow(state, false, view.updatedAt),
      state.question ? questionAnswer('r', state.question) : null,
      treeSteps(events),
      provenanceRecords(events),
    ]
    for (const model of models) expect(JSON.parse(JSON.stringify(model))).toStrictEqual(model)
  }
})
