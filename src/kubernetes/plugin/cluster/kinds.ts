import type { ChannelPoolStatus } from '../../crd/channel-pool/status.ts'
import type { FacilitatorStatus } from '../../crd/facilitator/status.ts'
import { GROUP, kinds, VERSION } from '../../crd/names/group.ts'
import type { KubeObject, ResourceType } from '../../runtime/objects/resource.ts'

/* The fields of our kinds that these commands read: the operator of the cluster may be older or newer than they are. */

export interface FacilitatorObject extends KubeObject {
  readonly spec: {
    readonly networks?: readonly NetworkSpec[]
  }
  readonly status?: FacilitatorStatus
}

interface NetworkSpec {
  readonly channelPool: string
  readonly assets?: readonly {
    readonly contract: string
    readonly symbol: string
    readonly decimals: number
    readonly minAmount?: string
  }[]
}

export interface PoolObject extends KubeObject {
  readonly spec: {
    readonly network: string
    readonly rpc?: { readonly urls?: readonly string[] }
  }
  readonly status?: ChannelPoolStatus
}

const typeOf = <T extends KubeObject>(kind: keyof typeof kinds): ResourceType<T> => ({
  group: GROUP,
  version: VERSION,
  plural: kinds[kind].plural,
  kind,
  namespaced: true,
})

export const facilitatorType = typeOf<FacilitatorObject>('Facilitator')
export const poolType = typeOf<PoolObject>('ChannelPool')

/** The name of a kind for `kubectl auth can-i`. */
export const resourceOf = ({ group, plural }: ResourceType): string =>
  group === '' ? plural : `${plural}.${group}`

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime?: string
}

export const conditionOf = (
  object: FacilitatorObject | PoolObject,
  type: string,
): Condition | undefined => object.status?.conditions?.find((each) => each.type === type)
