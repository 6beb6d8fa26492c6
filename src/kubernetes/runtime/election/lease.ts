import { type KubeObject, microTime, type ResourceType } from '../objects/resource.ts'

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

/** The state of a lease, and since when this process observes it by its own clock: clocks of other machines are never compared. */
export interface LeaseObservation {
  readonly state: string
  /** Monotonic milliseconds. */
  readonly since: number
}

export function observe(
  previous: LeaseObservation | undefined,
  lease: Lease,
  now: number,
): LeaseObservation {
  const { holderIdentity, renewTime, leaseTransitions } = lease.spec ?? {}
  const state = JSON.stringify([holderIdentity ?? '', renewTime ?? '', leaseTransitions ?? 0])
  return previous?.state === state ? previous : { state, since: now }
}

/** True when the lease has no holder, or its holder has not renewed it for its whole duration. */
export function isFree({ spec = {} }: Lease, { since }: LeaseObservation, now: number): boolean {
  if (!spec.holderIdentity) return true
  return now >= since + (spec.leaseDurationSeconds ?? 0) * 1000
}

export interface Holder {
  readonly identity: string
  readonly durationMs: number
  readonly epoch: number
  /** Wall time, for people who read the lease. */
  readonly now: number
}

export const specOfHolder = ({ identity, durationMs, epoch, now }: Holder): LeaseSpec => ({
  holderIdentity: identity,
  leaseDurationSeconds: Math.ceil(durationMs / 1000),
  acquireTime: microTime(now),
  renewTime: microTime(now),
  leaseTransitions: epoch,
})

/** A released lease. Its transitions stay, so that epochs only grow. */
export const specOfNobody = (now: number): LeaseSpec => ({
  holderIdentity: '',
  leaseDurationSeconds: 1,
  renewTime: microTime(now),
})
