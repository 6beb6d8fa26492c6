import { shortText } from '../../core/text/short-text.ts'

/** Postgres itself writes shorter ones, but for a statement that it repeats. */
const MAX_LENGTH = 2_000

/**
 * Cuts each text of an error: a server that someone else runs may send a megabyte, and messages are matched, shown in conditions and
 * logged. Changes the error itself, which may have other members than this side knows.
 */
export function cutTexts(error: Error): void {
  const { message, stack } = error
  if (message.length > MAX_LENGTH && typeof stack === 'string') {
    error.stack = stack.replace(message, () => shortText(message, MAX_LENGTH))
  }
  for (const name of Object.getOwnPropertyNames(error)) {
    const value: unknown = Reflect.get(error, name)
    const isLong = typeof value === 'string' && value.length > MAX_LENGTH
    if (isLong && name !== 'stack') Reflect.set(error, name, shortText(value, MAX_LENGTH))
  }
}
