import type { ChannelPoolReason } from '../../../crd/channel-pool/conditions.ts'
import type { ConditionStatus } from '../../../runtime/objects/conditions.ts'

interface BlockerMeaning {
  /** Unknown where the channels may work and only the operator cannot see them. */
  readonly ready: ConditionStatus
  /** Only where the reason says something about the sponsor's balance. */
  readonly funded?: ConditionStatus
  /** When the operator tries again although no watched object has changed. */
  readonly retryMs: number
}

/** Every reason why the operator cannot observe or change a pool. */
export const blockers = {
  SponsorSecretMissing: { ready: 'False', retryMs: 30_000 },
  SponsorSecretInvalid: { ready: 'False', retryMs: 30_000 },
  SponsorChanged: { ready: 'False', retryMs: 30_000 },
  DatabaseSecretMissing: { ready: 'False', retryMs: 30_000 },
  DatabaseSecretInvalid: { ready: 'False', retryMs: 30_000 },
  StoreUnreachable: { ready: 'Unknown', retryMs: 10_000 },
  StoreSchemaOutdated: { ready: 'False', retryMs: 5_000 },
  StoreSchemaNewer: { ready: 'Unknown', retryMs: 60_000 },
  Fenced: { ready: 'Unknown', retryMs: 30_000 },
  RpcSecretMissing: { ready: 'Unknown', retryMs: 30_000 },
  RpcSecretInvalid: { ready: 'Unknown', retryMs: 30_000 },
  RpcUnreachable: { ready: 'Unknown', retryMs: 10_000 },
  RpcWrongNetwork: { ready: 'False', retryMs: 60_000 },
  Conflict: { ready: 'False', retryMs: 180_000 },
  SponsorMarked: { ready: 'False', retryMs: 60_000 },
  SponsorMissing: { ready: 'False', funded: 'False', retryMs: 10_000 },
} as const satisfies Partial<Record<ChannelPoolReason, BlockerMeaning>>

/** The pool cannot be observed or changed. The message says what is wrong and what to do, in one sentence. */
export class PoolBlocked extends Error {
  override readonly name = 'PoolBlocked'
  readonly reason: keyof typeof blockers

  constructor(reason: keyof typeof blockers, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }

  get meaning(): BlockerMeaning {
    return blockers[this.reason]
  }
}
