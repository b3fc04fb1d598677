import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { guardFrom } from '../src/guards/index.ts'
import { PawlError } from '../src/core/pawl-error.ts'
import { recordedSettings } from '../src/core/run-config.ts'
import { commandCheck } from '../src/checks/command-check.ts'
import { researchStep } from '../src/surfaces/library/research-step.ts'
import { ENTRIES, firstImport } from '../tsdown.config.ts'

type Factory = (...given: readonly unknown[]) => unknown

/** What has a check, a guard or an agent of one's own in it has to be given one. */
const GUARD = { spec: { name: 'budget', v: 1, severity: 'trip', settings: {} }, inspect: () => [] }
const AGENT = { spec: { name: 'a', v: 1, settings: {} }, work: () => undefined }

/** Every factory of every door: a call with one wrong name in it, and what is said of that. */
const WRONG: Readonly<Record<string, readonly [given: readonly unknown[], said: string]>> = {
  createLoop: [[{ agents: [] }], 'createLoop has no option "agents"; did you mean "agent"?'],
  budget: [[{ costMax: 5 }], 'budget has no option "costMax"; did you mean "costUsdMax"?'],
  circuitBreaker: [[{ failureMax: 4 }], 'circuitBreaker has no option "failureMax"; did you mean "failuresMax"?'],
  customGuard: [[{ name: 'x', inspects: () => undefined }], 'customGuard has no option "inspects"; did you mean "inspect"?'],
  deadline: [[{ at: 1 }], 'deadline has no option "at"; there are until, afterMs, severity.'],
  emptyIterations: [[{ iterations: 2 }], 'emptyIterations has no option "iterations"; did you mean "iterationsMin"?'],
  idle: [[{ quietMax: 5 }], 'idle has no option "quietMax"; did you mean "quietMsMax"?'],
  iterationBudget: [[{ costMax: 5 }], 'iterationBudget has no option "costMax"; did you mean "costUsdMax"?'],
  ladder: [[GUARD, { patince: 2 }], 'ladder has no option "patince"; did you mean "patience"?'],
  noProgress: [[{ iterationMin: 2 }], 'noProgress has no option "iterationMin"; did you mean "iterationsMin"?'],
  oscillation: [[{ turns: 2 }], 'oscillation has no option "turns"; did you mean "turnsMin"?'],
  qualityRegression: [[{ severty: 'trip' }], 'qualityRegression has no option "severty"; did you mean "severity"?'],
  repeatedAction: [[{ repeats: 2 }], 'repeatedAction has no option "repeats"; did you mean "repeatsMin"?'],
  sameFailure: [[{ repeats: 2 }], 'sameFailure has no option "repeats"; did you mean "repeatsMin"?'],
  spinningText: [[{ severety: 'trip' }], 'spinningText has no option "severety"; did you mean "severity"?'],
  stalledDiff: [[{ similarity: 0.9 }], 'stalledDiff has no option "similarity"; did you mean "similarityMin"?'],
  tampering: [[{ allows: [] }], 'tampering has no option "allows"; did you mean "allow"?'],
  thrashing: [[{ times: 3 }], 'thrashing has no option "times"; did you mean "timesMin"?'],
  worthContinuing: [[{ once: 3 }], 'worthContinuing has no option "once"; there are giveUpASuccessAtMostOnceIn, own, severity.'],
  taskLoop: [[{ goal: 'x', maxIterations: 5 }], 'taskLoop has no option "maxIterations"; there are goal, tasks, baseline'],
  ralphLoop: [[{ prompt: 'x', promise: ['DONE'] }], 'ralphLoop has no option "promise"; did you mean "promises"?'],
  reviewLoop: [[{ goal: 'x', coder: ['a'] }], 'reviewLoop has no option "coder"; did you mean "coders"?'],
  contractsWith: [[{ coderToReviews: [] }], 'contractsWith has no option "coderToReviews"; did you mean "coderToReview"?'],
  researchLoop: [[{ goal: 'x', iterationMax: 5 }], 'researchLoop has no option "iterationMax"; did you mean'],
  wholeResearchSettings: [[{ goal: 'x', coverag: 5 }], 'researchLoop has no option "coverag"; did you mean'],
  commandAgent: [[{ command: ['x'], timeout: 5 }], 'commandAgent has no option "timeout"; did you mean "timeoutMs"?'],
  claudeAgent: [[{ permission: 'read' }], 'claudeAgent has no option "permission"; did you mean "permissionMode"?'],
  codexAgent: [[{ modle: 'x' }], 'codexAgent has no option "modle"; did you mean "model"?'],
  geminiAgent: [[{ timeout: 5 }], 'geminiAgent has no option "timeout"; did you mean "timeoutMs"?'],
  qwenAgent: [[{ args: [] }], 'qwenAgent has no option "args"; there are model, session'],
  opencodeAgent: [[{ sessions: 'fresh' }], 'opencodeAgent has no option "sessions"; did you mean "session"?'],
  acpAgent: [[{ command: ['x'], permission: 'deny' }], 'acpAgent has no option "permission"; did you mean "permissions"?'],
  aiSdkAgent: [[{ model: 'x', maxSteps: 5 }], 'aiSdkAgent has no option "maxSteps"; there are model, instructions'],
  modelAgent: [[{ baseURL: 'http://127.0.0.1/v1', model: 'x' }], 'modelAgent has no option "baseURL"; did you mean "baseUrl"?'],
  explorerAgent: [[{ codebases: {} }], 'explorerAgent has no option "codebases"; did you mean "codebase"?'],
  folderCodebase: [[{ path: '.', cache: 'x' }], 'folderCodebase has no option "cache"; did you mean "cachePath"?'],
  sandbox: [[{ alow: [] }], 'sandbox has no option "alow"; did you mean "allow"?'],
  container: [[{ imag: 'x' }], 'container has no option "imag"; did you mean "image"?'],
  wrapper: [[{ comand: ['x'] }], 'wrapper has no option "comand"; did you mean "command"?'],
  commandCheck: [[{ name: 'x', command: ['x'], timeout: 5 }], 'commandCheck has no option "timeout"; did you mean "timeoutMs"?'],
  agentReview: [[{ agent: AGENT, names: 'x' }], 'agentReview has no option "names"; did you mean "name"?'],
  personReview: [[{ title: 'x' }], 'personReview has no option "title"; there are name.'],
  ruleCheck: [[{}, { validator: {} }], 'ruleCheck has no option "validator"; did you mean "validators"?'],
  fileExistence: [[{ name: 'x', path: ['a'] }], 'fileExistence has no option "path"; did you mean "paths"?'],
  contentPattern: [[{ name: 'x', patern: 'a' }], 'contentPattern has no option "patern"; did you mean "pattern"?'],
  coverage: [[{ name: 'x', coverageMin: 80 }], 'coverage has no option "coverageMin"; there are name, minCoverage'],
  customAgent: [[{ name: 'x', works: () => undefined }], 'customAgent has no option "works"; did you mean "work"?'],
  customCheck: [[{ name: 'x', validator: () => true }], 'customCheck has no option "validator"; did you mean "validatorId"?'],
  sqliteStore: [[{ file: 'x.db' }], 'sqliteStore has no option "file"; there are path, synchronous'],
  postgresStore: [[{ uri: 'x' }], 'postgresStore has no option "uri"; did you mean "url"?'],
  restateRuns: [[{ loop: GUARD }], 'restateRuns has no option "loop"; did you mean "loopOf"?'],
  serveRestate: [[{ ports: 5 }], 'serveRestate has no option "ports"; did you mean "port"?'],
  memoryStore: [[{ lease: 5 }], 'memoryStore has no option "lease"; did you mean "leaseMs"?'],
  gitWorkspace: [[{ path: '.', workTrees: true }], 'gitWorkspace has no option "workTrees"; did you mean "worktree"?'],
  folderWorkspace: [[{ paht: '.' }], 'folderWorkspace has no option "paht"; did you mean "path"?'],
}

