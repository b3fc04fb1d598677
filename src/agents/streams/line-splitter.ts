import { StringDecoder } from 'node:string_decoder'

/** Cuts a stream of bytes into lines, in bounded memory: a line that is too long is passed over and counted. */
export class LineSplitter {
  readonly #onLine: (line: string) => void
  readonly #lengthMax: number
  // A piece may end in the middle of a character. The whole piece is decoded at once: line by line costs ten times as much.
  readonly #decoder = new StringDecoder('utf8')
  #begun = ''
  #isPassedOver = false
  #tooLong = 0

  constructor(onLine: (line: string) => void, lengthMax = LINE_LENGTH_MAX) {
    this.#onLine = onLine
    this.#lengthMax = lengthMax
  }

  /** How many lines were too long. */
  get tooLong(): number {
    return this.#tooLong
  }

  push(bytes: Buffer): void {
    this.#add(this.#decoder.write(bytes))
  }

  /** What came last counts as a line, even without its end. Nothing may be pushed afterwards. */
  end(): void {
    this.#add(this.#decoder.end())
    this.#endLine('')
  }

  #add(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#endLine(text.slice(start, end))
      start = end + 1
    }
    if (start < text.length) this.#begin(text.slice(start))
  }

  #begin(piece: string): void {
    if (this.#isPassedOver) return
    if (this.#begun.length + piece.length <= this.#lengthMax) this.#begun += piece
    else this.#passOver()
  }

  #endLine(piece: string): void {
    const length = this.#begun.length + piece.length
    if (this.#isPassedOver || length > this.#lengthMax) this.#tooLong++
    else if (length > 0) this.#hand(this.#begun === '' ? piece : this.#begun + piece)
    this.#begun = ''
    this.#isPassedOver = false
  }

  #hand(line: string): void {
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line
    if (whole !== '') this.#onLine(whole)
  }

  #passOver(): void {
    this.#begun = ''
    this.#isPassedOver = true
  }
}

/** Tools answer with whole files and pictures; what is longer tells nothing that Pawl would use. */
const LINE_LENGTH_MAX = 4 * 1024 * 1024
