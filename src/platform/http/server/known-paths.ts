import { errorRefusal, type RefusalFormat } from '../refusals/refusal.ts'

/** A path that has routes: its methods and the body of its refusals. */
export interface KnownPath {
  readonly methods: readonly string[]
  readonly refusal: RefusalFormat | undefined
}

/**
 * The declared routes by path. The router answers "no such path" and "no such method here" alike, and
 * only the second is a 405 with `Allow`. A parameter, as in `/items/:id`, stands for one segment.
 */
export class KnownPaths {
  /** Format of refusals for paths that have no format of their own, and for those without a route. */
  fallback: RefusalFormat = errorRefusal
  readonly #paths = new Map<string, KnownPath>()
  /** Patterns of the paths with parameters. */
  readonly #patterns = new Map<string, RegExp>()

  add(path: string, methods: readonly string[], refusal: RefusalFormat | undefined): void {
    const known = this.#paths.get(path)
    this.#paths.set(path, {
      methods: [...new Set([...(known?.methods ?? []), ...methods])].sort(),
      refusal: known?.refusal ?? refusal,
    })
    if (path.includes('/:')) this.#patterns.set(path, patternOf(path))
  }

  /** Ignores the query, doubled slashes and a trailing one, as the router does. */
  find(requestUrl: string): KnownPath | undefined {
    const path = requestUrl.replace(/[?#].*$/s, '').replace(/\/{2,}/g, '/')
    const plain = path.replace(/(?<=.)\/$/, '')
    return this.#paths.get(plain) ?? this.#paths.get(this.#patternFor(plain) ?? '')
  }

  #patternFor(path: string): string | undefined {
    for (const [pattern, matcher] of this.#patterns) if (matcher.test(path)) return pattern
    return undefined
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`)
