import type { ChannelPoolReason } from '../../../api/channel-pool-conditions.ts'
import { type Check, firstOf, type Judgement, type Seen } from '../seen.ts'
import { migrationReason, migrationWords } from './words.ts'

/** What the pools say of the outside: the operator looks there for them, and once is enough. */

const notObserved: Judgement = {
  status: 'Unknown',
  reason: 'NotObserved',
  message: 'The operator has not looked yet.',
}

const saidBy =
  (reasons: readonly ChannelPoolReason[], judgement: Omit<Judgement, 'message'>): Check =>
  ({ pools }) => {
    const pool = pools.find(({ ready }) => reasons.some((reason) => reason === ready.reason))
    return pool && { ...judgement, message: `ChannelPool ${pool.name}: ${pool.ready.message}` }
  }

const isEvery = ({ pools }: Seen, of: 'ready' | 'funded'): boolean =>
  pools.length > 0 && pools.every((pool) => pool[of].status === 'True')

export const judgeRpcReachable = (seen: Seen): Judgement =>
  firstOf(
    [
      saidBy(['RpcUnreachable', 'RpcWrongNetwork'], { status: 'False', reason: 'RpcUnreachable' }),
      (all) => {
        const message = 'Stellar RPC of every network answers.'
        // A pool that can tell what its sponsor has, has read it from the ledger.
        const isRead = isEvery(all, 'ready') || all.pools.every((pool) => isKnown(pool.funded))
        return isRead ? { status: 'True', reason: 'RpcAnswers', message } : undefined
      },
    ],
    seen,
    notObserved,
  )

const isKnown = ({ status }: { readonly status: string }): boolean => status !== 'Unknown'

export const judgeStoreReachable = (seen: Seen): Judgement =>
  firstOf(
    [
      saidBy(['StoreUnreachable'], { status: 'False', reason: 'StoreUnreachable' }),
      saidBy(['DatabaseSecretInvalid'], { status: 'False', reason: 'DatabaseSecretInvalid' }),
      (all) =>
        all.plan?.migration.state === 'Failed'
          ? { status: 'False', reason: migrationReason(all), message: migrationWords(all) }
          : undefined,
      ({ plan }) =>
        plan && plan.migration.state !== 'Succeeded'
          ? {
              status: 'Unknown',
              reason: 'Migrating',
              message: `Job ${plan.job} brings the database up to this version.`,
            }
          : undefined,
      (all) =>
        // Without a plan: pools that are Ready have read it.
        all.plan === undefined && !isEvery(all, 'ready')
          ? undefined
          : {
              status: 'True',
              reason: 'StoreAnswers',
              message: 'The database answers and has the schema of this version.',
            },
    ],
    seen,
    notObserved,
  )

export const judgeChannelsFunded = (seen: Seen): Judgement =>
  firstOf(
    [
      ({ pools }) => {
        const pool = pools.find(({ funded }) => funded.status === 'False')
        const message = `ChannelPool ${pool?.name}: ${pool?.funded.message}`
        return pool && { status: 'False', reason: 'SponsorLow', message }
      },
      (all) =>
        isEvery(all, 'funded')
          ? {
              status: 'True',
              reason: 'PoolsFunded',
              message: 'The sponsor of every pool has what its pool asks for.',
            }
          : undefined,
    ],
    seen,
    notObserved,
  )
