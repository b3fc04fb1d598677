import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { git } from '../../../../test/support/cli-project.ts'
import type { ReviewFlags } from '../review-config.ts'
import { taskRequest } from '../task-request.ts'
import { answer } from './answer.ts'
import { blame } from './blame.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { log } from './log.ts'
import { review } from './review.ts'
import { show } from './show.ts'

let root = ''

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-review-')))
  file('.gitignore', '*.log\n')
  file('page.txt', `${Array.from({ length: 80 }, (_, line) => `line ${line}`).join('\n')}\n`)
  git(root, 'init', '--quiet')
  git(root, 'add', '.')
  git(root, '-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '--message', 'Start')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(root, name)
  writeFileSync(path, text)
  return path
}

const REJECT = '{"verdict": "reject", "items": [{"severity": "major", "message": "Say what it is for."}]}'
const APPROVE = '{"verdict": "approve", "summary": "Fine."}'

/** Coders and a reviewer that are scripts: `work` is done in each iteration, `verdicts` are given one after the other, the last again. */
function script(work: string, verdicts: readonly string[]): void {
  file('.git/coder.sh', `cat > brief-$PAWL_ITERATION.log\necho "$PAWL_ROLE" >> roles.log\n${work}\necho "$PAWL_ROLE was here"\n`)
  const given = verdicts.slice(0, -1).map((verdict, index) => `[ $n -eq ${index + 1} ] && echo '${verdict}' && exit 0`)
  const count = 'cat > critic.log\necho x >> reviews.log\nn=$(wc -l < reviews.log)'
  file('.git/critic.sh', `${count}\n${given.join('\n')}\necho '${verdicts.at(-1)}'\n`)
  const agents = { alice: 'coder.sh', bob: 'coder.sh', critic: 'critic.sh' }
  const lines = Object.entries(agents).map(([name, path]) => `  ${name}: { command: "sh ${join(root, '.git', path)}" }\n`)
  file('pawl.yaml', `agents:\n${lines.join('')}`)
}

function flags(more: Partial<ReviewFlags> = {}): ReviewFlags {
  return { id: 'shop', coder: ['alice', 'bob'], reviewer: 'critic', check: ['sh check.sh'], ask: false, ...more }
}

async function events(type: string): Promise<readonly Record<string, unknown>[]> {
  const looked = collectingContext(root, true)
  await log(looked, 'shop', { type })
  return looked.documents.map((document) => (document as { data: Record<string, unknown> }).data)
}

const PLAN = '- [ ] The page says hello\n'

/** An agent that answers with each of these in turn, the last again, and writes into the folder what it should not. */
function planner(...answers: readonly string[]): void {
  const given = answers.slice(0, -1).map((text, index) => `[ $n -eq ${index + 1} ] && echo '${text}' && exit 0`)
  const count = 'cat > "planner-$PAWL_ITERATION.log"\necho x >> plannings.log\nn=$(wc -l < plannings.log)\necho mine > PLANNED.md'
  const path = file('.git/planner.sh', `${count}\n${given.join('\n')}\necho '${answers.at(-1)}'\n`)
  file('pawl.yaml', `${readFileSync(join(root, 'pawl.yaml'), 'utf8')}  thinker: { command: "sh ${path}" }\n`)
}

const ITEMS =
  '{"items": [{"description": "The page says hello"}, {"description": "Say so in the docs", "type": "documentation"}]}'