/** The other functions of the doors: they take no options, or are no factories. */
const OTHERS =
  /^(?:advance|effectKey|evolve|evolveAll|foldsInOrder|foldWith|isDone|withEffectDone|withSlice|judge|next|keepSecret|verifyChain|iterationCheck|researchStep|allOf|anyOf|not|withSeverity|maxIterations|defaultGuards|guardFrom|check[A-Z]\w+|runSafetyChecks|refusalOf|provenanceOf|taskTypeOf|routeRework|confidenceOf|readAgentAnswer|checkpointOf|crossReferences|extractQuestions|configText|readConfig|convergenceChart|markdownReport|textChart|roleTitle|leadAnswer|handedIn|leadConfig|convergenceRate|researchResult|researchStatistics|requirePlayers|storedLoop|oddsOf|oddsWords|ownOdds|memoryDisk|storeOver|readTestOutput|dropSnapshots|listSnapshots|isSequenceRatioAtLeast|normalisedPatch|isStalledPatch|patchSimilarity|sequenceRatio|createClient|HttpProblem|PawlError)$/

function thrownBy(make: () => unknown): unknown {
  try {
    make()
    return undefined
  } catch (error) {
    return error
  }
}

function isClear(error: unknown): boolean {
  return error instanceof PawlError && /^[\w.-]+$/.test(error.code) && /[.?]$/.test(error.message)
}

