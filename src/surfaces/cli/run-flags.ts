import { type Command, Option } from 'commander'
import { PawlError } from '../../core/pawl-error.ts'
import { settingsOf } from '../../guards/default-guards.ts'
import { RALPH_ITERATIONS_MAX, RALPH_LOOP } from '../../loops/ralph/settings.ts'
import { RESEARCH_FLAGS } from '../../loops/research/settings.ts'
import { REVIEW_ITERATIONS_MAX, REVIEW_LOOP } from '../../loops/review/settings.ts'
import { TASK_LOOP } from '../../loops/task/settings.ts'
import { PROOF_SETTINGS } from '../../proof/settings.ts'
import { PART_SETTINGS } from '../../registry/_settings.ts'
import type { Entries } from '../../schema/file-kinds.ts'
import { type Flag, flagsOf } from '../../schema/flags.ts'
import { projectSchema } from '../../settings/project-schema.ts'
import { guardName } from './guard-name.ts'

/*
 * The flags of the commands that drive runs. Kind, bounds, default and line of help of a setting's flag are in the schema beside its part;
 * here are only the flags that aren't settings.
 */

const PROJECT: Entries = projectSchema.entries
const CHECK: Entries = PART_SETTINGS['command-check'].entries
const PROGRAM: Entries = PART_SETTINGS['command-agent'].entries
const KNOWN_AGENT: Entries = PART_SETTINGS['known-agent'].entries

/** The flags of `pawl task`. */
export function taskFlags(command: Command): Command {
  const known = command.option('--id <run>', 'name of the run; a known one is resumed (default: made from the goal)')
  withFlags(withSettings(known, '3'), pick(CHECK, 'report'))
    .option('--tasks <file>', 'do the tasks of a file in order: a Markdown checklist, or YAML')
    .option('--parallel <count>', 'do several tasks at a time, each in its own worktree, and merge them')
    .addOption(ontoFlag())
    .addOption(flagOf(PROJECT, 'reviewer'))
  const all = withFlags(withOthers(command), TASK_LOOP.entries)
  return all.option('--test-writer <agent>', 'another agent that writes the tests first (implies --test-first)')
}

/** The flags of `pawl race`. */
export function raceFlags(command: Command): Command {
  const known = command
    .option('--id <run>', 'name of the run; a known one is resumed (default: made from the goal)')
    .requiredOption('--agents <names>', 'the agents that race: claude,codex,gemini')
    .option('--best', 'wait for all, and take the strongest result (default: the first that is proven)')
    .addOption(ontoFlag())
  withFlags(withSettings(known, '3'), pick(CHECK, 'report')).addOption(flagOf(PROJECT, 'reviewer'))
  const all = withFlags(withOthers(command), TASK_LOOP.entries)
  return all.option('--test-writer <agent>', 'another agent that writes the tests first (implies --test-first)')
}

function ontoFlag(): Option {
  return new Option('--onto <branch>', 'move this branch to the result at the end (default: no branch of yours)')
}

/** The flags of `pawl ralph`. */
export function ralphFlags(command: Command): Command {
  command
    .option('-f, --prompt-file <file>', 'the prompt, given word for word each time')
    .option('-p, --prompt <text>', 'the same as text')
    .on('option:no-promise', () => requireNoPromise(command))
    .option('--no-promise', 'ask for no promise: passing checks end the run')
    .option('--rule <file>', 'validation rules, YAML or JSON, in place of those of pawl.yaml (repeatable)', repeated)
    .option('--id <run>', 'name of the run; a known one is resumed (default: made from the prompt)')
    .option('--bind [session]', "start nothing: the agent's session that calls this works on it, kept going by its hook")
  withFlags(withSettings(command, String(RALPH_ITERATIONS_MAX)), RALPH_LOOP.entries)
  return withOthers(command.addOption(flagOf(PROJECT, 'reviewer')))
}

/** The flags of `pawl review`. */
export function reviewFlags(command: Command): Command {
  command
    .option('--coder <[name=]agent>', 'an agent that codes, in turn with the others (repeatable)', repeated)
    .option('--goal <text>', 'what it is all for; without a plan the planner makes one from it')
    .option('--planner <agent>', 'the agent that makes the plan (default: roles of pawl.yaml, else --agent)')
    .addOption(reviewers('who reviews every pass'))
    .option('--id <run>', 'name of the run; a known one is resumed (default: made from the name of the plan or the goal)')
  return withOthers(withFlags(withSettings(command, String(REVIEW_ITERATIONS_MAX)), REVIEW_LOOP.entries))
}

/** The flags of `pawl research`. */
export function researchFlags(command: Command): Command {
  command
    .option('--path <folder>', 'the folder to look at (default: the project)')
    .addOption(flagOf(PROJECT, 'agent'))
    .addOption(flagOf(PROJECT, 'on_limit'))
    .addOption(flagOf(PROGRAM, 'command').conflicts('agent'))
    .option('--offline', 'search without any agent: the explorer that comes with Pawl')
    .option('--config <file>', 'file of settings (default: pawl-research.yaml, where it is there)')
    .option('--config-dir <folder>', 'folder with iteration-rules.json, orchestration-config.json, agent-roles.json')
    .option('--from <file>', 'continue from a checkpoint (pawl export RUN --format checkpoint)')
    .option('--report <file>', 'write the report as Markdown, too')
    .option('--id <run>', 'name of the run; a known one is resumed (default: made from the question)')
    .option('--force', 'write over a report or a file of settings that is there')
    .option('--no-ask', 'never ask on the terminal')
    .addOption(detachFlag())
    .addOption(flagOf(KNOWN_AGENT, 'model'))
    .addOption(flagOf(KNOWN_AGENT, 'permissionMode', 'read'))
    .addOption(flagOf(PROJECT, 'agent_timeout', "its role's, 10m"))
  withFlags(command, pick(PROJECT, 'isolation', 'sessions')).addOption(roleIsolation())
  return withDeadline(withFlags(withFlags(command, RESEARCH_FLAGS.entries), settingsOf('budget').schema.entries))
}

