import type { FileChange } from '../core/event-data.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { Captured } from '../process/output.ts'

export interface Observation {
  /** Hash of the whole tree, new files included, ignored ones not. The same content gives the same hash. */
  readonly tree: string
  /** Name under which this tree can be restored. */
  readonly snapshot: string
  /** Against `since`, or against the state before the run where that is not given. */
  readonly files: readonly FileChange[]
  readonly insertions: number
  readonly deletions: number
  readonly diff: Captured
  /**
   * One line for each thing that could not be taken in (`left out: …`): unreadable, vanished, a socket, a repository of its own. Before them
   * what happened besides the files: commits that were made, a branch that was switched. Default: none.
   */
  readonly notes?: readonly string[]
}

export interface Restoration {
  readonly tree: string
  /** Name of the tree as it was just before; absent when nothing had to be changed. */
  readonly savedAs?: string
  /** What it changed, as against the files just before; absent when nothing had to be, or where that is not told. */
  readonly files?: readonly FileChange[]
}

export interface RestoreOptions {
  /** The tree that the snapshot was, by the journal: it is restored also where the name stands for another by now. Default: what the name stands for. */
  readonly tree?: string
  /** Go on although another branch is checked out than when the snapshot was kept. Default false: then it is refused. */
  readonly onAnyBranch?: boolean
}

/** What a restore would do now. */
export interface RestorePreview {
  /** What it would change, as against the present files. */
  readonly files: readonly FileChange[]
  readonly otherBranch?: OtherBranch
}

/** Another branch is checked out than when a snapshot was kept: to restore it would undo what is committed there. */
export interface OtherBranch {
  readonly was: string
  readonly now: string
  /** How to go back to the branch of the snapshot. */
  readonly command: string
}

/** What is asked about the lines of a file. */
export interface BlameRequest {
  /** From the folder, with `/`. */
  readonly path: string
  /** In the order of time, of any runs in this folder. The file as it is in the last of them is looked at. */
  readonly snapshots: readonly string[]
  /** Look at the file as it is now instead. Default false. */
  readonly isPresent?: boolean
}

/** A file whose lines are traced back. */
export interface BlamedFile {
  readonly lines: readonly BlamedLine[]
  /** Snapshots that are no longer there: what they brought is put down to the next one. */
  readonly missing: readonly string[]
}

export interface BlamedLine {
  readonly text: string
  /** Place in `snapshots` of the one in which the line first stood; absent where it is only in the file as it is now. */
  readonly index?: number
  /** The file it stood in then, where that had another name. */
  readonly path?: string
}

/** The files a run works on. Every method is idempotent: after a crash it may be called again with the same words. */
export interface Workspace {
  readonly spec: PartSpec
  /**
   * Makes the folder ready and says where it is. `since` is the snapshot at which a run that goes on stands: where what was kept of the
   * run is gone, this is said, and nothing is begun anew in its place.
   */
  open(run: string, since?: string): Promise<{ readonly cwd: string }>
  /** Keeps the present tree under `label` (`0`, `1`, `2-person-17`) and says what changed since the snapshot `since`. */
  observe(run: string, label: string, since?: string): Promise<Observation>
  /**
   * Saves the present tree, then makes the folder equal to `snapshot`. Ignored files stay, but for those in the way, which are saved too.
   * Refused (`workspace.other-branch`) where it would undo what is committed on another branch, unless that is wanted.
   */
  restore(run: string, snapshot: string, options?: RestoreOptions): Promise<Restoration>
  /** Whether the files are still those of the snapshot, as quickly as that can be told. Absent where `preview` is as quick. */
  isAsKept?(run: string, snapshot: string): Promise<boolean>
  /** What a restore would do now, without doing it. Absent where that cannot be told. */
  preview?(run: string, snapshot: string): Promise<RestorePreview>
  /** The difference between two snapshots as a patch. */
  diff(from: string, to: string): Promise<Captured>
  /** What the globs name and no look shows, because it is ignored. Absent where nothing is ignored but by settings. */
  ignored?(run: string, globs: readonly string[]): Promise<readonly string[]>
  /**
   * Puts the files as they are on a branch, on top of `after`, and nowhere else; the same `key` commits once. A branch that stands
   * elsewhere is not this run's, and refused. Answers without a commit where nothing differs, and with the `tip` that the next commit
   * comes after. Absent where there are no branches.
   */
  commit?(
    run: string,
    commit: { readonly key: string; readonly branch: string; readonly message: string; readonly after?: string },
  ): Promise<{ readonly commit?: string; readonly tip?: string }>
  /** Where the lines of a file come from; `undefined` where there is no such file at the end. Absent where that cannot be told. */
  blame?(request: BlameRequest): Promise<BlamedFile | undefined>
  /** How a person gets the files of `snapshot` back by hand: one shell command. */
  howToRestore(snapshot: string): string
}
