/** The parameters of a query. One that stands twice counts once, with its last value; an empty one, as forms send it, is none. */
export function presentParameters(query: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query ?? {}).flatMap(([name, value]: [string, unknown]) => {
      const last: unknown = Array.isArray(value) ? value.at(-1) : value
      const text = typeof last === 'string' ? last.trim() : ''
      return text === '' ? [] : [[name, text]]
    }),
  )
}