describe('a planner of the command line', () => {
  const request = { goal: 'A page that greets', planner: 'thinker' }

  test('REVIEW-98 makes the plan, which is shown before work starts; what it wrote is put back', async () => {
    script('echo "$PAWL_ITERATION" >> page.txt', [APPROVE])
    planner('Let me think.', ITEMS)
    file('check.sh', 'exit 0')
    const run = collectingContext(root)
    expect(await review(run, flags(request), undefined)).toBe(0)
    const shown = run.said.join('\n')
    expect(shown).toMatch(/plan +2 items\n +1\. +The page says hello\n +2\. +Say so in the docs \(documentation\)\n[^]*task 1\/2/)
    expect(existsSync(join(root, 'PLANNED.md'))).toBe(false)
    expect(shown).toContain("the planner's changes in 1 file (PLANNED.md), kept as")
    expect(readFileSync(join(root, 'roles.log'), 'utf8')).toBe('coder:alice\ncoder:bob\n')
    expect(readFileSync(join(root, 'planner-0.log'), 'utf8')).toContain('# Your last plan could not be used')
    const told = collectingContext(root)
    await show(told, 'shop', { provenance: true })
    expect(told.said.join('\n')).toMatch(
      /^plan: planner \(thinker\), plan\n[^]*plan: planner \(thinker\), replan\n[^]*1\. the-page-says-hello/,
    )
  })

  test('REVIEW-98 the planner of pawl.yaml is taken, and one that cannot plan ends the run', async () => {
    script('true', [APPROVE])
    planner('no')
    file('pawl.yaml', `${readFileSync(join(root, 'pawl.yaml'), 'utf8')}roles: { planner: thinker }\n`)
    file('check.sh', 'exit 0')
    const run = collectingContext(root)
    expect(await review(run, flags({ goal: 'A page' }), undefined)).toBe(4)
    expect(run.said.join('\n')).toContain('validation_failed:planner_to_coder')
    await expect(review(collectingContext(root), flags({ goal: 'Another' }), undefined)).rejects.toThrow('another goal')
  })

  test.each<[what: string, more: Partial<ReviewFlags>, plan: string | undefined, words: string]>([
    ['neither a plan nor a goal', {}, undefined, 'Which plan?'],
    ['a plan and a planner', { planner: 'thinker' }, 'plan.md', '--planner too'],
    ['a planner without a model', { goal: 'x', planner: 'tinker' }, undefined, 'tinker cannot plan'],
    ['an agent without a model that would have to plan', { goal: 'x', agent: 'tinker' }, undefined, 'tinker cannot plan'],
    ['a coder called planner', { coder: ['planner=alice'] }, 'plan.md', '"planner" cannot be used'],
  ])('REVIEW-98 %s is refused, and leaves nothing behind', async (_what, more, plan, words) => {
    script('true', [APPROVE])
    planner(ITEMS)
    file('plan.md', PLAN)
    const given = plan === undefined ? undefined : join(root, plan)
    await expect(review(collectingContext(root), flags(more), given)).rejects.toThrow(words)
    expect(existsSync(join(root, '.pawl'))).toBe(false)
  })
})

async function types(): Promise<readonly unknown[]> {
  const [made = {}] = await events('plan.made')
  const items = made['items'] as readonly { readonly goal: string; readonly settings?: { readonly type?: string } }[]
  return items.map(({ goal, settings }) => [goal, settings?.type])
}

describe('REVIEW-99 what an item is about', () => {
  test('is in front of it in a checklist, by its name or a short one; any other word is part of the sentence', async () => {
    script('echo "$PAWL_ITERATION" >> page.txt', [APPROVE])
    file('check.sh', 'exit 1')
    const plan = '- [ ] (docs) Say how\n- [ ] (ops) Ship it\n- [ ] (Tests) Prove it\n- [ ] (optional) Sing\n- [ ] Plain\n'
    expect(await review(collectingContext(root), flags({ maxTestFailures: '1' }), file('plan.md', plan))).toBe(3)
    expect(await types()).toEqual([
      ['Say how', 'documentation'],
      ['Ship it', 'ops'],
      ['Prove it', 'testing'],
      ['(optional) Sing', undefined],
      ['Plain', undefined],
    ])
    expect(readFileSync(join(root, 'brief-1.log'), 'utf8')).toContain('Item 1 of 5 (documentation): Say how')
  })

  test('is `type` in YAML, and the contract refuses one that nobody works on', async () => {
    script('echo "$PAWL_ITERATION" >> page.txt', [APPROVE])
    file('check.sh', 'exit 0')
    const plan = file('plan.yaml', '- { goal: Say how, type: documentation }\n- { goal: Draw it, type: design }\n')
    expect(await review(collectingContext(root), flags(), plan)).toBe(4)
    const [refused] = await events('handoff.refused')
    expect(refused).toMatchObject({ rule: 'invalid_task_type', value: [{ type: 'design' }] })
  })

  test('without a word on what is to be done makes no item', async () => {
    script('true', [APPROVE])
    file('check.sh', 'exit 0')
    expect(await review(collectingContext(root), flags(), file('plan.md', '- [ ] (docs)\n'))).toBe(4)
    expect((await events('handoff.refused'))[0]).toMatchObject({ rule: 'current_item_empty_description' })
  })

  test('is no matter of the task loop', async () => {
    const plan = file('plan.yaml', '- { goal: Say how, type: documentation }\n')
    await expect(taskRequest([], plan)).rejects.toThrow('has a type, which only a review knows')
  })
})

