export { fixesFile, type FixesFileOptions, type FileStep } from './fixes-file.ts'
export { modelServer, type ModelRequest, type ModelServer, type ModelServerOptions } from './model-server.ts'
export type { ModelAnswer, ModelFault, ModelReply, ModelUsage } from './reply.ts'
export { sinceUser, type ModelApi, type ModelMessage, type ModelToolCall, type ModelToolResult, type ModelTurn } from './turn.ts'
