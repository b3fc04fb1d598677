export { type DrivenRun, restateRuns, type RestateRunsOptions } from './restate-runs.ts'
export { type ServedRuns, serveRestate, type ServeRestateOptions } from './serve-restate.ts'
