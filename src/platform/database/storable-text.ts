/**
 * Text that a stranger wrote, as every column and every JSON parameter can hold it: Postgres refuses NUL in text, and
 * half a surrogate pair in JSON that it reads as text.
 *
 * @param maxLength UTF-16 code units that are kept
 */
export const storableText = <T extends string | undefined>(text: T, maxLength: number): T =>
  text?.replaceAll('\0', '').slice(0, maxLength).toWellFormed() as T
