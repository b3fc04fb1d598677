/** The skill that tells an agent how a loop is kept, with the words by which people ask for it. */
export const skillText = `---
name: pawl
description: 'Keeps a bounded loop of work and checks until the checks pass: counts iterations, feeds failures back, decides whether to retry or to ask a person. Triggers: "retry with feedback", "check iteration limit", "should I retry or escalate", "iteration [N] of [max]".'
---

# Working in a loop that Pawl controls

Pawl runs the checks itself after every turn, counts the iterations, and decides: go on, retry with feedback, ask a person,
or stop. You do the work; you do not judge it.

## Triggers

- "retry with feedback"
- "check iteration limit"
- "should I retry or escalate"
- "iteration [N] of [max]"

## To begin a loop

Call the MCP tool \`iteration_start\` of the server \`pawl\`:

- \`taskId\`: a short name for the work
- \`maxIterations\`: 1 to 100; 5 is a good start
- \`completionPromises\`: what you will say when it is done, such as \`["<promise>COMPLETE</promise>"]\`
- \`validationRules\`: how the work is checked, such as
  \`[{"type": "command", "name": "tests", "config": {"command": "npm test"}}]\`

From then on the loop belongs to this session. Another session in the same folder is never held by it.

## While it runs

1. Work on the goal. Change what is wrong, not the tests that say so.
2. When you believe it is done, end your turn and say the promise. The checks are run then. A promise that they refute is no
   harm: you are told what fails, and go on.
3. What you are told at the end of a turn is the feedback of that iteration. Read what fails, and do something else than what
   was tried before.
4. If you cannot go on without a person, say \`<promise>BLOCKED: why</promise>\`. Nobody counts that as done.

## To retry or to escalate

Do not decide it yourself. Ask with \`iteration_check\` (what the tests and the review said goes in, a decision comes out), or
with \`iteration_next\`, which runs the guards: too many iterations, failures without a better score, files that are changed to and
fro. When the answer is to escalate, show its question to the person as it stands and stop.

The person can look with \`pawl show RUN\` and answer with \`pawl answer RUN\`.
`
