/** The answer of a person who says in their own words how to go on: their note is all that is told to the agent. */
export const OWN_WORDS = 'words'
