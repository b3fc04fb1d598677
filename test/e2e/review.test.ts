import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { provenanceOf } from '../../src/loops/review/index.ts'
import type { SealedEvent } from '../../src/stores/store.ts'
import { makeProject, type Project } from './project.ts'

describe.concurrent('a review whose runner is killed with SIGKILL', () => {
  test.for(['coder', 'reviewer', 'tester', 'repairer'])(
    'REVIEW-92 while the %s is at work goes the same way after a resume, with one entry for each pass',
    async (role, context) => {
      const project = await makeProject(context)
      await prepare(project)
      await project.note('stop-at', role)
      const runner = project.start(COMMAND)
      await project.noted('stopped')
      runner.signal('SIGKILL')
      await runner.finished
      expect(await project.pawl('resume', 'shop')).toMatchObject({ code: 0, stderr: '' })
      expect(story(await project.events('shop'))).toEqual(STORY)
      expect(await project.isWhole('shop')).toBe(true)
      expect(await project.read('page.txt')).toBe('1\n2\n')
    },
  )
})

test('REVIEW-97 a planner whose runner is killed with SIGKILL plans again, and what it wrote is put back', async (context) => {
  const project = await makeProject(context)
  await prepare(project)
  await project.note('stop-at', 'planner')
  const runner = project.start(['review', '--goal', 'A page that says enough', ...COMMAND.slice(2)])
  await project.noted('stopped')
  runner.signal('SIGKILL')
  await runner.finished
  expect(await project.pawl('resume', 'shop')).toMatchObject({ code: 0, stderr: '' })
  const events = await project.events('shop')
  expect(story(events)).toEqual(['plan planner: undefined', ...STORY])
  expect(events.filter(({ type }) => type === 'plan.made')).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'work.abandoned')).toHaveLength(1)
  expect(await project.read('page.txt')).toBe('1\n2\n')
  await expect(project.read('half.txt')).rejects.toThrow('ENOENT')
})

const COMMAND = ['review', 'plan.md', '--id', 'shop', '--check', 'sh ../check.sh', '--no-ask']

/** The first pass is sent back, the second approved; the tests then need a disk that only a repair frees. */
const STORY = [
  'item_start coder_a: REWORK',
  'rework coder_a: APPROVE',
  'repair repairer: undefined',
  'CODING, APPROVE',
  'environment, passed',
  'retry, retry, proceed',
]

/** Who was put to work and what became of it, the routes, the tests, the decisions. */
function story(events: readonly SealedEvent[]): readonly string[] {
  const { outputs, decisions } = provenanceOf(events)
  const passes = decisions.map(({ trigger, to, iteration }) => {
    const own = outputs.filter((output) => output.iteration === iteration)
    return `${trigger} ${to}: ${own.map(({ verdict }) => String(verdict)).join()}`
  })
  const told = <Value>(read: (event: SealedEvent) => Value | undefined) => events.flatMap((event) => read(event) ?? []).join(', ')
  return [
    ...passes,
    told((event) => (event.type === 'pass.judged' ? event.data.route : undefined)),
    told((event) => (event.type === 'tests.judged' ? event.data.outcome : undefined)),
    told((event) => (event.type === 'decision.made' ? event.data.action : undefined)),
  ]
}

/** Every role stops once where the test asks for it, in the middle of its work, until it is ended. */
async function prepare(project: Project): Promise<void> {
  const stop =
    'stop() { [ "$(cat "$NOTES/stop-at")" = "$1" ] && mkdir "$NOTES/once" 2>/dev/null && echo $$ >"$NOTES/stopped" && wait_for never; true; }'
  const coder = await project.script(
    'coder.sh',
    `${stop}
    cat >/dev/null
    case "$PAWL_ROLE" in
      planner) echo half >half.txt; stop planner; echo '{"items": [{"description": "The page says enough"}]}' ;;
      repairer) echo half >half.txt; stop repairer; rm half.txt; touch "$NOTES/disk" ;;
      *) echo half >half.txt; stop coder; rm half.txt; echo "$PAWL_ITERATION" >>page.txt ;;
    esac`,
  )
  const reviewer = await project.script(
    'reviewer.sh',
    `${stop}
    cat >/dev/null
    stop reviewer
    if grep -q 2 page.txt; then echo '{"verdict": "approve", "summary": "Fine."}'
    else echo '{"verdict": "reject", "items": [{"severity": "major", "message": "Say more."}]}'; fi`,
  )
  await project.script(
    'check.sh',
    `${stop}
    stop tester
    [ -e "$NOTES/disk" ] && exit 0
    echo "cp: error writing 'x': No space left on device" >&2
    exit 1`,
  )
  const yaml = [
    'agents:',
    `  scribe: { command: "${coder}" }`,
    `  critic: { command: "${reviewer}" }`,
    'agent: scribe',
    'reviewer: critic',
  ]
  await writeFile(join(project.root, 'pawl.yaml'), `${yaml.join('\n')}\n`)
  await writeFile(join(project.root, 'plan.md'), '- [ ] The page says enough\n')
}
