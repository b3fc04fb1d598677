import type { FileChange } from '../core/event-data.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { Captured } from '../process/output.ts'

export interface Observation {
  /** Hash of the whole tree, with new files and without ignored ones. The same content gives the same hash. */
  readonly tree: string
  /** The name to restore this tree by. */
  readonly snapshot: string
  /** Changes since `since`, or since the start of the run. */
  readonly files: readonly FileChange[]
  readonly insertions: number
  readonly deletions: number
  readonly diff: Captured
  /**
   * First what happened besides the files: new commits, a switched branch. Then one line for each file that could not be included:
   * unreadable, vanished, a socket, a nested repository. Default: none.
   */
  readonly notes?: readonly string[]
  /** How many of the notes, the last ones, are about files that could not be included. Default 0. */
  readonly leftOut?: number
}

export interface Restoration {
  readonly tree: string
  /** Name of the tree just before; absent if nothing had to change. */
  readonly savedAs?: string
  /** What it changed; absent if nothing had to change, or if that isn't known. */
  readonly files?: readonly FileChange[]
}

export interface RestoreOptions {
  /** The snapshot's tree according to the journal: it is restored even if the name was moved. Default: the tree that the name points to. */
  readonly tree?: string
  /** Restore even if another branch is checked out than when the snapshot was taken. Default false: refuse. */
  readonly onAnyBranch?: boolean
}

/** What a restore would do. */
export interface RestorePreview {
  /** What it would change. */
  readonly files: readonly FileChange[]
  readonly otherBranch?: OtherBranch
}

/** Another branch is checked out than when a snapshot was taken: restoring it would undo that branch's commits. */
export interface OtherBranch {
  readonly was: string
  readonly now: string
  /** The command that returns to the snapshot's branch. */
  readonly command: string
}

/** Which file's lines to trace. */
export interface BlameRequest {
  /** Relative to the folder, with `/`. */
  readonly path: string
  /** Oldest first, of any runs in this folder. The file is traced as it is in the last one. */
  readonly snapshots: readonly string[]
  /** Trace the file as it is now instead. Default false. */
  readonly isPresent?: boolean
}

/** A file with the origin of its lines. */
export interface BlamedFile {
  readonly lines: readonly BlamedLine[]
  /** Snapshots that no longer exist: their lines are attributed to the next one. */
  readonly missing: readonly string[]
}

export interface BlamedLine {
  readonly text: string
  /** Index in `snapshots` of the first one with this line; absent if only the present file has it. */
  readonly index?: number
  /** The file's name then, if it was another one. */
  readonly path?: string
}

/** One file of a snapshot. The same content has the same id. */
export interface SnapshotFile {
  readonly id: string
  readonly kind: 'file' | 'executable' | 'link'
}

/** The files of a snapshot, by path relative to the folder. */
export interface SnapshotFiles {
  readonly files: ReadonlyMap<string, SnapshotFile>
  /** A file's content, or a link's target; `undefined` if there is no such file. */
  read(path: string): Promise<Buffer | undefined>
}

/** The state of a folder's files, found without reading them. */
export interface FilesStamp {
  /** Differs when a file was changed, added or deleted. */
  readonly stamp: string
  /** When a file last changed, in milliseconds since 1970. */
  readonly changedAt: number
}

