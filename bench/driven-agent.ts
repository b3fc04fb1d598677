import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { codexSettings } from '../test/support/codex-settings.ts'
import { modelServer } from '../src/testing/model-server/index.ts'

const ROOT = join(import.meta.dirname, '..')
const CODEX = join(ROOT, 'test', 'agents', 'node_modules', '.bin', 'codex')
const RECORDED = join(ROOT, 'src', 'agents', 'fixtures', 'codex-fixed.jsonl')

/** An agent's command line with all that it needs to run: Codex against the scripted model, or a program that says what Codex said. */
export interface DrivenAgent extends AsyncDisposable {
  readonly title: string
  readonly program: string
  readonly env: Readonly<Record<string, string>>
}

/** Puts the agent's home into a folder and starts its model. Codex is there when `npm run test:agents` was run once. */
export async function drivenAgent(folder: string): Promise<DrivenAgent> {
  const home = join(folder, 'home')
  mkdirSync(join(home, '.codex'), { recursive: true })
  const env = {
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    TMPDIR: folder,
  }
  if (!existsSync(CODEX))
    return {
      title: 'a program that says what Codex said',
      program: standIn(folder),
      env,
      [Symbol.asyncDispose]: async () => undefined,
    }
  const model = await modelServer({ reply: () => ({ say: 'Done.' }), requestsMax: 10_000 })
  writeFileSync(join(home, '.codex', 'config.toml'), codexSettings(model.url))
  return {
    title: 'Codex',
    program: CODEX,
    env: { ...env, SCRIPTED_MODEL_KEY: 'dummy' },
    [Symbol.asyncDispose]: () => model.close(),
  }
}

function standIn(folder: string): string {
  const path = join(folder, 'codex')
  writeFileSync(path, `#!/bin/sh\ncat > /dev/null\ncat '${RECORDED}'\n`, { mode: 0o755 })
  return path
}
