import type { Tool } from './tool.ts'
import { checkpointCleanup } from './tools/checkpoint-cleanup.ts'
import { checkpointCreate } from './tools/checkpoint-create.ts'
import { checkpointGet } from './tools/checkpoint-get.ts'
import { checkpointList } from './tools/checkpoint-list.ts'
import { checkpointResume } from './tools/checkpoint-resume.ts'
import { hookEvaluate } from './tools/hook-evaluate.ts'
import { hookClear, hookList, hookRegister } from './tools/hook-tools.ts'
import { iterationCheck } from './tools/iteration-check.ts'
import { iterationComplete } from './tools/iteration-complete.ts'
import { iterationNext } from './tools/iteration-next.ts'
import { iterationStart } from './tools/iteration-start.ts'
import { iterationValidate } from './tools/iteration-validate.ts'
import { researchReport } from './tools/research-report.ts'
import { researchStep } from './tools/research-step.ts'
import { runAnswer } from './tools/run-answer.ts'
import { runHistory } from './tools/run-history.ts'
import { runList } from './tools/run-list.ts'
import { runQuestion } from './tools/run-question.ts'

/** Every tool of the server, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  iterationStart,
  iterationValidate,
  iterationNext,
  iterationComplete,
  iterationCheck,
  checkpointCreate,
  checkpointGet,
  checkpointResume,
  checkpointList,
  checkpointCleanup,
  hookRegister,
  hookEvaluate,
  hookList,
  hookClear,
  researchStep,
  researchReport,
  runQuestion,
  runAnswer,
  runList,
  runHistory,
]
