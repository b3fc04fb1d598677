import {
  ANY_MAP,
  byDefault,
  eitherOf,
  FLAG,
  listOf,
  listUpTo,
  nameUpTo,
  needed,
  NUMBER,
  oneOf,
  optional,
  settingsSchema,
  TEXTS,
  wholeNumberBetween,
  WORDS,
} from '../../schema/kinds.ts'
import { dirname, join } from 'node:path'
import { builtInFolds } from '../../loops/evolve.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { PartSpec } from '../../core/run-config.ts'
import { redactJson } from '../../secrets/filter.ts'
import {
  checkpointOf,
  handedIn,
  LEAD,
  leadAnswer,
  type LeadAnswer,
  leadConfig,
  type LeadHandIn,
  markdownReport,
  researchResult,
  type ResearchSettings,
} from '../../loops/research/index.ts'
import { handInWork } from '../../engine/hand-in-work.ts'
import { loadState } from '../../engine/session.ts'
import { workspaceSpec } from '../../settings/find-project.ts'
import { loadConfig } from '../../settings/load-config.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { thinkerSpec } from '../../settings/reviewers.ts'
import { loadResearchFile, RESEARCH_FILE } from '../../settings/research-file.ts'
import { type ResultOf, TASK_ID, tool } from './tool.ts'

const HAND_IN = settingsSchema({
  role: needed(nameUpTo(60), 'The specialist, as it was asked for; in the first call any name, such as lead.'),
  key: optional(WORDS, 'The key of the agent, where several have the same role.'),
  answer: optional(
    eitherOf('a map or a text', ANY_MAP, WORDS),
    'The JSON object that the prompt asks for, or the words that end with it.',
  ),
  failed: optional(WORDS, 'Why the agent failed, instead of an answer.'),
})

const AGENT_REQUEST = settingsSchema({
  key: WORDS,
  role: WORDS,
  agent: WORDS,
  subagent_type: WORDS,
  description: WORDS,
  prompt: WORDS,
  model: WORDS,
})

const REFUSED = settingsSchema({ role: WORDS, key: WORDS, errors: TEXTS, isFailure: optional(FLAG) })

const MAPS = listOf('a list of maps', ANY_MAP)

const OUTPUT = settingsSchema({
  run: WORDS,
  decision: oneOf(['CONTINUE', 'EXIT', 'WAIT']),
  status: optional(oneOf(['FULL', 'PARTIAL'])),
  reason: optional(WORDS),
  iteration: optional(NUMBER),
  /** Spawn them all at once, each with its whole prompt, and hand in what they answer. */
  agents: listOf('a list of agents', AGENT_REQUEST),
  /** Answers that were not taken: hand the fixed one in under its key. */
  refused: optional(listOf('a list of answers', REFUSED)),
  convergence: optional(ANY_MAP),
  questions: MAPS,
  findings: MAPS,
})

/** One step of research that a lead agent drives. */
export const researchStep = tool({
  name: 'research_step',
  title: 'Research, step by step',
  description:
    'Research on this codebase that you lead: call it with a question, spawn the agents that it names (each with its whole prompt), and call it again with what they answered, until it says EXIT. Every citation is verified here; it knows what is still missing and says with numbers why it ends.',
  input: settingsSchema({
    runId: needed(TASK_ID, 'The name of the research; the same name continues it, also after a crash.'),
    question: optional(nameUpTo(20_000), 'What is to be found out; needed in the first call.'),
    answers: byDefault(
      listUpTo(20, 'a list of at most 20 answers', HAND_IN),
      [],
      'What the agents of the last step brought, or findings to begin with.',
    ),
    strategy: optional(oneOf(['auto', 'narrow', 'broad', 'comprehensive'])),
    maxIterations: optional(wholeNumberBetween(1, 20)),
  }),
  output: OUTPUT,
  call: async ({ runId: run, question, answers, strategy, maxIterations }, { project, signal }) => {
    const { store, root, storePath } = project
    const known = await loadState(store, run, builtInFolds)
    if (!known && question === undefined)
      throw new PawlError('research.no-question', `There is no research ${run} yet: say with question what is to be found out.`)
    if (known && known.config.loop.name !== 'research')
      throw new PawlError(
        'research.other-loop',
        `Run ${run} is a run of the ${known.config.loop.name} loop: choose another runId.`,
      )
    if (known && question !== undefined && known.config.loop.settings['goal'] !== (await redactJson(question)))
      throw new PawlError(
        'research.other-question',
        `Research ${run} asks something else: leave question out, or choose another runId.`,
      )
    const { overrides } = known ? { overrides: {} } : await loadResearchFile(join(root, RESEARCH_FILE), false)
    const settings: ResearchSettings = {
      goal: question ?? '',
      ...overrides,
      ...(strategy === undefined ? {} : { strategy }),
      ...(maxIterations === undefined ? {} : { iterationsMax: maxIterations }),
    }
    const judge = known ? {} : judgeRole(await loadConfig(join(root, 'pawl.yaml')))
    const specs = { guards: [], workspace: workspaceSpec(root), codebase: codebaseSpec(root, storePath), ...judge }
    const given = answers as readonly LeadHandIn[]
    const parts = await project.partsFor(known?.given ?? leadConfig(settings, given, specs), LEAD.name)
    const { state, works } = await handInWork(parts, run, (wanted) => handedIn(run, wanted.works, given), signal)
    return viewOf(run, leadAnswer(state, works))
  },
})

/** The agent that pawl.yaml has for the role `judge`, which Pawl starts itself: what a lead's own agents say of their answers is only claimed. */
function judgeRole(config: PawlConfig | undefined): { readonly roles?: Readonly<Record<string, PartSpec>> } {
  const name = config?.roles?.['judge']
  return name === undefined ? {} : { roles: { judge: thinkerSpec('research', name, config) } }
}

/** The files of a folder as data; what was read of them is kept beside the store. */
function codebaseSpec(path: string, storePath: string): PartSpec {
  return { name: 'folder-codebase', v: 1, settings: { path, cachePath: join(dirname(storePath), 'code.db') } }
}

function viewOf(run: string, { result: { questions, findings }, ...answer }: LeadAnswer): ResultOf<typeof OUTPUT> {
  return { run, agents: [], ...answer, questions, findings }
}

/** What research has come to so far, also of one that the command line drives. */
export const researchReport = tool({
  name: 'research_report',
  title: 'Report of research',
  description:
    'Shows what research has come to: a report in Markdown with every verified citation, the same as data, or a checkpoint.',
  isReadOnly: true,
  input: settingsSchema({
    runId: needed(TASK_ID, 'The name of the research.'),
    format: byDefault(oneOf(['markdown', 'json', 'checkpoint']), 'markdown'),
  }),
  output: settingsSchema({
    run: WORDS,
    status: oneOf(['not_converged', 'FULL', 'PARTIAL']),
    report: optional(WORDS),
    result: optional(ANY_MAP),
  }),
  call: async ({ runId: run, format }, { project }) => {
    const state = await loadState(project.store, run, builtInFolds)
    if (!state?.slices?.research)
      throw new PawlError('research.unknown', `There is no research ${run}: run_list names the runs there are.`)
    const result = researchResult(state)
    const { status } = result
    if (format === 'markdown') return { run, status, report: markdownReport(result) }
    return { run, status, result: format === 'json' ? result : checkpointOf(state) }
  },
})
