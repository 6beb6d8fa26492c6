import type { Refusal } from './refusal.ts'

/** A path that has routes: its methods and how it words a refusal. */
export interface KnownPath {
  readonly methods: readonly string[]
  readonly refusal: Refusal | undefined
}

interface Entry {
  readonly pattern: RegExp
  readonly methods: Set<string>
  refusal: Refusal | undefined
}

/**
 * Remembers the routes as they are declared, since the router answers "no such path" and
 * "no such method here" alike, and only the second is a 405 with `Allow`.
 */
export class KnownPaths {
  readonly #entries = new Map<string, Entry>()

  add(url: string, methods: readonly string[], refusal: Refusal | undefined): void {
    const entry = this.#entries.get(url) ?? { pattern: patternOf(url), methods: new Set(), refusal }
    for (const method of methods) entry.methods.add(method)
    entry.refusal ??= refusal
    this.#entries.set(url, entry)
  }

  /** The declared path that a request URL means, query and doubled or trailing slashes aside. */
  find(requestUrl: string): KnownPath | undefined {
    const path = tidy(requestUrl.replace(/[?#].*$/s, ''))
    for (const { pattern, methods, refusal } of this.#entries.values()) {
      if (pattern.test(path)) return { methods: [...methods].sort(), refusal }
    }
    return undefined
  }
}

const tidy = (path: string): string => path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')

/** `/a/:id` as a regular expression: a parameter is one segment, `*` is the rest. */
function patternOf(url: string): RegExp {
  const source = tidy(url)
    .split('/')
    .map((segment) => {
      if (segment.startsWith(':')) return '[^/]+'
      return segment === '*' ? '.*' : segment.replace(/[^\w-]/g, '\\$&')
    })
    .join('/')
  return new RegExp(`^${source}$`)
}