const factories = new Map<string, Factory>()

beforeAll(async () => {
  const started = new Set(['cli', 'hook', 'mcp', 'serve', 'engine', 'sandbox-inside', 'tinker', 'testing'])
  const doors = Object.entries(ENTRIES).filter(([name]) => !started.has(name))
  for (const [, path] of doors) {
    const exported = (await import(join(import.meta.dirname, '..', path))) as Readonly<Record<string, unknown>>
    for (const [name, value] of Object.entries(exported)) if (typeof value === 'function') factories.set(name, value as Factory)
  }
})

describe('options of every door', () => {
  it('LIB-1 every factory is in the table of this test', () => {
    expect([...factories.keys()].filter((name) => !OTHERS.test(name)).toSorted()).toEqual(Object.keys(WRONG).toSorted())
  })

  it.each(Object.entries(WRONG))('LIB-1 %s refuses a name that it does not know', (name, [given, said]) => {
    const made = () => (factories.get(name) as Factory)(...given)
    expect(made).toThrow(said)
    expect(made).toThrow(expect.objectContaining({ name: 'PawlError', code: 'setting.unknown' }))
  })

  it.each(Object.keys(WRONG))('LIB-2 %s says with a PawlError what it needs, whatever it is given', (name) => {
    const make = factories.get(name) as Factory
    const given = [[null], [5], ['x'], [[]], [{}], [{}, null], []]
    const odd = given.map((each) => thrownBy(() => make(...each))).filter((error) => error !== undefined && !isClear(error))
    expect(odd).toEqual([])
  })

  it.each<[name: string, given: readonly unknown[], said: string]>([
    ['folderWorkspace', [{}], 'folderWorkspace needs path: a text that is not empty.'],
    ['gitWorkspace', [{ path: 5 }], 'gitWorkspace: path must be a text that is not empty, not 5.'],
    ['sqliteStore', [{}], 'sqliteStore needs path: the path of a file'],
    ['customGuard', [{ name: 'x' }], 'customGuard needs inspect: a function.'],
    ['agentReview', [{}], 'agentReview needs agent: an agent, such as commandAgent('],
    ['sameFailure', [{ severity: 'error' }], 'sameFailure: severity must be trip or warn, not "error".'],
    ['stalledDiff', [{ similarityMin: '0.9' }], 'stalledDiff: similarityMin must be a share above 0 and up to 1, not "0.9".'],
    ['taskLoop', [{ goal: 'x', stopOn: 'budget' }], 'taskLoop: stopOn must be a list of texts, not "budget".'],
    ['researchLoop', [{}], 'researchLoop needs goal: a question'],
    ['allOf', [[GUARD]], 'allOf: guard 1 must be a guard, such as maxIterations(8), not a list of an object.'],
    ['not', [], 'not needs its guard: a guard, such as maxIterations(8).'],
    ['ladder', [], 'ladder needs its guard: a guard, such as maxIterations(8).'],
    ['withSeverity', [GUARD, 'stop'], 'withSeverity: its severity must be trip or warn, not "stop".'],
  ])('LIB-2 %s says what is missing or wrong', (name, given, said) => {
    expect(() => (factories.get(name) as Factory)(...given)).toThrow(said)
  })

  it('LIB-2 a step of research says what it needs', async () => {
    await expect(researchStep({ run: 'r' } as never)).rejects.toThrow('researchStep needs settings: the question')
  })

  it.each<[name: string, given: readonly unknown[], said: string]>([
    [
      'taskLoop',
      [{ goal: 'x', tasks: [{ id: 'a', goal: 'y', max: 5 }] }],
      'taskLoop: tasks[0] has no option "max"; there are id',
    ],
    ['taskLoop', [{ goal: 'x', tasks: [{ goal: 'y' }] }], 'taskLoop needs tasks[0].id: a text that is not empty.'],
    ['taskLoop', [{ goal: 'x', tasks: ['y'] }], 'taskLoop: tasks[0] must be a task such as'],
    [
      'reviewLoop',
      [{ items: [{ id: 'a', goal: 'y', types: 'docs' }] }],
      'reviewLoop: items[0] has no option "types"; did you mean "type"?',
    ],
    ['reviewLoop', [{ goal: 'x' }, { rule: {} }], 'reviewLoop has no option "rule"; did you mean "rules"?'],
    [
      'commandCheck',
      [{ name: 'x', command: ['x'], report: { path: 'x.xml' } }],
      'commandCheck: report has no option "path"; there are',
    ],
    [
      'aiSdkAgent',
      [{ model: 'x', prices: { input: 1 } }],
      'aiSdkAgent: prices has no option "input"; did you mean "inputUsdPerMillion"?',
    ],
    ['aiSdkAgent', [{ model: 'x', prices: {} }], 'aiSdkAgent needs prices.inputUsdPerMillion: a number of at least 0.'],
  ])('LIB-5 %s looks at options inside of options', (name, given, said) => {
    expect(() => (factories.get(name) as Factory)(...given)).toThrow(said)
  })

  it('LIB-3 a budget that names no limit is refused, and a limit of 0 means none on purpose', () => {
    const { budget } = Object.fromEntries(factories) as { budget: Factory }
    for (const given of [{}, { warnShare: 0.5 }, { costUsdMax: undefined }])
      expect(() => budget(given)).toThrow('budget needs at least one of costUsdMax, tokensMax, durationMsMax')
    expect(() => budget()).toThrow(
      'budget takes an object with its options (costUsdMax, tokensMax, durationMsMax, waitMsMax, warnShare)',
    )
    expect(() => budget({ costUsdMax: 0 })).not.toThrow()
  })
})

