import { dirname, join } from 'node:path'
import { builtInFolds } from '../../loops/evolve.ts'
import { z } from 'zod'
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
import { anyMap, exactly, TASK_ID, tool } from './tool.ts'

const handIn = exactly(
  'an answer',
  'field',
  z.object({
    role: z.string().min(1).max(60).describe('The specialist, as it was asked for; in the first call any name, such as lead.'),
    key: z.string().optional().describe('The key of the agent, where several have the same role.'),
    answer: z
      .union([anyMap, z.string()])
      .optional()
      .describe('The JSON object that the prompt asks for, or the words that end with it.'),
    failed: z.string().optional().describe('Why the agent failed, instead of an answer.'),
  }),
)

const agent = z.object({
  key: z.string(),
  role: z.string(),
  subagent_type: z.string(),
  description: z.string(),
  prompt: z.string(),
  model: z.enum(['fast', 'deep']),
})

const output = z.object({
  run: z.string(),
  decision: z.enum(['CONTINUE', 'EXIT', 'WAIT']),
  status: z.enum(['FULL', 'PARTIAL']).optional(),
  reason: z.string().optional(),
  iteration: z.number().optional(),
  /** Spawn them all at once, each with its whole prompt, and hand in what they answer. */
  agents: z.array(agent),
  /** Answers that were not taken: hand the mended one in under its key. */
  refused: z
    .array(z.object({ role: z.string(), key: z.string(), errors: z.array(z.string()), isFailure: z.boolean().optional() }))
    .optional(),
  convergence: anyMap.optional(),
  questions: z.array(anyMap),
  findings: z.array(anyMap),
})

/** One step of research that a lead agent drives. */
export const researchStep = tool({
  name: 'research_step',
  title: 'Research, step by step',
  description:
    'Research on this codebase that you lead: call it with a question, spawn the agents that it names (each with its whole prompt), and call it again with what they answered, until it says EXIT. Every citation is verified here; it knows what is still missing and says with numbers why it ends.',
  input: z.object({
    runId: TASK_ID.describe('The name of the research; the same name goes on with it, also after a crash.'),
    question: z.string().trim().min(1).max(20_000).optional().describe('What is to be found out; needed in the first call.'),
    answers: z.array(handIn).max(20).default([]).describe('What the agents of the last step brought, or findings to begin with.'),
    strategy: z.enum(['auto', 'narrow', 'broad', 'comprehensive']).optional(),
    maxIterations: z.int().min(1).max(20).optional(),
  }),
  output,
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
    const settings: ResearchSettings = {
      goal: question ?? '',
      ...(strategy === undefined ? {} : { strategy }),
      ...(maxIterations === undefined ? {} : { iterationsMax: maxIterations }),
    }
    const specs = { guards: [], workspace: workspaceSpec(root), codebase: codebaseSpec(root, storePath) }
    const given = answers as readonly LeadHandIn[]
    const parts = await project.partsFor(known?.given ?? leadConfig(settings, given, specs), LEAD.name)
    const { state, works } = await handInWork(parts, run, (wanted) => handedIn(run, wanted.works, given), signal)
    return viewOf(run, leadAnswer(state, works))
  },
})

/** The files of a folder as data; what was read of them is kept beside the store. */
function codebaseSpec(path: string, storePath: string): PartSpec {
  return { name: 'folder-codebase', v: 1, settings: { path, cachePath: join(dirname(storePath), 'code.db') } }
}

function viewOf(run: string, answer: LeadAnswer): z.input<typeof output> {
  const { decision, result } = answer
  return {
    run,
    decision,
    ...('status' in answer ? { status: answer.status } : {}),
    ...('reason' in answer ? { reason: answer.reason } : {}),
    ...('iteration' in answer ? { iteration: answer.iteration } : {}),
    agents: 'agents' in answer ? [...answer.agents] : [],
    ...('refused' in answer && answer.refused
      ? { refused: answer.refused.map(({ errors, ...each }) => ({ ...each, errors: [...errors] })) }
      : {}),
    ...('convergence' in answer && answer.convergence ? { convergence: { ...answer.convergence } } : {}),
    questions: result.questions.map((question) => ({ ...question })),
    findings: result.findings.map((finding) => ({ ...finding })),
  }
}

/** What research has come to so far, also of one that the command line drives. */
export const researchReport = tool({
  name: 'research_report',
  title: 'Report of research',
  description:
    'Shows what research has come to: a report in Markdown with every verified citation, the same as data, or a checkpoint.',
  isReadOnly: true,
  input: z.object({
    runId: TASK_ID.describe('The name of the research.'),
    format: z.enum(['markdown', 'json', 'checkpoint']).default('markdown'),
  }),
  output: z.object({
    run: z.string(),
    status: z.enum(['not_converged', 'FULL', 'PARTIAL']),
    report: z.string().optional(),
    result: anyMap.optional(),
  }),
  call: async ({ runId: run, format }, { project }) => {
    const state = await loadState(project.store, run, builtInFolds)
    if (!state?.slices?.research)
      throw new PawlError('research.unknown', `There is no research ${run}: run_list names the runs there are.`)
    const result = researchResult(state)
    const { status } = result
    if (format === 'markdown') return { run, status, report: markdownReport(result) }
    return { run, status, result: { ...(format === 'json' ? result : checkpointOf(state)) } }
  },
})
