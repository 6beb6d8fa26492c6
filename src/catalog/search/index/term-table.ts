/**
 * Words and their numbers in flat arrays, which a thread can hand to another without a copy: the letters of word `t` are
 * UTF-16 codes from `starts[t]` to `starts[t + 1]`; `slots` is an open hash table of numbers plus 1.
 */
export type TermTable = Readonly<{
  letters: Uint16Array<ArrayBuffer>
  starts: Uint32Array<ArrayBuffer>
  slots: Uint32Array<ArrayBuffer>
}>

export function buildTermTable(words: readonly string[]): TermTable {
  const letters = new Uint16Array(words.reduce((sum, word) => sum + word.length, 0))
  const starts = new Uint32Array(words.length + 1)
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * words.length + 2)))
  let at = 0
  for (const [term, word] of words.entries()) {
    for (let i = 0; i < word.length; i += 1) letters[at + i] = word.charCodeAt(i)
    at += word.length
    starts[term + 1] = at
    let slot = hashOf(word) & (slots.length - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
    slots[slot] = term + 1
  }
  return { letters, starts, slots }
}

/** The number of a word, undefined when the table does not hold it. */
export function termOf(table: TermTable, word: string): number | undefined {
  const mask = table.slots.length - 1
  for (let slot = hashOf(word) & mask; ; slot = (slot + 1) & mask) {
    const entry = table.slots[slot] as number
    if (entry === 0) return undefined
    if (isTerm(table, entry - 1, word)) return entry - 1
  }
}

export const wordOf = ({ letters, starts }: TermTable, term: number): string =>
  String.fromCharCode(...letters.subarray(starts[term], starts[term + 1]))

function isTerm({ letters, starts }: TermTable, term: number, word: string): boolean {
  const from = starts[term] as number
  if ((starts[term + 1] as number) - from !== word.length) return false
  for (let i = 0; i < word.length; i += 1)
    if (letters[from + i] !== word.charCodeAt(i)) return false
  return true
}

/** FNV-1a over UTF-16 codes. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i += 1)
    hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193) >>> 0
  // The table uses the low bits alone; mixing the high ones into them keeps its chains short.
  return (hash ^ (hash >>> 15)) >>> 0
}
