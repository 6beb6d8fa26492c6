import type { z } from 'zod'
import type { channelPoolSpec } from './channel-pool-spec.ts'
import type { facilitatorSpec } from './facilitator-spec.ts'
import type { Frozen } from './resource.ts'

/* The specs of both kinds as the operator reads them: without earlier names, with every default. */

export type StoredFacilitatorSpec = Frozen<z.output<typeof facilitatorSpec>>
export type StoredChannelPoolSpec = Frozen<z.output<typeof channelPoolSpec>>

/** A key of a Secret of the same namespace. */
export interface SecretKey {
  readonly name: string
  readonly key: string
}

interface Database {
  readonly secretRef: SecretKey
  readonly caSecretRef?: SecretKey
  readonly directSecretRef?: SecretKey
  readonly poolSize?: number
}

type With<T, K extends keyof T> = T & { readonly [Member in K]-?: NonNullable<T[Member]> }
type Stored<K extends keyof StoredFacilitatorSpec> = NonNullable<StoredFacilitatorSpec[K]>

type StoredTemplate = Stored<'podTemplate'>
type PodSpec = NonNullable<StoredTemplate['spec']>

/** What pods are merged with. */
export interface PodTemplate {
  readonly metadata: NonNullable<StoredTemplate['metadata']>
  readonly spec: Omit<PodSpec, 'topologySpreadConstraints'> & {
    readonly topologySpreadConstraints: readonly SpreadConstraint[]
  }
}

/** As in core/v1; without a labelSelector it is about the pods of the part. */
export interface SpreadConstraint {
  readonly topologyKey: string
  readonly maxSkew: number
  readonly whenUnsatisfiable: string
  readonly [member: string]: unknown
}

type Autoscale = Omit<Stored<'autoscale'>, 'min' | 'max' | 'minReplicas' | 'maxReplicas'> & {
  readonly minReplicas: number
  readonly maxReplicas: number
}

type Network = Omit<StoredFacilitatorSpec['networks'][number], 'requireApiKey'>

type Route = With<Omit<Stored<'route'>, 'host' | 'gatewayRef'>, 'hosts'>

type NetworkPolicy = Omit<Stored<'networkPolicy'>, 'clientNamespaces' | 'monitoringNamespaces'>

type Explorer = Omit<Stored<'explorer'>, 'databaseReplicaSecretRef'> & {
  readonly databaseReplicaSecretRef?: SecretKey
}

/** The desired state of a Facilitator. */
export type FacilitatorSpec = Omit<
  StoredFacilitatorSpec,
  | 'databaseSecretRef'
  | 'database'
  | 'pods'
  | 'podTemplate'
  | 'autoscale'
  | 'networks'
  | 'route'
  | 'networkPolicy'
  | 'explorer'
  | 'service'
  | 'podDisruptionBudget'
> & {
  readonly database: Database
  readonly podTemplate: PodTemplate
  readonly autoscale?: Autoscale
  readonly networks: readonly Network[]
  readonly route?: Route
  readonly networkPolicy: NetworkPolicy
  readonly explorer: Explorer
  readonly service: With<Stored<'service'>, 'type'>
  readonly podDisruptionBudget: With<Stored<'podDisruptionBudget'>, 'unhealthyPodEvictionPolicy'>
}

/** The desired state of a ChannelPool. */
export type ChannelPoolSpec = Omit<
  StoredChannelPoolSpec,
  'databaseSecretRef' | 'database' | 'rotation'
> & {
  readonly database: Omit<Database, 'directSecretRef'>
  readonly rotation: With<NonNullable<StoredChannelPoolSpec['rotation']>, 'mode' | 'sweep'>
}
