import type { ChannelPool } from '../../api/channel-pool.ts'
import type { Facilitator } from '../../api/facilitator.ts'
import type { Key } from '../../kube/resource.ts'
import type { AnyObject } from '../../kube/well-known.ts'
import type { ChildKind, OptionalKind } from './children.ts'
import type { Failing } from './failing-pods.ts'
import type { WantedImage } from './wanted.ts'

/** Everything that is known of a Facilitator when it is decided what to do. Without a call to anybody. */
export interface FacilitatorView {
  readonly facilitator: Facilitator
  /** By name: those of `spec.networks` that there are. */
  readonly pools: ReadonlyMap<string, ChannelPool>
  /** By `secretId`: the values of the keys that there are. */
  readonly secrets: ReadonlyMap<string, string>
  readonly image: WantedImage | undefined
  /** What the Facilitator controls, of every kind. */
  readonly owned: readonly AnyObject[]
  /** Any object of a kind and `namespace/name`, whoever controls it. */
  readonly find: (kind: ChildKind, key: Key) => AnyObject | undefined
  readonly serves: (kind: OptionalKind) => boolean
  readonly failing: readonly Failing[]
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}
