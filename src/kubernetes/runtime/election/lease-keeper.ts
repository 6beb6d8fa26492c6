import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { CallOptions } from '../client/api-calls.ts'
import type { KubeClient } from '../client/client.ts'
import { isKubeError } from '../client/kube-error.ts'
import { apiVersionOf, microTime, type ObjectName } from '../objects/resource.ts'
import {
  isFree,
  type Lease,
  type LeaseObservation,
  type LeaseSpec,
  leases,
  observe,
  specOfHolder,
  specOfNobody,
} from './lease.ts'

/** A lease that this process holds. Times are monotonic and count from before the write was sent. */
export interface HeldLease {
  readonly epoch: number
  readonly uid: string
  readonly resourceVersion: string
  /** From then on another process may take it. */
  readonly validUntil: number
  /** A renewal after this time is too late. */
  readonly renewBy: number
}

export interface LeaseKeeperOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>
  readonly lease: ObjectName
  readonly identity: string
  readonly clock: SteadyClock
  /** @default 30 s */
  readonly durationMs?: number
  /** @default 20 s */
  readonly renewDeadlineMs?: number
}

/**
 * Reads and writes the lease for one process. Every write names the version it replaces, so that of two
 * writers at once one succeeds.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions
  readonly #durationMs: number
  readonly #renewDeadlineMs: number
  readonly #timeoutMs: number
  #observation: LeaseObservation | undefined
  #lastStamp = 0

  constructor(options: LeaseKeeperOptions) {
    const { durationMs = 30_000, renewDeadlineMs = 20_000 } = options
    this.#options = options
    this.#durationMs = durationMs
    this.#renewDeadlineMs = renewDeadlineMs
    this.#timeoutMs = Math.max(1_000, renewDeadlineMs / 2)
  }

  /** Takes the lease when it is free. Undefined when another process holds it or was faster. */
  async take(signal: AbortSignal): Promise<HeldLease | undefined> {
    const lease = await this.#read({ signal })
    if (lease && !this.#isFree(lease)) return undefined
    const { identity, clock } = this.#options
    const epoch = (lease?.spec?.leaseTransitions ?? 0) + 1
    const since = clock.monotonic()
    const spec = specOfHolder({ identity, durationMs: this.#durationMs, epoch, now: this.#stamp() })
    try {
      return this.#heldSince(since, epoch, await this.#createOrReplace(lease, spec, signal))
    } catch (error) {
      if (isKubeError(error, 'conflict')) return undefined
      throw error
    }
  }

  /** Throws a KubeError of kind conflict or notFound when this process no longer holds the lease. */
  async renew(held: HeldLease, signal: AbortSignal): Promise<HeldLease> {
    const { identity, clock } = this.#options
    const since = clock.monotonic()
    const spec = { holderIdentity: identity, renewTime: microTime(this.#stamp()) }
    const timeoutMs = Math.max(1, Math.min(this.#timeoutMs, held.renewBy - since))
    const write = async (resourceVersion: string) =>
      this.#heldSince(
        since,
        held.epoch,
        await this.#write(spec, resourceVersion, { signal, timeoutMs }),
      )
    try {
      return await write(held.resourceVersion)
    } catch (error) {
      if (!isKubeError(error, 'conflict')) throw error
      // Another client may have changed the lease and left the holder as it was.
      const lease = await this.#read({ signal })
      if (lease?.spec?.holderIdentity !== identity) throw error
      return write(lease.metadata.resourceVersion)
    }
  }

  /** Empties the holder when it is still this process. */
  async release(): Promise<void> {
    const lease = await this.#read({})
    if (lease?.spec?.holderIdentity !== this.#options.identity) return
    const limits = { timeoutMs: this.#timeoutMs }
    await this.#write(specOfNobody(this.#stamp()), lease.metadata.resourceVersion, limits)
  }

  #isFree(lease: Lease): boolean {
    const now = this.#options.clock.monotonic()
    this.#observation = observe(this.#observation, lease, now)
    return isFree(lease, this.#observation, now)
  }

  /** Wall time, later at each call: a renewal that changes nothing would not show that the holder is alive. */
  #stamp(): number {
    this.#lastStamp = Math.max(this.#options.clock.now(), this.#lastStamp + 1)
    return this.#lastStamp
  }

  async #read(limits: CallOptions): Promise<Lease | undefined> {
    const { client, lease: name } = this.#options
    try {
      return await client.get(leases, name, { timeoutMs: this.#timeoutMs, ...limits })
    } catch (error) {
      if (isKubeError(error, 'notFound')) return undefined
      throw error
    }
  }

  #createOrReplace(lease: Lease | undefined, spec: LeaseSpec, signal: AbortSignal): Promise<Lease> {
    const { client, lease: name } = this.#options
    const limits = { signal, timeoutMs: this.#timeoutMs }
    if (lease) return this.#write(spec, lease.metadata.resourceVersion, limits)
    const type = { apiVersion: apiVersionOf(leases), kind: leases.kind }
    return client.create(leases, { ...type, metadata: name, spec }, limits)
  }

  #write(spec: LeaseSpec, resourceVersion: string, limits: CallOptions): Promise<Lease> {
    const { client, lease: name } = this.#options
    return client.patch(leases, name, { metadata: { resourceVersion }, spec }, limits)
  }

  #heldSince(since: number, epoch: number, { metadata }: Lease): HeldLease {
    return {
      epoch,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      validUntil: since + this.#durationMs,
      renewBy: since + this.#renewDeadlineMs,
    }
  }
}
