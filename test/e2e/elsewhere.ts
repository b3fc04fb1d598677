import { type Project, until } from './project.ts'

/**
 * An agent for `project.script` that hangs the first time, with one child in another process group and one in another session, both
 * writing into the project as long as they live; it does the work the second time.
 */
export const ELSEWHERE_ONCE = `
cat >/dev/null
if [ -e "$NOTES/begun" ]; then echo good >a.txt; exit 0; fi
echo half >a.txt
: >"$NOTES/begun"
export NOTES
timeout 60 sh -c 'echo $$ >"$NOTES/group"; for i in $(seq 600); do echo $i >>late.txt; sleep 0.1; done' &
setsid sh -c 'echo $$ >"$NOTES/session"; for i in $(seq 600); do echo $i >>late.txt; sleep 0.1; done' &
wait_for never
`

/** The pids of those two, once both are at work. */
export async function pidsElsewhere(project: Project): Promise<readonly number[]> {
  const pids = [Number(await project.noted('group')), Number(await project.noted('session'))]
  await until('what the two write', async () => (await project.read('late.txt').catch(() => undefined)) || undefined)
  return pids
}
