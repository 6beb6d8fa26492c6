import { microTime } from './micro-time.ts'
import type { KubeObject, ResourceType } from './resource.ts'

export interface LeaseSpec {
  readonly holderIdentity?: string | null
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string | null
  readonly renewTime?: string | null
  readonly leaseTransitions?: number
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec
}

export const leases: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}

/** What a lease said, and since when by our own clock: the clocks of others are never compared with ours. */
export interface Sighting {
  readonly said: string
  /** Monotonic milliseconds. */
  readonly since: number
}

export function sight(previous: Sighting | undefined, lease: Lease, now: number): Sighting {
  const { holderIdentity, renewTime, leaseTransitions } = lease.spec ?? {}
  const said = JSON.stringify([holderIdentity ?? '', renewTime ?? '', leaseTransitions ?? 0])
  return previous?.said === said ? previous : { said, since: now }
}

/** True when nobody holds it, or its holder has not renewed it for as long as it promised. */
export function isFree({ spec = {} }: Lease, { since }: Sighting, now: number): boolean {
  if (!spec.holderIdentity) return true
  return now >= since + (spec.leaseDurationSeconds ?? 0) * 1000
}

export interface Claim {
  readonly identity: string
  readonly durationMs: number
  readonly epoch: number
  /** Wall time, for those who read the lease. */
  readonly now: number
}

/** The record of a new holder. */
export const claimed = ({ identity, durationMs, epoch, now }: Claim): LeaseSpec => ({
  holderIdentity: identity,
  leaseDurationSeconds: Math.ceil(durationMs / 1000),
  acquireTime: microTime(now),
  renewTime: microTime(now),
  leaseTransitions: epoch,
})

/** The record of nobody. The transitions stay, so that epochs only grow. */
export const released = (now: number): LeaseSpec => ({
  holderIdentity: '',
  leaseDurationSeconds: 1,
  renewTime: microTime(now),
})