describe('parts of runs of other versions', () => {
  it('LIB-4 guards are built from what was recorded, whatever else is there', () => {
    const names = Object.keys(WRONG).slice(1, 19)
    expect(names).toEqual(expect.arrayContaining(['budget', 'ladder', 'worthContinuing']))
    for (const name of names.filter((each) => each !== 'customGuard')) {
      const settings = { ofAnotherVersion: true, until: 1, isStrict: true }
      const parts = name === 'ladder' ? [{ name: 'budget', v: 1, severity: 'trip' as const, settings: {} }] : []
      const guard = guardFrom({ name, v: 1, severity: 'trip', settings, parts })
      expect(guard.spec).toMatchObject({ name, severity: 'trip' })
      expect(guard.spec.settings).not.toHaveProperty('ofAnotherVersion')
    }
  })

  it.each<[name: string, settings: Readonly<Record<string, unknown>>]>([
    ['taskLoop', { goal: 'x', tasks: [{ id: 'a', goal: 'y', ofAnotherVersion: 1 }] }],
    ['ralphLoop', { prompt: 'x' }],
    ['reviewLoop', { items: [{ id: 'a', goal: 'y', ofAnotherVersion: 1 }] }],
    ['researchLoop', { goal: 'x' }],
    ['commandAgent', { command: ['x'] }],
    ['claudeAgent', {}],
    ['acpAgent', { command: ['x'] }],
    ['modelAgent', { module: 'x.mjs', prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 1, ofAnotherVersion: 1 } }],
    ['contentPattern', { name: 'x', pattern: 'x', rule: true }],
    ['fileExistence', { name: 'x', paths: ['x'], rule: true }],
    ['coverage', { name: 'x', minCoverage: 1, rule: true }],
    ['gitWorkspace', { path: '.' }],
    ['folderWorkspace', { path: '.' }],
    ['folderCodebase', { path: '.' }],
  ])('LIB-4 %s is built from what was recorded', (name, settings) => {
    const make = factories.get(name) as Factory
    expect(() => make(recordedSettings({ ...settings, ofAnotherVersion: true }))).not.toThrow()
    expect(() => make({ ...settings, ofAnotherVersion: true })).toThrow('has no option')
  })

  it('LIB-4 a check of a command is built from what was recorded', () => {
    const settings = { name: 'x', command: ['x'], report: { ofAnotherVersion: 1 }, rule: true }
    expect(() => commandCheck(recordedSettings(settings))).not.toThrow()
    expect(() => commandCheck(settings as never)).toThrow('commandCheck has no option "rule"')
  })
})

