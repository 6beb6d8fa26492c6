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

/*
 * Stellar RPC, the database and the sponsors: the pools observe them. A pass that fails leaves these conditions as they are, so none of
 * them names another condition of the Facilitator.
 */

const whenPoolReports =
  (
    reasons: readonly ChannelPoolReason[],
    { what, ...value }: Omit<ConditionValue, 'message'> & { readonly what: string },
  ): ConditionRule =>
  ({ pools }) => {
    const pool = pools.find(({ ready }) => reasons.some((reason) => reason === ready.reason))
    const message = `${what}: condition Ready of ChannelPool ${pool?.name} says why.`
    return pool && { ...value, message }
  }

const isTrueOfAll = ({ pools }: FacilitatorResult, condition: 'ready' | 'funded'): boolean =>
  pools.length > 0 && pools.every((pool) => pool[condition].status === 'True')

export const rpcReachable = (result: FacilitatorResult): ConditionValue =>
  firstRule(
    [
      whenPoolReports(['RpcUnreachable', 'RpcWrongNetwork'], {
        status: 'False',
        reason: 'RpcUnreachable',
        what: 'Stellar RPC does not answer as it should',
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
      whenPoolReports(['StoreUnreachable'], {
        status: 'False',
        reason: 'StoreUnreachable',
        what: 'The database does not answer the operator',
      }),
      whenPoolReports(['DatabaseSecretInvalid'], {
        status: 'False',
        reason: 'DatabaseSecretInvalid',
        what: 'The database cannot be opened',
      }),
      (all) => {
        const value = migrationFailed('False')(all)
        const message = `The database may lack the schema of this version, because Job ${all.plan?.job} failed.`
        return value && { ...value, message }
      },
      migrating(
        'Unknown',
        ({ job }) => `The schema of the database is known once Job ${job} has ended.`,
      ),
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
        const message = `The sponsor of ChannelPool ${pool?.name} has too little XLM: condition Funded of the pool says how much to send.`
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
