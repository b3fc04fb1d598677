import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { isReport, post, Problem } from '../api.ts'
import { session } from '../session.ts'
import { dateAndTime } from '../format.ts'
import type { OptionView, QuestionView, RunDetail, TakenAnswer } from '../types.ts'
import { Dialog, Failure, Fold, Panel, Text } from './basics.tsx'

/** The open question: choose, then send. Two taps on a phone. */
export function Question({ view, question }: { readonly view: RunDetail; readonly question: QuestionView }): JSX.Element {
  const chosen = useSignal<OptionView | undefined>(undefined)
  const note = useSignal('')
  return (
    <Panel
      title={
        <span class="row wait">
          <span class="status escalated">{question.status === 'stopped' ? 'Stopped: continue?' : 'Needs your answer'}</span>
        </span>
      }
      label="Question"
    >
      <div class="pad stack">
        <p class="question">{question.text}</p>
        {question.pattern && (
          <p class="small">
            <span class="soft">Pattern </span>
            {question.pattern}
          </p>
        )}
        {isReport ? (
          <ol class="stack tight">
            {question.options.map(({ number, label, then }) => (
              <li key={number}>
                {number}. {label} {then && <span class="soft">{then}</span>}
              </li>
            ))}
          </ol>
        ) : (
          <>
            <div class="options" role="group" aria-label="Options">
              {question.options.map((option) => (
                <Option
                  key={option.choice}
                  option={option}
                  isChosen={chosen.value === option}
                  onChoose={() => (chosen.value = chosen.value === option ? undefined : option)}
                />
              ))}
            </div>
            {chosen.value && (
              <Send key={chosen.value.choice} view={view} question={question} option={chosen.value} note={note.value} />
            )}
            <label class="small">
              <span class="soft">Note for the agent (optional)</span>
              <textarea value={note.value} onInput={(event) => (note.value = event.currentTarget.value)} />
            </label>
            <Ground question={question} />
            <More view={view} question={question} note={note.value} />
          </>
        )}
      </div>
    </Panel>
  )
}

