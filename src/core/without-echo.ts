/**
 * What an agent printed, less what it only repeats of its brief: some print the whole brief first, and a brief that says
 * "end with <promise>…</promise>" promises nothing. A line of the brief that is a promise and nothing else is kept unless all of the
 * brief is repeated, since that is how an agent promises.
 */
export function withoutEcho(text: string, brief: string): string {
  const whole = brief.trim()
  const rest = whole === '' ? text : text.replaceAll(whole, '')
  const asking = new Set(
    brief
      .split('\n')
      .map(plain)
      .filter((line) => line.includes(TAG) && !ALONE.test(line)),
  )
  if (asking.size === 0) return rest
  return rest
    .split('\n')
    .filter((line) => !line.includes(TAG) || !asking.has(plain(line)))
    .join('\n')
}

const TAG = '<promise>'
const ALONE = /^[\W_]*<promise>[^<]*<\/promise>[\W_]*$/

/** Agents indent, quote and number what they repeat. */
function plain(line: string): string {
  return line.replace(/^[\s>|*#\d.:-]+/, '').trimEnd()
}
