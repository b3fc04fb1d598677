/** The call that shows whether an agent can write. */
export { probeWriting, withProbeUsage } from '../agents/write-probe.ts'
