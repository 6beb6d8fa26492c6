import type { ChannelPoolCondition } from '../../../crd/channel-pool/conditions.ts'
import type { ConditionStatus } from '../../../runtime/objects/conditions.ts'
import { describeSponsorSource } from '../../references/sponsor-source.ts'
import type { PoolBlocked } from '../connect/blockers.ts'
import type { PoolResult } from '../converge/converge.ts'

/** A pass that reached its end has signed, or could have. */
export function signerConditions({
  source,
}: Pick<PoolResult, 'source'>): readonly ChannelPoolCondition[] {
  const where = describeSponsorSource(source)
  if (source.secretRef) {
    return [
      signer('SignerReachable', 'Seed', `The operator signs with the seed of ${where}.`),
      signer('SignerKeyMatches', 'Seed', 'The address of the sponsor is that of its seed.'),
    ]
  }
  return [
    signer('SignerReachable', 'Reachable', `The signer answers, with ${where}.`),
    signer('SignerKeyMatches', 'KeyMatches', `Its key is that of ${source.address}.`),
  ]
}

const signer = (
  type: ChannelPoolCondition['type'],
  reason: ChannelPoolCondition['reason'],
  message: string,
): ChannelPoolCondition => ({ type, status: 'True', reason, message })

/** The same of a pass that could not begin. */
export const signerBlocked = (
  { reachable, keyMatches }: Readonly<Record<'reachable' | 'keyMatches', ConditionStatus>>,
  { reason, message }: Pick<PoolBlocked, 'reason' | 'message'>,
): readonly ChannelPoolCondition[] => [
  { type: 'SignerReachable', status: reachable, reason, message },
  { type: 'SignerKeyMatches', status: keyMatches, reason, message },
]
