/** The code points of a text, as Python counts characters: a surrogate without its partner is one of its own. */
export function codePoints(text: string): Int32Array {
  const points = new Int32Array(text.length)
  let count = 0
  for (let index = 0; index < text.length; index++) {
    let point = text.charCodeAt(index)
    if ((point & SURROGATE_MASK) === HIGH_SURROGATE && index + 1 < text.length) {
      const low = text.charCodeAt(index + 1)
      if ((low & SURROGATE_MASK) === LOW_SURROGATE) {
        point = ASTRAL_START + ((point - HIGH_SURROGATE) << 10) + (low - LOW_SURROGATE)
        index++
      }
    }
    points[count++] = point
  }
  return points.subarray(0, count)
}

const SURROGATE_MASK = 0xfc00
const HIGH_SURROGATE = 0xd800
const LOW_SURROGATE = 0xdc00
const ASTRAL_START = 0x10000
