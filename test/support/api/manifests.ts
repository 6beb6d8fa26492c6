import { API_VERSION, type KindName } from '../../../src/kubernetes/crd/names/group.ts'

export type Json = { readonly [member: string]: unknown }

/** A manifest as a user writes it, without defaults. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: KindName
  readonly metadata: { readonly name: string }
  readonly spec: Json
  readonly status?: Json
}

interface Beside {
  readonly name?: string
  readonly status?: Json
}

/** A minimal ChannelPool, with parts of its spec replaced. */
export const poolManifest = (
  spec: Json = {},
  { name = 'testnet', status }: Beside = {},
): Manifest => ({
  apiVersion: API_VERSION,
  kind: 'ChannelPool',
  metadata: { name },
  spec: {
    network: 'stellar:testnet',
    rpc: { urls: ['https://rpc.example'] },
    sponsor: { secretRef: { name: 'testnet-sponsor' } },
    database: { secretRef: { name: 'x402-database' } },
    ...spec,
  },
  ...(status && { status }),
})

/** A minimal Facilitator, with parts of its spec replaced. */
export const facilitatorManifest = (
  spec: Json = {},
  { name = 'payments', status }: Beside = {},
): Manifest => ({
  apiVersion: API_VERSION,
  kind: 'Facilitator',
  metadata: { name },
  spec: {
    database: { secretRef: { name: 'x402-database' } },
    networks: [{ channelPool: 'testnet' }],
    ...spec,
  },
  ...(status && { status }),
})

/** A Facilitator with these settings of its one network. */
export const networkManifest = (network: Json): Manifest =>
  facilitatorManifest({ networks: [{ channelPool: 'testnet', ...network }] })
