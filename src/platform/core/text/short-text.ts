/**
 * The beginning of a text that a stranger wrote, as a copy: V8 keeps a whole text in memory for as long as a part of it.
 *
 * @param maxLength UTF-16 code units that are kept
 */
export const shortText = (text: string, maxLength: number): string =>
  text.length > maxLength ? Buffer.from(text.slice(0, maxLength)).toString() : text