describe('CLI-370 a review goes by its routes with agents that really edit files', () => {
  const grow = 'i=0; while [ $i -lt 40 ]; do echo "$PAWL_ITERATION new $i" >> page.txt; i=$((i + 1)); done'
  const nudge = 'echo "hello, all of you who read this page $PAWL_ITERATION" >> page.txt; seq 1 400 > numbers.txt'

  test.each<[route: string, work: string, verdicts: readonly string[], check: string, routes: string, outcomes: string]>([
    ['approved', grow, [APPROVE], 'exit 0', 'APPROVE', 'passed'],
    ['rework, then approved', grow, [REJECT, APPROVE], 'exit 0', 'CODING APPROVE', 'passed'],
    ['rework by way of the tester', grow, [REJECT], 'grep -q "2 new" page.txt', 'CODING REWORK_VIA_TESTER', 'passed'],
    ['convergence', nudge, [REJECT], 'grep -q "page 2" page.txt', 'CODING ESCALATE_CONVERGENCE', 'passed'],
    ['the ceiling', grow, [REJECT], 'grep -q "3 new" page.txt', 'CODING REWORK_VIA_TESTER ESCALATE_TESTING', 'failed passed'],
  ])('%s', async (_route, work, verdicts, check, routes, outcomes) => {
    script(work, verdicts)
    file('check.sh', check)
    const run = collectingContext(root)
    expect(await review(run, flags(), file('plan.md', PLAN))).toBe(0)
    expect((await events('pass.judged')).map(({ route }) => route).join(' ')).toBe(routes)
    expect((await events('tests.judged')).map(({ outcome }) => outcome).join(' ')).toBe(outcomes)
  })

  test('REVIEW-116 two rejections and tests that passed before ask', async () => {
    script(grow, [REJECT])
    file('check.sh', 'exit 0')
    const run = collectingContext(root)
    expect(await review(run, flags(), file('plan.md', PLAN))).toBe(3)
    expect(run.said.join('\n')).toContain('A reviewer')
    expect(await answer(collectingContext(root), { resume: true }, 'shop', 'accept')).toBe(0)
  })

  test('REVIEW-118 a coder that prints an empty line and changes nothing is refused, even if a reviewer approves', async () => {
    script('true', [APPROVE])
    file('.git/coder.sh', 'cat > /dev/null\necho\n')
    file('check.sh', 'exit 0')
    expect(await review(collectingContext(root), flags(), file('plan.md', PLAN))).toBe(4)
    expect((await events('handoff.refused'))[0]).toMatchObject({ rule: 'coder_result_empty' })
  })
})

