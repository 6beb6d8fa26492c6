/** The first and last characters of an address or a hash that a person compares. */
const ENDS = 4
/** Only longer texts are cut. */
const MIN_CUT = 16

export interface Ends {
  readonly start: string
  readonly middle: string
  readonly end: string
}

/** Cuts an address or a hash into what is shown and what is hidden; nothing of a short text is hidden. */
export const endsOf = (text: string): Ends =>
  text.length < MIN_CUT
    ? { start: text, middle: '', end: '' }
    : { start: text.slice(0, ENDS), middle: text.slice(ENDS, -ENDS), end: text.slice(-ENDS) }

/** `GABC…WXYZ` */
export function shortened(text: string): string {
  const { start, middle, end } = endsOf(text)
  return middle === '' ? text : `${start}…${end}`
}
