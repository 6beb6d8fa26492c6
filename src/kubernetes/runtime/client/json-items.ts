const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d

/** The depth of `items` in a list, and of one of its elements. */
const LIST_DEPTH = 2

/**
 * Cuts the JSON of a list into its objects while it arrives, so that neither its text nor its objects are held together: a page of the
 * largest objects has 75 MB of text, and ten times that as values.
 */
export class JsonItems {
  readonly #onItem: (json: string) => void
  #depth = 0
  #isString = false
  #isEscaped = false
  /** Whether the list `items` is open. */
  #isInItems = false
  /** The last string of the outermost object. */
  #name = ''
  #rest = ''
  #item = ''

  constructor(onItem: (json: string) => void) {
    this.#onItem = onItem
  }

  /** Takes the next piece of the text. Throws what `onItem` throws. */
  add(chunk: string): void {
    let start = 0
    /** The pieces of an object are joined, and those of the rest, without what separates objects. */
    const keepUntil = (end: number) => {
      const piece = chunk.slice(start, end)
      start = end
      if (!this.#isInItems) this.#rest += piece
      else if (this.#depth > LIST_DEPTH) this.#item += piece
    }
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at)
      if (this.#isString) {
        this.#takeInString(chunk, at, code)
      } else if (code === QUOTE) {
        this.#isString = true
        if (this.#depth === 1) this.#name = ''
      } else if (isOpening(code)) {
        const isItems = this.#depth === 1 && this.#name === 'items'
        if (isItems) keepUntil(at + 1)
        else if (this.#isInItems && this.#depth === LIST_DEPTH) keepUntil(at)
        this.#depth += 1
        if (isItems) this.#isInItems = true
      } else if (isClosing(code)) {
        this.#close(at, keepUntil)
      } else if (code === COMMA && this.#depth === 1) {
        this.#name = ''
      }
    }
    keepUntil(chunk.length)
  }

  /** The text without the objects of `items`. */
  get rest(): string {
    return this.#rest
  }

  #takeInString(chunk: string, at: number, code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === BACKSLASH) this.#isEscaped = true
    else if (code === QUOTE) {
      this.#isString = false
      return
    }
    if (this.#depth === 1) this.#name += chunk.charAt(at)
  }

  #close(at: number, keepUntil: (end: number) => void): void {
    const isObject = this.#isInItems && this.#depth === LIST_DEPTH + 1
    if (isObject) keepUntil(at + 1)
    else if (this.#isInItems && this.#depth === LIST_DEPTH) {
      keepUntil(at)
      this.#isInItems = false
    }
    this.#depth -= 1
    if (!isObject) return
    const item = this.#item
    this.#item = ''
    this.#onItem(item)
  }
}