test('CLI-371 coders take turns, each played by its agent, and the next one gets what was learned', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt', [REJECT, APPROVE])
  file('check.sh', 'exit 0')
  expect(await review(collectingContext(root), flags(), file('plan.md', `${PLAN}- [ ] The page says goodbye\n`))).toBe(0)
  expect(readFileSync(join(root, 'roles.log'), 'utf8')).toBe('coder:alice\ncoder:alice\ncoder:bob\n')
  expect(readFileSync(join(root, 'brief-3.log'), 'utf8')).toContain('Say what it is for. (learned in ')
  const shown = collectingContext(root)
  await show(shown, 'shop', { provenance: true })
  expect(shown.said.join('\n')).toMatch(
    /^1\. the-page-says-hello: alice, item_start {2}REWORK\n[^]*3\. .*: bob, item_advance after alice/,
  )
  expect(shown.said.join('\n')).toContain('"coder:alice was here"')
  const told = collectingContext(root, true)
  await show(told, 'shop', { provenance: true })
  expect(told.documents[0]).toMatchObject({
    run: 'shop',
    outputs: [
      { coder: 'alice', agent: 'alice', verdict: 'REWORK' },
      { verdict: 'APPROVE' },
      { coder: 'bob', verdict: 'APPROVE' },
    ],
    decisions: [{ trigger: 'item_start' }, { trigger: 'rework' }, { trigger: 'item_advance', from: 'alice', to: 'bob' }],
  })
})

test('CLI-375 with --commit every finished item is a commit on its own branch, and nothing else of the repository moves', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt; echo new > "new-$PAWL_ITERATION.txt"', [APPROVE])
  file('check.sh', 'exit 0')
  const plan = file('plan.md', `${PLAN}- [ ] The page says goodbye\n`)
  const head = git(root, 'rev-parse', 'HEAD')
  expect(await review(collectingContext(root), flags({ commit: true }), plan)).toBe(0)
  expect(git(root, 'log', '--format=%s', 'pawl/shop')).toBe(
    'The page says goodbye\nThe page says hello\nThe state before shop\nStart\n',
  )
  expect(git(root, 'show', '--name-only', '--format=', 'pawl/shop')).toBe('new-2.txt\npage.txt\n')
  expect(git(root, 'rev-parse', 'HEAD')).toBe(head)
  expect(git(root, 'diff', '--cached', '--name-only')).toBe('')
  expect(git(root, 'status', '--porcelain')).toContain(' M page.txt')
})

test('REVIEW-101 what was uncommitted before the run gets its own commit, and the items’ commits hold only their changes', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt', [APPROVE])
  file('check.sh', 'exit 0')
  const plan = file('plan.md', `${PLAN}- [ ] The page says goodbye\n`)
  file('notes.txt', 'my own\n')
  const run = collectingContext(root)
  expect(await review(run, flags({ commit: true }), plan)).toBe(0)
  expect(git(root, 'show', '--name-only', '--format=%s', 'pawl/shop~2').split('\n')).toEqual(
    expect.arrayContaining(['The state before shop', 'notes.txt', 'plan.md']),
  )
  for (const commit of ['pawl/shop', 'pawl/shop~1'])
    expect(git(root, 'show', '--name-only', '--format=', commit)).toBe('page.txt\n')
  expect(run.said.join('\n')).toMatch(/commit: \w{12} on pawl\/shop, with your uncommitted changes from before the run/)
  expect(git(root, 'status', '--porcelain')).toContain('?? notes.txt')
})

