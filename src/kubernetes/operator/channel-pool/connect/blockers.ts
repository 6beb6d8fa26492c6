import { shortText } from '../../../../platform/core/text/short-text.ts'
import type { ChannelPoolReason } from '../../../crd/channel-pool/conditions.ts'
import { MAX_MESSAGE_LENGTH } from '../../../crd/fields/conditions.ts'
import type { ConditionStatus } from '../../../runtime/objects/conditions.ts'
import type { Dependency } from './waiting-pools.ts'

interface BlockerMeaning {
  /**
   * Unknown where the channels may work and only the operator cannot see them. AsBefore where the operator lacks what the pods that
   * serve have read already.
   */
  readonly ready: ConditionStatus | 'AsBefore'
  /** Only where the reason says something about the sponsor's balance. */
  readonly funded?: ConditionStatus
  /** Only where the reason says something about what signs for the sponsor. */
  readonly signer?: { readonly reachable: ConditionStatus; readonly keyMatches: ConditionStatus }
  /** When the operator tries again although nothing has woken the pool. */
  readonly retryMs: number
  /** Another pool may have it by then, or give it up; everything else that it waits for, such as a Secret, is watched. */
  readonly waitsFor?: Dependency
}

/** The operator did not ask the signer. */
const unasked = { reachable: 'Unknown', keyMatches: 'Unknown' } as const
const silent = { reachable: 'False', keyMatches: 'Unknown' } as const

/** Every reason why the operator cannot observe or change a pool. */
export const blockers = {
  SponsorSecretMissing: { ready: 'AsBefore', retryMs: 30_000, signer: unasked },
  SponsorSecretInvalid: { ready: 'AsBefore', retryMs: 30_000, signer: unasked },
  SponsorAddressInvalid: { ready: 'AsBefore', retryMs: 60_000, signer: unasked },
  SponsorKeyMismatch: {
    ready: 'AsBefore',
    retryMs: 30_000,
    signer: { reachable: 'True', keyMatches: 'False' },
  },
  SignerSecretMissing: { ready: 'AsBefore', retryMs: 30_000, signer: unasked },
  // The pods may reach it.
  SignerUnreachable: { ready: 'Unknown', retryMs: 10_000, signer: silent },
  SignerDenied: { ready: 'AsBefore', retryMs: 30_000, signer: silent },
  ChannelSecretMissing: { ready: 'AsBefore', retryMs: 30_000 },
  ChannelSecretInvalid: { ready: 'AsBefore', retryMs: 30_000 },
  SponsorChanged: { ready: 'AsBefore', retryMs: 30_000 },
  DatabaseSecretMissing: { ready: 'AsBefore', retryMs: 30_000 },
  DatabaseSecretInvalid: { ready: 'AsBefore', retryMs: 30_000 },
  StoreUnreachable: { ready: 'Unknown', retryMs: 10_000, waitsFor: 'store' },
  StoreSchemaOutdated: { ready: 'False', retryMs: 5_000, waitsFor: 'store' },
  StoreSchemaNewer: { ready: 'Unknown', retryMs: 60_000 },
  ChannelsInvalid: { ready: 'False', retryMs: 60_000 },
  Fenced: { ready: 'Unknown', retryMs: 30_000 },
  RpcSecretMissing: { ready: 'AsBefore', retryMs: 30_000 },
  RpcSecretInvalid: { ready: 'AsBefore', retryMs: 30_000 },
  RpcUnreachable: { ready: 'Unknown', retryMs: 10_000, waitsFor: 'rpc' },
  RpcWrongNetwork: { ready: 'False', retryMs: 60_000, waitsFor: 'rpc' },
  Conflict: { ready: 'False', retryMs: 180_000, waitsFor: 'sponsor' },
  SponsorMarked: { ready: 'False', retryMs: 60_000 },
  SponsorMissing: { ready: 'False', funded: 'False', retryMs: 10_000 },
} as const satisfies Partial<Record<ChannelPoolReason, BlockerMeaning>>

/**
 * The pool cannot be observed or changed. The message says what is wrong and what to do, in one sentence. It may quote a database or an
 * endpoint of a tenant: it is as short as in a condition before anything handles it.
 */
export class PoolBlocked extends Error {
  override readonly name = 'PoolBlocked'
  readonly reason: keyof typeof blockers

  constructor(reason: keyof typeof blockers, message: string, options?: ErrorOptions) {
    super(shortText(message, MAX_MESSAGE_LENGTH), options)
    this.reason = reason
  }

  get meaning(): BlockerMeaning {
    return blockers[this.reason]
  }
}