describe('an older Node', () => {
  it('LIB-7 ENV-10 gets an error with the needed version, as do Bun and Deno, at every entry point that needs it', async () => {
    const { requireNode, refuseOthers } = (await import(join(import.meta.dirname, '..', 'bin', 'require-node.mjs'))) as {
      requireNode: (version: string) => void
      refuseOthers: (versions: Readonly<Record<string, string>>) => void
    }
    expect(() => refuseOthers({ node: '24.15.0', bun: '1.3.0' })).toThrow('Pawl runs on Node only, and this is Bun')
    expect(() => refuseOthers({ node: '24.15.0', deno: '2.5.0' })).toThrow('Pawl runs on Node only, and this is Deno')
    expect(() => refuseOthers({ node: '24.15.0' })).not.toThrow()
    for (const version of ['18.20.0', '20.20.2', '24.14.9']) {
      expect(() => requireNode(version)).toThrow(`Pawl needs Node 24.15 or later and this is ${version}: install one`)
      expect(() => requireNode(version)).toThrow(expect.objectContaining({ name: 'PawlError', code: 'setup.node' }))
    }
    for (const version of ['24.15.0', '24.21.0', '25.0.0']) expect(() => requireNode(version)).not.toThrow()
    expect(firstImport('index')).toBe("import '../bin/require-node.mjs'\n")
    expect(firstImport('stores/sqlite')).toBe("import '../../bin/require-node.mjs'\n")
    const free = Object.keys(ENTRIES).filter((name) => firstImport(name) === '')
    expect(free).toEqual([
      'hook',
      'tinker',
      'sandbox-inside',
      'guards',
      'odds',
      'loops/task',
      'loops/ralph',
      'loops/review',
      'loops/research',
      'isolation',
      'similarity',
      'client',
    ])
  })
})
