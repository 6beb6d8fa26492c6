import type { ChannelPoolCondition } from '../../../../../../src/kubernetes/crd/channel-pool/conditions.ts'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import { PoolBlocked } from '../../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import type { PoolResult } from '../../../../../../src/kubernetes/operator/channel-pool/converge/converge.ts'
import { blockedConditions } from '../../../../../../src/kubernetes/operator/channel-pool/deletion/deletion-progress.ts'
import {
  conditionsOf,
  conditionsOfBlocker,
} from '../../../../../../src/kubernetes/operator/channel-pool/status/conditions.ts'
import { statusOf } from '../../../../../../src/kubernetes/operator/channel-pool/status/status.ts'
import { asStroops } from '../../../../../../src/platform/core/amounts/stroops.ts'
import { account, channel, noFunds, result, upTo, xlm } from '../results.ts'

/** A state that a pool can be in: the conditions of a pass, beside those that it leaves as they were. */
export interface PoolState {
  readonly conditions: readonly ChannelPoolCondition[]
  readonly status: Partial<NonNullable<ChannelPool['status']>>
  /** What a person has to do; absent where nothing. */
  readonly todo?: string
}

const hash = 'a'.repeat(64)
const created = { kind: 'created', count: 1, authorities: 0, ...noFunds, hash, ledger: 7 } as const
const withBalance = (lumens: number, minBalance = xlm(25)): Partial<PoolResult> => ({
  sponsor: account({ address: 'GSPONSOR', balance: xlm(lumens), sponsoring: 4, sponsored: 0 }),
  minBalance,
})

const of = (changes: Parameters<typeof result>[0], todo?: string): PoolState => {
  const pass = result(changes)
  const conditions = conditionsOf(pass)
  return { conditions, status: statusOf(pass, undefined, 0), ...(todo !== undefined && { todo }) }
}

/** A pool that was as its spec says when the operator last looked. */
export const healthyPool = of({})

const before = {
  ...healthyPool.status,
  conditions: healthyPool.conditions.map((each) => ({
    ...each,
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  })),
} as ChannelPool['status']

type Reason = ConstructorParameters<typeof PoolBlocked>[0]

const blockedBy = (
  reason: Reason,
  message: string,
  todo: string | undefined,
  last: ChannelPool['status'] | 'none' = before,
): PoolState => {
  const status = last === 'none' ? undefined : last
  return {
    conditions: conditionsOfBlocker(new PoolBlocked(reason, message), status),
    status: { ...status },
    ...(todo !== undefined && { todo }),
  }
}

export const poolStates: Readonly<Record<string, PoolState>> = {
  'it is as its spec says': healthyPool,
  'its first channels are created': of({ desired: 30, channels: [], applied: created }),
  'it grows': of({
    desired: 3,
    channels: upTo(2).map((index) => channel(index)),
    applied: created,
  }),
  'it shrinks while settlements use it': of({
    channels: [
      ...upTo(2).map((index) => channel(index)),
      channel(2, { state: 'draining', isLeased: true }),
    ],
  }),
  'a channel is quarantined': of({
    channels: [
      channel(0, { state: 'quarantined', quarantinedBecause: 'stuck' }),
      channel(1),
      channel(2),
    ],
  }),
  'it should have no channels': of({ desired: 0, channels: [] }, 'raise spec.channels'),
  'its sponsor can pay for no channel': of(
    {
      desired: 3,
      channels: [],
      applied: { kind: 'short', message: 'sponsor GSPONSOR lacks 5 XLM: send 5 XLM to GSPONSOR' },
    },
    'send XLM',
  ),
  'its sponsor can pay for some channels': of(
    {
      desired: 60,
      channels: upTo(19).map((index) => channel(index)),
      applied: {
        kind: 'short',
        message: 'sponsor GSPONSOR lacks 34.5 XLM: send 34.5 XLM to GSPONSOR',
      },
    },
    'send XLM',
  ),
  'its sponsor has less than the minimum': of(withBalance(27), 'send XLM'),
  'its sponsor can pay for no settlement': of(withBalance(3, asStroops(0n)), 'send XLM'),
  'a newer version has extended the database': of(
    { unknownMigration: '0031-more' },
    'upgrade the operator',
  ),
  'the Secret of its sponsor is gone': blockedBy(
    'SponsorSecretMissing',
    'There is no Secret testnet-sponsor, key secret, with the seed of the sponsor: create it.',
    'create the Secret',
  ),
  'the Secret of its sponsor was never there': blockedBy(
    'SponsorSecretMissing',
    'There is no Secret testnet-sponsor, key secret, with the seed of the sponsor: create it.',
    'create the Secret',
    'none',
  ),
  'the Secret holds no seed': blockedBy(
    'SponsorSecretInvalid',
    'Secret testnet-sponsor, key secret holds no seed: correct it.',
    'correct the Secret',
  ),
  'the Secret holds another seed': blockedBy(
    'SponsorChanged',
    'The Secret holds the seed of GB, but the channels belong to GSPONSOR: put its seed back.',
    'put the first seed back',
  ),
  'the Secret of the database is gone': blockedBy(
    'DatabaseSecretMissing',
    'There is no Secret x402-database, key url: create it.',
    'create the Secret',
  ),
  'the Secret holds no URL of a database': blockedBy(
    'DatabaseSecretInvalid',
    'Secret x402-database, key url holds no postgres:// URL: correct it.',
    'correct the Secret',
  ),
  'the database does not answer': blockedBy(
    'StoreUnreachable',
    'The database does not answer: ECONNREFUSED.',
    undefined,
  ),
  'the database has no schema yet': blockedBy(
    'StoreSchemaOutdated',
    'The database lacks 3 migrations that this operator needs: create the Facilitator, whose Job runs them.',
    undefined,
    'none',
  ),
  'a newer version has changed the database': blockedBy(
    'StoreSchemaNewer',
    'The database has a migration that removes what this version uses: upgrade the operator.',
    'upgrade the operator',
  ),
  'another term of the operator has written': blockedBy(
    'Fenced',
    'The database has another epoch than that of this leader: delete its row.',
    'delete the row, unless another operator leads',
  ),
  'no endpoint answers': blockedBy(
    'RpcUnreachable',
    'No RPC endpoint answers: ENOTFOUND.',
    undefined,
  ),
  'the endpoints serve another network': blockedBy(
    'RpcWrongNetwork',
    'The RPC endpoints serve another network than stellar:testnet: correct spec.rpc.urls.',
    'correct spec.rpc.urls',
  ),
  'another pool manages its sponsor': blockedBy(
    'Conflict',
    'ChannelPool shop/other already manages the channels of sponsor GSPONSOR: delete one of the two.',
    'delete one of the two',
    'none',
  ),
  'another database manages its sponsor': blockedBy(
    'SponsorMarked',
    'The ledger says that store B manages the channels of GSPONSOR: give this one another sponsor.',
    'give it another sponsor',
    'none',
  ),
  'its sponsor is not on the ledger': blockedBy(
    'SponsorMissing',
    'The sponsor GSPONSOR does not exist on the ledger: send 28 XLM to GSPONSOR.',
    'send XLM',
    'none',
  ),
  'its deletion waits for a Facilitator': {
    conditions: blockedConditions(
      'Facilitator payments still uses this pool: delete it, or take the pool out of its spec.networks.',
    ),
    status: { ...before },
    todo: 'take the pool out of the Facilitator',
  },
}
