import type { ChannelPoolReason } from '../../../../crd/channel-pool/conditions.ts'
import type { FacilitatorResult } from '../../converge/converge.ts'
import {
  type ConditionRule,
  type ConditionValue,
  firstRule,
  migrating,
  migrationFailed,
  notObserved,
} from './rule.ts'
import { newerSchemaMessage } from './sentences.ts'

/* Stellar RPC, the database and the sponsors: the pools observe them, and these conditions repeat the result. */

const whenPoolReports =
  (reasons: readonly ChannelPoolReason[], value: Omit<ConditionValue, 'message'>): ConditionRule =>
  ({ pools }) => {
    const pool = pools.find(({ ready }) => reasons.some((reason) => reason === ready.reason))
    return pool && { ...value, message: `ChannelPool ${pool.name}: ${pool.ready.message}` }
  }

const isTrueOfAll = ({ pools }: FacilitatorResult, condition: 'ready' | 'funded'): boolean =>
  pools.length > 0 && pools.every((pool) => pool[condition].status === 'True')

export const rpcReachable = (result: FacilitatorResult): ConditionValue =>
  firstRule(
    [
      whenPoolReports(['RpcUnreachable', 'RpcWrongNetwork'], {
        status: 'False',
        reason: 'RpcUnreachable',
      }),
      (all) => {
        const message = 'Stellar RPC of every network answers.'
        // A pool whose Funded is known has read its sponsor from the ledger.
        const isRead =
          isTrueOfAll(all, 'ready') || all.pools.every(({ funded }) => funded.status !== 'Unknown')
        return isRead ? { status: 'True', reason: 'RpcAnswers', message } : undefined
      },
    ],
    result,
    notObserved,
  )

export const storeReachable = (result: FacilitatorResult): ConditionValue =>
  firstRule(
    [
      whenPoolReports(['StoreUnreachable'], { status: 'False', reason: 'StoreUnreachable' }),
      whenPoolReports(['DatabaseSecretInvalid'], {
        status: 'False',
        reason: 'DatabaseSecretInvalid',
      }),
      migrationFailed('False'),
      migrating('Unknown'),
      (all) => {
        const message = all.plan && newerSchemaMessage(all)
        return message === undefined
          ? undefined
          : { status: 'True', reason: 'SchemaNewer', message }
      },
      (all) =>
        // Without a plan only pools that are Ready prove that the database answers.
        all.plan === undefined && !isTrueOfAll(all, 'ready')
          ? undefined
          : {
              status: 'True',
              reason: 'StoreAnswers',
              message: 'The database answers and has the schema of this version.',
            },
    ],
    result,
    notObserved,
  )

export const channelsFunded = (result: FacilitatorResult): ConditionValue =>
  firstRule(
    [
      ({ pools }) => {
        const pool = pools.find(({ funded }) => funded.status === 'False')
        const message = `ChannelPool ${pool?.name}: ${pool?.funded.message}`
        return pool && { status: 'False', reason: 'SponsorLow', message }
      },
      (all) =>
        isTrueOfAll(all, 'funded')
          ? {
              status: 'True',
              reason: 'PoolsFunded',
              message: 'The sponsor of every pool has what its pool requires.',
            }
          : undefined,
    ],
    result,
    notObserved,
  )