/** The flags of `pawl resume`: the settings change the run, as an event in its journal. */
export function resumeFlags(command: Command): Command {
  command
    .option('--due', 'resume every run whose wait is over (with --json a document for each)')
    .option('--answer <choice>', 'answer its question too, as `pawl answer` does; both take effect together')
    .option('--note <text>', 'tell the agent something with the answer')
    .option('--waive <guard>', 'let this guard be passed once', guardName)
    .option('--reload', "take pawl.yaml's present checks, held_out, prepare and isolation")
    .option('--unbind', "take the run away from the agent's session that it belongs to")
    .option('--undo-changes', 'after a crash: undo what others changed since, too')
    .addOption(reviewers('who reviews from now on'))
    .option('--no-ask', 'never ask on the terminal')
    .addOption(detachFlag())
    .addOption(queueFlag())
    .option('--priority <number>', 'with --queue: runs with a higher one are taken first (default: 0)')
    .option('--labels <names>', 'with --queue: what a worker must have: linux,gpu')
  return withProof(withSettings(command, AS_IT_IS, AS_IT_IS), AS_IT_IS)
}

const AS_IT_IS = 'as it is'

/** What decides how a run goes. */
function withSettings(command: Command, iterationsMax: string, others?: string): Command {
  command
    .addOption(flagOf(PROJECT, 'agent'))
    .addOption(flagOf(PROJECT, 'on_limit', others))
    .addOption(flagOf(PROGRAM, 'command').conflicts('agent'))
  withFlags(command, KNOWN_AGENT, others)
  command.addOption(flagOf(PROJECT, 'checks'))
  withFlags(command, settingsOf('maxIterations').schema.entries, iterationsMax)
  withFlags(command, settingsOf('budget').schema.entries)
  return withDeadline(command)
    .addOption(flagOf(PROJECT, 'guards'))
    .addOption(flagOf(PROJECT, 'agent_timeout', others))
    .addOption(flagOf(CHECK, 'timeoutMs', others))
}

function withDeadline(command: Command): Command {
  return command.option('--deadline <when>', 'end the run then, whatever it does: 6h, or 2030-01-01T18:00Z')
}

function withProof(command: Command, byDefault?: string): Command {
  const accept = new Option('--accept-unproven', 'count any pass as done, even if nothing proves it')
  return withFlags(command, PROOF_SETTINGS.entries, byDefault).addOption(accept.conflicts('requireProof'))
}

function withOthers(command: Command): Command {
  withFlags(command, pick(PROJECT, 'questioner', 'protect', 'worktree', 'isolation', 'probe', 'sessions'))
  return withProof(command.addOption(roleIsolation()))
    .option('--no-ask', 'never ask on the terminal: leave questions for `pawl answer`')
    .addOption(detachFlag())
    .addOption(queueFlag())
    .option('--priority <number>', 'with --queue: runs with a higher one are taken first (default: 0)')
    .option('--labels <names>', 'with --queue: what a worker must have: linux,gpu')
}

function queueFlag(): Option {
  return new Option('--queue', 'put the run into the queue; a pawl worker drives it').conflicts('detach')
}

function detachFlag(): Option {
  return new Option('-d, --detach', 'run in the background; watch with pawl attach RUN')
}

function roleIsolation(): Option {
  return new Option('--role-isolation <role=kind>', 'isolate one role otherwise: reviewer=container (repeatable)').argParser(
    repeated,
  )
}

/** Adds the flags of settings; `byDefault` replaces the defaults that they have. */
function withFlags(command: Command, entries: Entries, byDefault?: string): Command {
  for (const flag of flagsOf(entries)) command.addOption(optionOf(flag, byDefault))
  return command
}

/** Several may be given where pawl.yaml names one. */
function reviewers(what: string): Option {
  const { flags } = flagOf(PROJECT, 'reviewer')
  return new Option(flags, `${what}: an agent, or person (repeatable; all must approve)`).argParser(repeated)
}

/** The flag of one setting. */
function flagOf(entries: Entries, name: string, byDefault?: string): Option {
  return optionOf(flagsOf(pick(entries, name))[0] as Flag, byDefault)
}

/** An option of commander for a flag of a setting. */
function optionOf({ usage, about, byDefault: own, choices, isList }: Flag, byDefault?: string): Option {
  const known = own === undefined ? undefined : (byDefault ?? own)
  const remarks = [...(isList ? ['repeatable'] : []), ...(known === undefined ? [] : [`default: ${known}`])]
  const option = new Option(usage, remarks.length === 0 ? about : `${about} (${remarks.join('; ')})`)
  if (choices) option.choices([...choices])
  return isList ? option.argParser(repeated) : option
}

function pick(entries: Entries, ...names: readonly string[]): Entries {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => names.includes(name)))
}

/** `before` is false after `--no-promise`. */
function repeated(value: string, before: readonly string[] | false = []): readonly string[] {
  if (before === false) throw bothPromises()
  return [...before, value]
}

/** Asked before the flag takes effect: afterwards the words would be forgotten. */
function requireNoPromise(command: Command): void {
  if (Array.isArray(command.getOptionValue('promise'))) throw bothPromises()
}

function bothPromises(): PawlError {
  return new PawlError('usage.promise', "--promise and --no-promise don't go together: leave one of them out.")
}
