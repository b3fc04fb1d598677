import { runHook } from '../../src/surfaces/hooks/run-hook.ts'

/* The hook as a program, with little time. */
const backgroundMs = Number(process.env['BACKGROUND_MS'] ?? 120_000)
void runHook(process.argv.slice(2), { hookMs: 1500, backgroundMs })
