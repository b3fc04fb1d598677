/**
 * Prepares a search for short pieces, capitals or not, that takes one quick step for each byte of a text however many pieces there are:
 * of all characters of all pieces, 32 at most, a bit says whether the bytes just read fit its piece up to there. Each character of a
 * piece is a text of all that may stand for it. Both halves of the text are read at once, since a step has to wait for the one before it.
 */
export function pieceSearch(pieces: readonly (readonly string[])[]): (bytes: Uint8Array, length: number) => boolean {
  const fits = new Int32Array(256)
  let [first, last, bit] = [0, 0, 0]
  for (const piece of pieces) {
    first |= 1 << bit
    for (const either of piece) addBit(fits, either, bit++)
    last |= 1 << (bit - 1)
  }
  const overlap = Math.max(...pieces.map((piece) => piece.length)) - 1
  return (bytes, length) => {
    const half = Math.max(0, (length >> 1) - overlap)
    let [met, metInHalf] = [0, 0]
    for (let index = 0; half + index < length; index++) {
      met = ((met << 1) | first) & (fits[bytes[index] as number] as number)
      metInHalf = ((metInHalf << 1) | first) & (fits[bytes[half + index] as number] as number)
      if (((met | metInHalf) & last) !== 0) return true
    }
    return false
  }
}

function addBit(fits: Int32Array, characters: string, bit: number): void {
  for (const character of characters + characters.toUpperCase()) {
    const byte = character.charCodeAt(0)
    fits[byte] = (fits[byte] as number) | (1 << bit)
  }
}
