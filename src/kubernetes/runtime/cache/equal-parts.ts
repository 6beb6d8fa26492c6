/**
 * Puts parts of `like` in the place of equal ones of `value`, and returns `like` itself where they are equal: objects that a
 * controller makes differ in a few strings, and their equal parts take memory once. Changes `value` in place, but no frozen part of
 * it. `like` has to be frozen all the way down.
 */
export function withEqualPartsOf<T>(value: T, like: unknown): T {
  if (!isMembers(value) || !isMembers(like) || Array.isArray(value) !== Array.isArray(like)) {
    return Object.is(value, like) ? (like as T) : value
  }
  if (Object.isFrozen(value)) return value
  const members: Record<string, unknown> = value
  const names = Object.keys(members)
  let isEqual = names.length === Object.keys(like).length
  for (const name of names) {
    // `like` inherits members, and a tenant may name one of his own as one of these.
    const isIn = Object.hasOwn(like, name)
    const part = isIn ? like[name] : undefined
    if (isIn && Object.is(withEqualPartsOf(members[name], part), part)) members[name] = part
    else isEqual = false
  }
  return isEqual ? (like as T) : value
}

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
