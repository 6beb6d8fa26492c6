import { canonicalJson } from '../../../../platform/core/text/canonical-json.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import { GuardedSigner } from '../../../../signing/guarded-signer.ts'
import { openKeyService } from '../../../../signing/open-key-service.ts'
import type { SignerPlace } from '../../../../signing/signer-place.ts'

/** As long as that of a request to an endpoint: a pass waits, and no payment. */
const SIGNER_TIMEOUT_MS = 10_000

interface Opened {
  /** Of the place and the address, to notice others. */
  readonly key: string
  readonly guard: GuardedSigner
}

/** What signs for the sponsors of each pool stays open between passes, so that the operator sees when it fails. */
export class OpenSigners implements AsyncDisposable {
  readonly #clock: Clock
  readonly #opened = new Map<string, Map<string, Opened>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * The signer at the place; another one than before is opened anew.
   * @param uid of the pool
   * @param id of the source in its spec
   */
  async open(
    { uid, id }: { readonly uid: string; readonly id: string },
    { place, address }: { readonly place: SignerPlace; readonly address: string },
  ): Promise<GuardedSigner> {
    const ofPool = this.#opened.get(uid) ?? new Map<string, Opened>()
    this.#opened.set(uid, ofPool)
    const key = canonicalJson([place, address])
    const before = ofPool.get(id)
    if (before?.key === key) return before.guard
    const guard = new GuardedSigner({
      service: openKeyService(place, this.#clock),
      address,
      clock: this.#clock,
      timeoutMs: SIGNER_TIMEOUT_MS,
    })
    guard.watch()
    ofPool.set(id, { key, guard })
    await before?.guard[Symbol.asyncDispose]()
    return guard
  }

  /** Closes those of the sources that the pool no longer names. */
  async keepOnly(uid: string, ids: ReadonlySet<string>): Promise<void> {
    const ofPool = this.#opened.get(uid) ?? new Map<string, Opened>()
    for (const [id, { guard }] of [...ofPool]) {
      if (ids.has(id)) continue
      ofPool.delete(id)
      await guard[Symbol.asyncDispose]()
    }
    if (ofPool.size === 0) this.#opened.delete(uid)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const uid of [...this.#opened.keys()]) await this.keepOnly(uid, new Set())
  }
}
