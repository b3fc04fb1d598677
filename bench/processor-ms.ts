/**
 * The processor time of this thread that a call takes, in milliseconds: what else the machine does then weighs little. Garbage is
 * left to the engine: collecting it by force makes some programs several times slower afterwards.
 */
export function processorMs(call: () => unknown): number {
  const before = process.threadCpuUsage()
  call()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
