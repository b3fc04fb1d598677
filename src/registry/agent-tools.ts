/** The call that shows whether an agent can write. */
export { PROBE, probeWriting, withProbeUsage } from '../agents/write-probe.ts'
/** Where the agents' session files are. */
export { removeRunSessions, runsWithSessions, type Transcripts, transcriptsOf } from '../agents/sessions.ts'