test('REVIEW-101 in a clean folder the branch begins with HEAD, and an item without changes has no commit', async () => {
  script('[ $PAWL_ITERATION -eq 1 ] && echo x >> page.txt; echo done', [APPROVE])
  file('check.sh', 'exit 0')
  const plan = file('plan.md', `${PLAN}- [ ] The page says goodbye\n`)
  git(root, 'add', '.')
  git(root, '-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '--message', 'Scripts')
  const run = collectingContext(root)
  expect(await review(run, flags({ commit: true }), plan)).toBe(3)
  expect(await answer(run, { resume: true }, 'shop', 'accept')).toBe(0)
  expect(git(root, 'log', '--format=%s', 'pawl/shop')).toBe('The page says hello\nScripts\nStart\n')
  expect(run.said.join('\n')).toContain('none, because this item changed nothing')
})

test('REVIEW-100 a branch of the run’s name that is somebody else’s is refused before anybody works, and can be moved away', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt', [APPROVE])
  file('check.sh', 'exit 0')
  git(root, 'branch', 'pawl/shop')
  const before = git(root, 'rev-parse', 'pawl/shop')
  const run = collectingContext(root)
  expect(await review(run, flags({ commit: true }), file('plan.md', PLAN))).toBe(4)
  expect(run.said.join(' ').replaceAll(/\s+/g, ' ')).toMatch(/The committer couldn't run: .*another id.*git branch -D pawl\/shop/)
  expect(existsSync(join(root, 'roles.log'))).toBe(false)
  expect(git(root, 'rev-parse', 'pawl/shop')).toBe(before)
  git(root, 'branch', '-m', 'pawl/shop', 'mine')
  expect(await answer(collectingContext(root), { resume: true }, 'shop', 'continue')).toBe(0)
  expect(git(root, 'log', '--format=%s', 'pawl/shop')).toContain('The page says hello')
})

test('REVIEW-106 a plan that was refused is corrected in its file and given to the same run', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt', [APPROVE])
  file('check.sh', 'exit 0')
  const run = collectingContext(root)
  expect(await review(run, flags(), file('plan.yaml', '- { id: one, goal: Say how, type: design }\n'))).toBe(4)
  const card = run.said.join(' ').replaceAll(/\s+/g, ' ')
  expect(card).toContain('item one: type design')
  expect(card).toContain('pawl review PLAN --id shop')
  expect(card).not.toContain('Best ')
  expect(card).not.toContain('failing')
  const shown = collectingContext(root)
  await show(shown, 'shop', {})
  expect(shown.said.join(' ').replaceAll(/\s+/g, ' ')).toContain('item one: type design')
  expect(await review(collectingContext(root), flags(), file('plan.yaml', '- { id: one, goal: Say how, type: docs }\n'))).toBe(0)
  expect((await events('plan.made')).map(({ items }) => items)).toEqual([
    [{ id: 'one', goal: 'Say how', settings: { type: 'documentation' } }],
  ])
  expect(await events('run.reconfigured')).toHaveLength(1)
})

test('REVIEW-112 of several reviewers all must approve', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt', [REJECT, APPROVE])
  file('check.sh', 'exit 0')
  file('.git/kind.sh', `cat > kind.log\necho '${APPROVE}'\n`)
  const yaml = readFileSync(join(root, 'pawl.yaml'), 'utf8')
  file('pawl.yaml', `${yaml}  kind: { command: "sh ${join(root, '.git/kind.sh')}" }\n`)
  expect(await review(collectingContext(root), flags({ reviewer: ['kind', 'critic'] }), file('plan.md', PLAN))).toBe(0)
  expect((await events('pass.judged')).map(({ route }) => route)).toEqual(['CODING', 'APPROVE'])
  const shown = collectingContext(root)
  await show(shown, 'shop', { provenance: true })
  expect(shown.said.join('\n')).toContain('review by kind (kind) approved\n   review by critic (critic) rejected')
})

test('REVIEW-121, REVIEW-123 a person reviews only what passes, and once, also if the tests write files after an agent reviewed', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt', [APPROVE])
  file('check.sh', 'date +%s%N >> report.txt\ngrep -q "^2$" page.txt')
  const asked = collectingContext(root)
  expect(await review(asked, flags({ reviewer: ['critic', 'person'] }), file('plan.md', PLAN))).toBe(3)
  expect((await events('tests.judged')).map(({ outcome }) => outcome)).toEqual(['failed', 'passed'])
  expect(await events('pass.judged')).toEqual([])
  expect(asked.said.join('\n')).toContain('Every other check passes. Does the work reach the goal?')
  expect(readFileSync(join(root, 'brief-2.log'), 'utf8')).toContain('check.sh')
  expect(await answer(collectingContext(root), { resume: true }, 'shop', 'approve')).toBe(0)
  expect((await events('pass.judged')).map(({ route }) => route)).toEqual(['APPROVE'])
})

