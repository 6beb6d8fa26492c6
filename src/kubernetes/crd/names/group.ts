/** The API group of both kinds. */
export const GROUP = 'x402.svc.dev'
/**
 * The only version of both kinds: the API server stores and serves it, the operator reads and writes it. One beside it
 * would have the same schema, so that the API server converts by the version's name alone: a conversion that renames
 * fields would need a webhook, whose failure would stop every read.
 */
export const VERSION = 'v1beta1'
export const API_VERSION = `${GROUP}/${VERSION}` as const

/** The names of a kind in the API server and `kubectl`. */
export interface KindNames {
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  /** `kubectl get x402` lists both kinds. */
  readonly categories: readonly string[]
}

export const kinds = {
  Facilitator: {
    kind: 'Facilitator',
    listKind: 'FacilitatorList',
    plural: 'facilitators',
    singular: 'facilitator',
    shortNames: ['fac'],
    categories: ['x402'],
  },
  ChannelPool: {
    kind: 'ChannelPool',
    listKind: 'ChannelPoolList',
    plural: 'channelpools',
    singular: 'channelpool',
    shortNames: ['chp'],
    categories: ['x402'],
  },
} as const satisfies Record<string, KindNames>

export type KindName = keyof typeof kinds
