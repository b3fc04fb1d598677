import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  isInputRequiredResult,
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import manifest from '../../../package.json' with { type: 'json' }
import type { Author } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { jsonSchema } from '../../schema/json-schema.ts'
import { readArguments } from '../../schema/read-options.ts'
import { redactText } from '../../secrets/filter.ts'
import type { Call, Tool } from './tool.ts'
import type { McpProject } from './project.ts'
import { checkpointCleanup, checkpointCreate, checkpointGet, checkpointList, checkpointResume } from './checkpoint-tools.ts'
import { hookClear, hookEvaluate, hookList, hookRegister } from './hook-tools.ts'
import { iterationCheck, iterationComplete, iterationNext, iterationValidate } from './iteration-tools.ts'
import { iterationStart } from './iteration-start.ts'
import { researchReport, researchStep } from './research-tools.ts'
import { runAnswer, runHistory, runList, runQuestion } from './run-tools.ts'

const INSTRUCTIONS = `Pawl keeps a loop of iterations honest. Begin with iteration_start: say what you will say when you are done
(completionPromises), and what must hold (validationRules) besides the checks in pawl.yaml, which always run. Then work, call
iteration_validate with what you said, and iteration_next for another round. A promise counts only when every rule passes on the files as
they are. When a guard stops the loop, call run_question: a person decides, not you.`

/** A server with all tools over one project. Every connection, or every request over HTTP, gets one of its own. */
export function mcpServer(project: McpProject): McpServer {
  const server = new McpServer(
    { name: 'pawl', title: 'Pawl', version: manifest.version },
    { instructions: INSTRUCTIONS, capabilities: { tools: {} }, maxToolInputElements: 20_000 },
  )
  for (const { tool, inputSchema, outputSchema } of REGISTRATIONS) {
    const { name, title, description, isReadOnly = false, isDestructive = false } = tool
    const annotations = { title, readOnlyHint: isReadOnly, destructiveHint: isDestructive, openWorldHint: false }
    server.registerTool(name, { title, description, inputSchema, outputSchema, annotations }, async (args, context) =>
      resultOf(tool, args, callOf(project, server, context)),
    )
  }
  return server
}

/** The tool's result as data and as text. An error is reported to the agent with its fix, and never ends the server. */
async function resultOf(tool: Tool, args: unknown, call: Call): Promise<CallToolResult | InputRequiredResult> {
  try {
    const result = await tool.call(readArguments(tool.name, tool.input, args), call)
    if (isInputRequiredResult(result)) return result
    const structuredContent = JSON.parse(JSON.stringify(result)) as Record<string, unknown>
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  } catch (error) {
    const known = error instanceof PawlError
    const said = error instanceof Error ? error.message : String(error)
    const text = known ? said : `${said} (this is a defect of Pawl)`
    return { content: [{ type: 'text', text: await redactText(text) }], isError: true }
  }
}

function callOf(project: McpProject, { server }: McpServer, { mcpReq }: ServerContext): Call {
  const { _meta, signal, inputResponses } = mcpReq
  // Newer clients say with every request who they are, older ones once at the beginning.
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined
  const capabilities = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()) as
    | ClientCapabilities
    | undefined
  const client = (envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as { name?: unknown } | undefined
  const progressToken = _meta?.progressToken
  let progress = 0
  const onProgress = (message: string): void => {
    if (progressToken === undefined) return
    const params = { progressToken, progress: ++progress, message }
    // A client that has gone away learns nothing, and its call is cancelled anyway.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
  return { project, signal, by: authorOf(client?.name), onProgress, canElicit: canElicit(capabilities), inputResponses }
}

function authorOf(name: unknown): Author {
  return { role: 'agent', name: typeof name === 'string' && name.trim() !== '' ? name.slice(0, 100) : 'mcp' }
}

/** Forms: an empty declaration means forms, as it did before there was anything else. */
function canElicit(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation
  if (elicitation === undefined) return false
  return Object.keys(elicitation).length === 0 || elicitation.form !== undefined
}

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

/** The tools with their JSON Schemas, which are made once: every HTTP request gets a server of its own. */
const REGISTRATIONS = TOOLS.map((tool) => ({
  tool,
  inputSchema: sdkSchema(jsonSchema(tool.input, 'input')),
  outputSchema: sdkSchema(jsonSchema(tool.output, 'output')),
}))

/** A JSON Schema as the SDK takes it. Pawl checks the arguments itself, for better errors; the compiler and the tests check results. */
function sdkSchema(json: Record<string, unknown>): StandardSchemaWithJSON {
  const jsonSchemas = { input: () => json, output: () => json }
  return { '~standard': { version: 1, vendor: 'pawl', validate: (value) => ({ value }), jsonSchema: jsonSchemas } }
}