/** Three trees to merge: both `ours` and `theirs` were made from `base`. */
export interface MergeTrees {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

/** A merged tree. Files in conflict have git's marks in them, as far as they are texts. */
export interface MergedTree {
  readonly tree: string
  /** What didn't merge, in git's words, a line each; empty if everything did. */
  readonly conflicts: readonly string[]
}

/** Why a branch was not moved to a commit; `done` if it was, or is there already. */
export type LandResult = 'done' | 'no-branch' | 'diverged' | 'in-the-way'

/** Brings the work of several runs together. Every method may be called again with the same arguments. */
export interface Merging {
  /** Has the worktree of `run` begin with this tree, and outside the folder with what `parent` began with. Call it before the run is opened. */
  begin(run: string, parent: string, tree: string): Promise<void>
  /** Merges without touching files, and keeps the result for `run`. */
  merge(run: string, trees: MergeTrees): Promise<MergedTree>
  /** Moves a branch of the user's forward to `commit`, and where it is checked out its files too. */
  land(branch: string, commit: string): Promise<LandResult>
}

/** The files a run works on. Every method is idempotent: after a crash it may be called again with the same arguments. */
export interface Workspace {
  readonly spec: PartSpec
  /**
   * Prepares the folder and returns its path. `since` is the last snapshot of a run that resumes: if the run's snapshots are gone, this
   * rejects instead of starting over.
   */
  open(run: string, since?: string): Promise<{ readonly cwd: string }>
  /**
   * Keeps the files that the run begins with, for whoever opens it first, wherever that is. Absent if a run begins with what is there then.
   */
  keepStart?(run: string): Promise<void>
  /**
   * What a folder that was made for the run was made ready with, and a way to note that. Gone with the folder. Absent if the folder is
   * the user's own.
   */
  readonly readiness?: {
    read(run: string): Promise<string>
    write(run: string, by: string): Promise<void>
  }
  /** Takes a snapshot named `label` (`0`, `1`, `2-person-17`) and reports what changed since the snapshot `since`. */
  observe(run: string, label: string, since?: string): Promise<Observation>
  /**
   * Saves the present tree, then makes the folder equal to `snapshot`. Ignored files stay, except those in the way, which are saved too.
   * Rejects (`workspace.other-branch`) if it would undo another branch's commits, unless `onAnyBranch` is set.
   */
  restore(run: string, snapshot: string, options?: RestoreOptions): Promise<Restoration>
  /** Whether the files change while an agent works: looked at when a guard needs it. Absent if that can't be known. */
  stamp?(run: string): Promise<FilesStamp>
  /** Whether the files still equal the snapshot, as fast as possible. Absent if `preview` is as fast. */
  isAsKept?(run: string, snapshot: string): Promise<boolean>
  /** What a restore would do. Absent if that can't be known. */
  preview?(run: string, snapshot: string): Promise<RestorePreview>
  /** The difference between two snapshots as a patch. */
  diff(from: string, to: string): Promise<Captured>
  /**
   * The files of a snapshot with their contents: what a proof compares and builds its rooms from. `tree` is the one that the journal
   * knows it as, which counts if somebody moved the snapshot. Absent if that can't be known.
   */
  filesOf?(snapshot: string, tree?: string): Promise<SnapshotFiles>
  /** What is in the folder and in no snapshot, folders as one entry with `/` at the end. Absent if that can't be known. */
  leftOut?(run: string): Promise<readonly string[]>
  /** Files that match the globs but are ignored, so that no snapshot shows them. Absent if only settings ignore files. */
  ignored?(run: string, globs: readonly string[]): Promise<readonly string[]>
  /**
   * Commits the files to a branch, on top of `after`; the same `key` commits once. Rejects if the branch points elsewhere, because then
   * it isn't this run's. Returns no commit if nothing differs, and the `tip` that the next commit comes after. Absent without branches.
   */
  commit?(
    run: string,
    commit: { readonly key: string; readonly branch: string; readonly message: string; readonly after?: string },
  ): Promise<{ readonly commit?: string; readonly tip?: string }>
  /** Absent without branches. */
  readonly merging?: Merging
  /** Where the lines of a file come from; `undefined` if there is no such file. Absent if that can't be known. */
  blame?(request: BlameRequest): Promise<BlamedFile | undefined>
  /** The shell command with which a person restores `snapshot` by hand, or only the files at `paths`. */
  howToRestore(snapshot: string, paths?: readonly string[]): string
}

/** What the snapshots of runs take, and a way to have less of them. */
export interface SnapshotSpace {
  /** Bytes on disk that only the snapshots of these runs hold; `undefined` if that can't be known. */
  bytesOf(runs: readonly string[]): Promise<number | undefined>
  /** Bytes of the run's own worktree; 0 if it has none. */
  worktreeBytes(run: string): Promise<number>
  /** Drops all snapshots of a run, and its worktree. The files of the project stay as they are. */
  drop(run: string): Promise<void>
  /** The names of a run's snapshots without `refs/pawl/RUN/`. */
  labels(run: string): Promise<readonly string[]>
  /** Whether dropped snapshots take space until git cleans up. */
  readonly isFreedLater: boolean
}
