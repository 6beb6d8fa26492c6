import { cleanBlock, hasHidden } from '../../platform/core/text/hostile-text.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** UTF-8 bytes of its JSON. */
export const jsonBytes = (value: unknown): number =>
  Buffer.byteLength(JSON.stringify(value) ?? '', 'utf8')

/** Whether objects and arrays are nested at most `levels` deep; a text or a number has no level. */
export const isWithinLevels = (levels: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => isWithinLevels(levels - 1, member)))

/** Whether the test holds for a member at any depth. */
export const hasMember = (
  value: unknown,
  test: (name: string, member: unknown) => boolean,
): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((entry) => hasMember(entry, test))
  return Object.entries(value).some(
    ([name, member]) => test(name, member) || hasMember(member, test),
  )
}

/** Whether a member's name changes the prototype of a careless reader's object, or is not what it looks like. */
export const hasHostileName = (value: unknown): boolean =>
  hasMember(value, (name) => name === '__proto__' || hasHidden(name))

/** A copy without hidden characters in its texts. The value has no hostile names. */
export function withCleanTexts<T>(value: T): T
export function withCleanTexts(value: unknown): unknown {
  if (typeof value === 'string') return cleanBlock(value)
  if (Array.isArray(value)) return value.map((entry: unknown) => withCleanTexts(entry))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withCleanTexts(member)]),
  )
}
