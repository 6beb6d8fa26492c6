import type { RefusalFormat } from './refusal.ts'

/** A path that has routes: its methods and the body of its refusals. */
export interface KnownPath {
  readonly methods: readonly string[]
  readonly refusal: RefusalFormat | undefined
}

/**
 * The declared routes by path. The router answers "no such path" and "no such method here" alike, and
 * only the second is a 405 with `Allow`. No path has parameters.
 */
export class KnownPaths {
  readonly #paths = new Map<string, KnownPath>()

  add(path: string, methods: readonly string[], refusal: RefusalFormat | undefined): void {
    const known = this.#paths.get(path)
    this.#paths.set(path, {
      methods: [...new Set([...(known?.methods ?? []), ...methods])].sort(),
      refusal: known?.refusal ?? refusal,
    })
  }

  /** Ignores the query, doubled slashes and a trailing one, as the router does. */
  find(requestUrl: string): KnownPath | undefined {
    const path = requestUrl.replace(/[?#].*$/s, '').replace(/\/{2,}/g, '/')
    return this.#paths.get(path.replace(/(?<=.)\/$/, ''))
  }
}
