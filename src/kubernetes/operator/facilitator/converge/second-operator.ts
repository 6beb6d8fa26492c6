import type { SteadyClock } from '../../../../platform/core/time/clock.ts'
import { childAnnotations } from '../../../crd/names/marks.ts'
import { FairLruMap } from '../../../runtime/fair-lru-map.ts'
import { compareVersions, type KubeObject } from '../../../runtime/objects/resource.ts'

interface Write {
  readonly hash: string | undefined
  readonly resourceVersion: string
}

/** One may be the last write of an operator that has just lost its lease. */
const MAX_OVERWRITTEN = 1
/** Each try replaces pods up to twice. */
const YIELD_MS = 3_600_000
const MAX_OBJECTS = 20_000

export const MANAGED_TWICE =
  'Another operator writes the objects of this Facilitator again and again, so this one leaves them alone for an hour: ' +
  'let only one installation watch this namespace (WATCH_NAMESPACES). The one that is left tries again after that hour or a restart.'

/**
 * Detects a second installation of the operator that manages the same Facilitators: each takes back what the other
 * writes, and the pods are replaced for ever. Only an operator writes the hash of the desired object, so a hash that
 * replaces ours on an object that we have written comes from another one.
 */
export class SecondOperator {
  readonly #clock: SteadyClock
  readonly #written = new FairLruMap<Write>(MAX_OBJECTS)
  readonly #overwritten = new FairLruMap<number>(MAX_OBJECTS)
  readonly #yieldsUntil = new FairLruMap<number>(MAX_OBJECTS)

  constructor(clock: SteadyClock) {
    this.#clock = clock
  }

  /** An object as the server returned it from a write of this operator. */
  note(object: KubeObject): void {
    const { uid, namespace, resourceVersion } = object.metadata
    this.#written.set(namespace, uid, { hash: hashOf(object), resourceVersion })
  }

  /** Whether this operator should write nothing: another one has taken back its writes. */
  isActive(owner: KubeObject, owned: readonly KubeObject[]): boolean {
    const { uid, namespace } = owner.metadata
    const until = this.#yieldsUntil.get(namespace, uid)
    if (until !== undefined && this.#clock.monotonic() < until) return true
    if (until !== undefined) this.#forget(namespace, uid)
    const taken = owned.filter((object) => this.#isTaken(object))
    if (taken.length === 0) return false
    for (const { metadata } of taken) this.#written.delete(metadata.namespace, metadata.uid)
    const times = (this.#overwritten.get(namespace, uid) ?? 0) + 1
    this.#overwritten.set(namespace, uid, times)
    if (times <= MAX_OVERWRITTEN) return false
    this.#yieldsUntil.set(namespace, uid, this.#clock.monotonic() + YIELD_MS)
    return true
  }

  #isTaken(object: KubeObject): boolean {
    const { uid, namespace, resourceVersion } = object.metadata
    const write = this.#written.get(namespace, uid)
    const hash = hashOf(object)
    if (!write || hash === undefined || hash === write.hash) return false
    return compareVersions(resourceVersion, write.resourceVersion) === 'newer'
  }

  #forget(namespace: string | undefined, uid: string): void {
    this.#yieldsUntil.delete(namespace, uid)
    this.#overwritten.delete(namespace, uid)
  }
}

const hashOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[childAnnotations.desiredHash]
