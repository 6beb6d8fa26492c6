import type { ChannelPool } from '../../api/channel-pool.ts'
import type { Facilitator } from '../../api/facilitator.ts'

/** Everything that children are rendered from: complete and valid, or there is nothing to render. */
export interface Wanted {
  readonly facilitator: Facilitator
  /** In the order of `spec.networks`. */
  readonly networks: readonly WantedNetwork[]
  readonly image: WantedImage
  /** By `secretId`: what the Secrets hold now. */
  readonly secrets: ReadonlyMap<string, string>
}

export interface WantedNetwork {
  readonly settings: Facilitator['spec']['networks'][number]
  readonly pool: ChannelPool
}

export interface WantedImage {
  readonly reference: string
  readonly pullPolicy: 'IfNotPresent' | 'Always' | 'Never'
}

export interface SecretRef {
  readonly name: string
  readonly key: string
}

export const secretId = ({ name, key }: SecretRef): string => `${name}/${key}`

/** The image of the spec, or the operator's own; undefined when there is neither. */
export function imageOf({ spec }: Facilitator, byDefault: string): WantedImage | undefined {
  const { image } = spec
  if (!image) return byDefault ? { reference: byDefault, pullPolicy: 'IfNotPresent' } : undefined
  const { repository, tag, digest, pullPolicy } = image
  const reference = digest === undefined ? `${repository}:${tag}` : `${repository}@${digest}`
  return { reference, pullPolicy }
}
