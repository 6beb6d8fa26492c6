import { isKubeError } from './kube-error.ts'
import type { ElectorOptions } from './leader.ts'
import {
  claimed,
  isFree,
  type Lease,
  type LeaseSpec,
  leases,
  released,
  type Sighting,
  sight,
} from './lease.ts'
import { microTime } from './micro-time.ts'
import { apiVersionOf } from './resource.ts'

/** A lease that is ours. Times are monotonic and count from before the write was sent. */
export interface Held {
  readonly epoch: number
  readonly uid: string
  readonly resourceVersion: string
  /** From here on another may take it. */
  readonly validUntil: number
  /** Renewing after this is too late. */
  readonly renewBy: number
}

/** Reads and writes the one lease. Every write names the version it is meant for, so that one of two wins. */
export interface LeaseKeeper {
  /** Takes the lease if it is free. */
  take(signal: AbortSignal): Promise<Held | undefined>
  /** Throws a KubeError of kind conflict or notFound when the lease is not ours any more. */
  renew(held: Held, signal: AbortSignal): Promise<Held>
  /** Empties the holder if it is still us. */
  release(): Promise<void>
}

export function createLeaseKeeper(options: ElectorOptions): LeaseKeeper {
  const { client, lease: name, identity, clock, highestEpoch } = options
  const { durationMs = 30_000, renewDeadlineMs = 20_000 } = options
  const timeoutMs = Math.max(1_000, renewDeadlineMs / 2)
  let sighting: Sighting | undefined
  let stamped = 0

  /** Wall time, but never the same twice: a renewal that changes nothing would look like none. */
  const stamp = (): number => {
    stamped = Math.max(clock.now(), stamped + 1)
    return stamped
  }
  const read = async (signal?: AbortSignal): Promise<Lease | undefined> => {
    try {
      return await client.get(leases, name, { signal, timeoutMs })
    } catch (error) {
      if (isKubeError(error, 'notFound')) return undefined
      throw error
    }
  }
  const write = (
    spec: LeaseSpec,
    resourceVersion: string,
    limits: { signal?: AbortSignal; timeoutMs: number },
  ) => client.patch(leases, name, { merge: { metadata: { resourceVersion }, spec } }, limits)
  const create = (spec: LeaseSpec, signal: AbortSignal): Promise<Lease> => {
    const type = { apiVersion: apiVersionOf(leases), kind: leases.kind }
    return client.create(leases, { ...type, metadata: name, spec }, { signal, timeoutMs })
  }
  const heldSince = (since: number, epoch: number, { metadata }: Lease): Held => ({
    epoch,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    validUntil: since + durationMs,
    renewBy: since + renewDeadlineMs,
  })
  const nextEpoch = async (lease: Lease | undefined, signal: AbortSignal): Promise<number> =>
    Math.max(lease?.spec?.leaseTransitions ?? 0, (await highestEpoch?.(signal)) ?? 0) + 1

  return {
    async take(signal) {
      const lease = await read(signal)
      if (lease) sighting = sight(sighting, lease, clock.monotonic())
      if (lease && sighting && !isFree(lease, sighting, clock.monotonic())) return undefined
      const epoch = await nextEpoch(lease, signal)
      const since = clock.monotonic()
      const spec = claimed({ identity, durationMs, epoch, now: stamp() })
      try {
        const mine = lease
          ? await write(spec, lease.metadata.resourceVersion, { signal, timeoutMs })
          : await create(spec, signal)
        return heldSince(since, epoch, mine)
      } catch (error) {
        // Somebody else was faster.
        if (isKubeError(error, 'conflict')) return undefined
        throw error
      }
    },
    async renew(held, signal) {
      const since = clock.monotonic()
      const spec = { holderIdentity: identity, renewTime: microTime(stamp()) }
      const limits = { signal, timeoutMs: Math.max(1, Math.min(timeoutMs, held.renewBy - since)) }
      try {
        return heldSince(since, held.epoch, await write(spec, held.resourceVersion, limits))
      } catch (error) {
        if (!isKubeError(error, 'conflict')) throw error
        const lease = await read(signal)
        if (lease?.spec?.holderIdentity !== identity) throw error
        return heldSince(
          since,
          held.epoch,
          await write(spec, lease.metadata.resourceVersion, limits),
        )
      }
    },
    async release() {
      const lease = await read()
      if (lease?.spec?.holderIdentity !== identity) return
      await write(released(stamp()), lease.metadata.resourceVersion, { timeoutMs })
    },
  }
}
