/** The API group of both kinds. */
export const GROUP = 'x402.svc.dev'
/** The version that the API server stores, and that the operator reads and writes. */
export const VERSION = 'v1alpha1'
/**
 * The versions that the API server serves. All have one schema, so that it converts between them by the version's
 * name alone: a conversion that renames fields would need a webhook, whose failure would stop every read.
 */
export const SERVED_VERSIONS = [VERSION, 'v1beta1'] as const
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
