import type { xdr } from '@stellar/stellar-sdk'
import type { Policy } from '../config.ts'

/** What one operation, or the three of a sponsorship, does. */
export interface Part {
  readonly kind: PartKind
  /** How many operations it takes. @default 1 */
  readonly operations?: number
  /** Accounts whose reserve of 1 XLM the sponsor pays from then on. @default 0 */
  readonly accounts?: number
  /** XLM of the sponsor that go to a recipient, in stroops; `all` for its whole balance. @default 0n */
  readonly xlm?: bigint | 'all'
}
export type PartKind =
  | 'call'
  | 'deploy'
  | 'footprint'
  | 'create'
  | 'hand_over'
  | 'mark'
  | 'merge'
  | 'pay'
  | 'sweep'

export interface Step {
  readonly operation: xdr.Operation
  /** `G...`: that of the operation, or else that of the transaction. */
  readonly source: string
}

/** What a rule is given beside the body of its operation. */
export interface Place {
  readonly policy: Policy
  /** `G...` */
  readonly sponsor: string
  /** `G...`: the source of the transaction. */
  readonly txSource: string
  readonly step: Step
  /** The two operations after it. */
  readonly next: readonly [Step | undefined, Step | undefined]
}

/** Who an account is: other sponsors of the same owner are the recipients, all others are channels or strangers. */
export function roleOf(
  { policy, sponsor }: Place,
  address: string,
): 'sponsor' | 'recipient' | 'other' {
  if (address === sponsor) return 'sponsor'
  return policy.recipients.includes(address) ? 'recipient' : 'other'
}
