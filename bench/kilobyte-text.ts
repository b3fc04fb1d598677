const WORDS = `the parser reads a line and gives back what it found so that caller can decide whether to go on with next one
when there is nothing left it says so instead of throwing now user id comes from session as number not as string which is
why login test failed before change third case was about an empty list and still fails because sum starts with undefined
I moved check up into guard clause renamed two variables ran tests again looked at report then left rest alone`.split(/\s+/)

const TEXT_LENGTH = 1024

/** What an agent might say: 1,024 characters of plain words, the same for the same iteration and different for another. */
export function kilobyteText(iteration: number): string {
  let seed = iteration
  let text = `Iteration ${iteration}:`
  while (text.length < TEXT_LENGTH) {
    // A linear congruential generator: good enough to make no two texts alike, and the same everywhere.
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
    text += ` ${WORDS[Math.floor((seed / 2 ** 32) * WORDS.length)]}`
  }
  return text.slice(0, TEXT_LENGTH)
}
