/** What the API answers with. */
export type {
  AnswerResult,
  CheckView,
  CommandView,
  ComparedRun,
  Comparison,
  DiffFileView,
  DeviceView,
  DiffView,
  EventView,
  ExplainedDecision,
  FilePatch,
  Gap,
  GridRow,
  GridView,
  GuardView,
  IterationDetail,
  IterationShort,
  Nearness,
  Outcomes,
  PairingView,
  PushView,
  ResearchResult,
  ReviewView,
  RunListPage,
  RunListRow,
  SessionView,
  StatsView,
  TakenAnswer,
  TestFate,
  TextView,
  WorkView,
} from '../../src/surfaces/http/contract.ts'
export type { RunAnswer as RunDetail } from '../../src/surfaces/http/contract.ts'
export type { OptionView, QuestionView } from '../../src/present/run-fold.ts'
export type { ProofView } from '../../src/present/proof-view.ts'
export type { Failure } from '../../src/core/failure.ts'
