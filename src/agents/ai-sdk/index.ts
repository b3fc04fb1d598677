export { aiSdkAgent, type AiSdkAgentOptions, modelAgent, type ModelAgentOptions } from './ai-sdk-agent.ts'
export type { ToolSetName } from './folder-tools.ts'
export type { ModelPlace } from './load-model.ts'
export type { Prices } from './model-record.ts'