test('REVIEW-115 what tests write while they ran is put down to them, said as a note, and part of the tree at the end', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt', [APPROVE])
  file('check.sh', 'echo "report $(wc -l < page.txt)" >> report.txt')
  const run = collectingContext(root)
  expect(await review(run, flags({ commit: true }), file('plan.md', `${PLAN}- [ ] The page says goodbye\n`))).toBe(0)
  expect(run.said.join('\n')).toContain('the checks wrote 1 file (report.txt) (not counted as work)')
  const blamed = collectingContext(root)
  await blame(blamed, join(root, 'report.txt'), 'shop')
  expect(blamed.said).toEqual([
    'iteration 1, by the checks while they ran  1  report 81',
    'iteration 1, by the checks while they ran  2  report 81',
    'iteration 2, by the checks while they ran  3  report 82',
    'iteration 2, by the checks while they ran  4  report 82',
  ])
  const tree = git(root, 'rev-parse', 'pawl/shop:report.txt')
  expect(tree).toBe(git(root, 'hash-object', 'report.txt'))
})

test('CLI-372 the third failure of the tests asks, and the run continues with the answer', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt; [ $PAWL_ITERATION -gt 3 ] && echo right >> page.txt; true', [APPROVE])
  file('check.sh', 'grep -q right page.txt')
  expect(await review(collectingContext(root), flags(), file('plan.md', PLAN))).toBe(3)
  const goneOn = collectingContext(root)
  expect(await answer(goneOn, { note: 'It must say right.', resume: true }, 'shop', 'continue')).toBe(0)
  expect(readFileSync(join(root, 'brief-4.log'), 'utf8')).toContain('It must say right.')
})

test.each<[rule: string, more: Partial<ReviewFlags>, words: string]>([
  ['CLI-373 without a reviewer', { reviewer: undefined as never }, 'No reviewer is named'],
  ['CLI-373 without a check', { check: undefined as never }, 'No check is given'],
  ['CLI-373 with two coders of one name', { coder: ['alice', 'alice'] }, 'one=claude'],
  ['CLI-373 with an unknown agent', { coder: ['carol'] }, 'carol'],
  ['CLI-373 with a share that is none', { similarity: '97' }, '--similarity'],
  ['CLI-373 with a model for several coders', { model: 'opus' }, '--model is for the one agent'],
  ['REVIEW-112 with a reviewer given twice', { reviewer: ['critic', 'critic'] }, 'name every reviewer once'],
  ['CLI-373 with no number', { maxRework: 'x' }, '--max-rework'],
])('%s it is refused, and leaves nothing behind', async (_rule, more, words) => {
  script('true', [APPROVE])
  await expect(review(collectingContext(root), flags(more), file('plan.md', PLAN))).rejects.toThrow(words)
  expect(existsSync(join(root, '.pawl'))).toBe(false)
})

test('CLI-374 roles come from pawl.yaml, and a run keeps its plan', async () => {
  script('echo "$PAWL_ITERATION" >> page.txt', [APPROVE])
  file('check.sh', 'exit 1')
  const yaml = readFileSync(join(root, 'pawl.yaml'), 'utf8')
  file('pawl.yaml', `${yaml}roles: { first_one: alice, second: bob, reviewer: critic }\n`)
  const { coder: _none, reviewer: _nobody, ...rest } = flags({ maxTestFailures: '1' })
  expect(await review(collectingContext(root), rest, file('plan.md', PLAN))).toBe(3)
  expect(readFileSync(join(root, 'roles.log'), 'utf8')).toBe('coder:first_one\n')
  await expect(review(collectingContext(root), rest, file('other.md', '- [ ] Something else\n'))).rejects.toThrow('other items')
})
