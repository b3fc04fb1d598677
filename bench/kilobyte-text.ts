const WORDS = `the parser reads a line and gives back what it found so that caller can decide whether to go on with next one
when there is nothing left it says so instead of throwing now user id comes from session as number not as string which is
why login test failed before change third case was about an empty list and still fails because sum starts with undefined
I moved check up into guard clause renamed two variables ran tests again looked at report then left rest alone`.split(/\s+/)

const TEXT_LENGTH = 1024

/** Long enough that its stretches of `TEXT_LENGTH` hardly ever begin at the same place. */
const TALK = talk(2 ** 16)

/**
 * What an agent might say: 1,024 characters of plain words, the same for the same iteration and different for another. Cut out of
 * a long text, since putting it together word by word would take as long as the engine takes for its part.
 */
export function kilobyteText(iteration: number): string {
  const start = (iteration * 7919) % (TALK.length - TEXT_LENGTH)
  const head = `Iteration ${iteration}: `
  return head + TALK.slice(start, start + TEXT_LENGTH - head.length)
}

function talk(lengthMin: number): string {
  const words: string[] = []
  let seed = 1
  for (let length = 0; length < lengthMin;) {
    // A linear congruential generator: no two stretches alike, and the same everywhere.
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
    const word = WORDS[Math.floor((seed / 2 ** 32) * WORDS.length)] as string
    words.push(word)
    length += word.length + 1
  }
  return words.join(' ')
}