/** What was tried, what fails, and what the last attempt changed. */
function Ground({ question }: { readonly question: QuestionView }): JSX.Element | null {
  const { attempts, feedback = [], steps = [], changes = [] } = question
  if (attempts.length + feedback.length + steps.length + changes.length === 0) return null
  return (
    <div class="small">
      {steps.length > 0 && (
        <ol class="stack tight">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {attempts.length + feedback.length > 0 && (
        <Fold title="What was tried, and what fails">
          {() => (
            <ul class="stack tight">
              {[...attempts, ...feedback].map((text) => (
                <li key={text} class="words">
                  {text}
                </li>
              ))}
            </ul>
          )}
        </Fold>
      )}
      {changes.length > 0 && (
        <Fold title="What the last attempt changed">
          {() => changes.map(({ path, lines }) => <Text key={path} text={`${path}\n${lines.join('\n')}`} />)}
        </Fold>
      )}
    </div>
  )
}

function Option({
  option,
  isChosen,
  onChoose,
}: {
  readonly option: OptionView
  readonly isChosen: boolean
  readonly onChoose: () => void
}): JSX.Element {
  const { number, label, then, limits = [], recommended } = option
  const raised = limits.filter((limit) => !label.includes(limit) && !then?.includes(limit))
  const more = [then, raised.length > 0 ? `raises the limit: ${raised.join(', ')}` : undefined].filter(Boolean).join(' · ')
  return (
    <button type="button" class="option" aria-pressed={isChosen} onClick={onChoose}>
      <b>{number}</b>
      <span>
        {label} {recommended && <span class="tag accent">recommended</span>}
        {more !== '' && <span class="soft small"> {more}</span>}
      </span>
    </button>
  )
}

function Send({
  view,
  question,
  option,
  note,
}: {
  readonly view: RunDetail
  readonly question: QuestionView
  readonly option: OptionView
  readonly note: string
}): JSX.Element {
  const act = useAct()
  const send = (resume: boolean): void =>
    void act.run(() =>
      post(`/runs/${encodeURIComponent(view.run)}/answer`, {
        question: question.seq,
        choice: option.choice,
        ...(note.trim() ? { note: note.trim() } : {}),
        ...(resume ? { resume } : {}),
      }),
    )
  return (
    <div class="stack tight">
      <div class="row">
        <button type="button" class="primary" disabled={act.isBusy.value} onClick={() => send(false)}>
          Answer {option.number}
        </button>
        {session.value?.canDrive && (
          <button type="button" disabled={act.isBusy.value} onClick={() => send(true)}>
            Answer and resume now
          </button>
        )}
      </div>
      <Outcome act={act} />
    </div>
  )
}

/** Guards that are limits: raising one is an option of the question, and none of them is ever wrong. */
const LIMITS: ReadonlySet<string> = new Set(['maxIterations', 'budget', 'deadline', 'iterationBudget'])

/** What can be done besides the options: false alarm, allow once, go back, end the run. */
function More({
  view,
  question,
  note,
}: {
  readonly view: RunDetail
  readonly question: QuestionView
  readonly note: string
}): JSX.Element {
  const path = `/runs/${encodeURIComponent(view.run)}`
  const guards = [...new Set((view.card?.trips ?? []).map(({ guard }) => guard))]
  const isAlarmOffered = question.options.some(({ choice }) => choice === 'false-alarm')
  const withNote = note.trim() === '' ? {} : { note: note.trim() }
  return (
    <Fold title={<span class="soft">More: false alarm, allow once, go back, end the run</span>}>
      {() => (
        <div class="row">
          {guards
            .filter((guard) => !LIMITS.has(guard) && !isAlarmOffered)
            .map((guard) => (
              <Act
                key={guard}
                label={`False alarm: ${guard}`}
                title={`Was ${guard} wrong?`}
                path={`${path}/answer`}
                body={() => ({ question: question.seq, choice: 'false-alarm', guard, ...withNote })}
              >
                Pawl counts this against the guard and lets the run pass it once.
              </Act>
            ))}
          {guards.map((guard) => (
            <Act
              key={guard}
              label={`Allow ${guard} once`}
              title={`Let the run pass ${guard} once?`}
              path={`${path}/waive`}
              body={() => ({ guard, ...withNote })}
            >
              The question stays open until you answer it.
            </Act>
          ))}
          <Restore view={view} />
          <End view={view} />
        </div>
      )}
    </Fold>
  )
}

/** Ends the run. */
export function End({ view }: { readonly view: RunDetail }): JSX.Element {
  return (
    <Act
      label="End the run"
      title={`End ${view.run}?`}
      path={`/runs/${encodeURIComponent(view.run)}/abort`}
      body={() => ({})}
      isDangerous
    >
      The run ends for good, and its agent is stopped. Its files stay as they are.
    </Act>
  )
}

/** Goes back to the files after an iteration, where the server may do that. */
export function Restore({ view }: { readonly view: RunDetail }): JSX.Element | null {
  const best = view.best?.iteration ?? 0
  const which = useSignal(String(best))
  const last = view.iterations.at(-1)?.iteration ?? 0
  if (!session.value?.canDrive) return null
  return (
    <Act
      label="Go back …"
      title="Go back to an iteration"
      path={`/runs/${encodeURIComponent(view.run)}/restore`}
      body={() => ({ tree: which.value })}
    >
      <span class="stack tight">
        <span>Pawl saves the present files first, so nothing is lost.</span>
        <label>
          <span class="soft small">Iteration (0 is before any work{best > 0 ? `, ${best} is the best` : ''})</span>
          <input
            type="number"
            min={0}
            max={last}
            value={which.value}
            onInput={(event) => (which.value = event.currentTarget.value)}
          />
        </label>
      </span>
    </Act>
  )
}

/** Resumes the run on the server's machine, with a higher limit if you like. */
export function Resume({ view }: { readonly view: RunDetail }): JSX.Element {
  const max = useSignal('')
  const budget = useSignal('')
  const body = (): unknown => ({
    ...(max.value ? { maxIterations: Number(max.value) } : {}),
    ...(budget.value ? { budgetUsd: Number(budget.value) } : {}),
  })
  return (
    <Act label="Resume now" title={`Resume ${view.run}`} path={`/runs/${encodeURIComponent(view.run)}/resume`} body={body}>
      <span class="stack tight">
        <label>
          <span class="soft small">Raise the limit of iterations to (optional)</span>
          <input type="number" min={1} value={max.value} onInput={(event) => (max.value = event.currentTarget.value)} />
        </label>
        <label>
          <span class="soft small">Raise the budget in dollars to (optional)</span>
          <input
            type="number"
            min={0}
            step="0.01"
            value={budget.value}
            onInput={(event) => (budget.value = event.currentTarget.value)}
          />
        </label>
      </span>
    </Act>
  )
}

/** A button that asks before it acts. */
function Act({
  label,
  title,
  path,
  body,
  isDangerous = false,
  children,
}: {
  readonly label: string
  readonly title: string
  readonly path: string
  readonly body: () => unknown
  readonly isDangerous?: boolean
  readonly children: ComponentChildren
}): JSX.Element {
  const isOpen = useSignal(false)
  const act = useAct()
  return (
    <>
      <button type="button" class={isDangerous ? 'danger' : ''} onClick={() => (isOpen.value = true)}>
        {label}
      </button>
      {isOpen.value && (
        <Dialog title={title} onClose={() => (isOpen.value = false)}>
          <div>{children}</div>
          <Outcome act={act} />
          {!act.isDone.value && (
            <button
              type="button"
              class={isDangerous ? 'danger' : 'primary'}
              disabled={act.isBusy.value}
              onClick={() => void act.run(() => post(path, body()))}
            >
              {label.replace(/ …$/, '')}
            </button>
          )}
        </Dialog>
      )}
    </>
  )
}

interface Acting {
  readonly isBusy: { readonly value: boolean }
  readonly isDone: { readonly value: boolean }
  readonly problem: { readonly value: Problem | undefined }
  readonly result: { readonly value: Readonly<Record<string, unknown>> | undefined }
  run(deed: () => Promise<unknown>): Promise<void>
}

function useAct(): Acting {
  const isBusy = useSignal(false)
  const isDone = useSignal(false)
  const problem = useSignal<Problem | undefined>(undefined)
  const result = useSignal<Readonly<Record<string, unknown>> | undefined>(undefined)
  const acting = useRef({
    isBusy,
    isDone,
    problem,
    result,
    run: async (deed: () => Promise<unknown>): Promise<void> => {
      isBusy.value = true
      problem.value = undefined
      try {
        result.value = (await deed()) as Record<string, unknown>
        isDone.value = true
      } catch (error) {
        problem.value = error instanceof Problem ? error : new Problem(0, { detail: String(error) })
      }
      isBusy.value = false
    },
  })
  return acting.current
}

/** How it ended. Somebody else may have been first: then who, when and what. */
function Outcome({ act }: { readonly act: Acting }): JSX.Element | null {
  const problem = act.problem.value
  const taken = problem?.status === 409 ? (problem.body['answer'] as TakenAnswer | undefined) : undefined
  if (taken)
    return (
      <div class="note wait" role="alert">
        <strong>Already answered</strong>
        <p>
          {taken.by} chose “{taken.label}”, {dateAndTime(taken.at)}.
        </p>
        {taken.note && <p class="words">“{taken.note}”</p>}
      </div>
    )
  if (problem) return <Failure problem={problem} />
  if (!act.isDone.value) return null
  const follows = act.result.value?.['follows']
  return (
    <div class="note good" role="status">
      <strong>Done</strong> {typeof follows === 'string' && <span>{follows}</span>}
    </div>
  )
}
