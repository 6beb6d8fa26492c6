import type { ChannelPoolCondition } from '../../api/channel-pool-conditions.ts'
import { unlockedBalance } from '../../channels/minimum-balance.ts'
import { formatXlm } from '../../core/stroops.ts'
import type { Applied } from './apply.ts'
import type { PoolBlocked } from './blockers.ts'
import { isAdopting, isConverging, type PoolResult } from './converge.ts'

const many = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`

type Value = Omit<ChannelPoolCondition, 'type'>

/** All four conditions, from one pass over the pool. */
export const conditionsOf = (result: PoolResult): readonly ChannelPoolCondition[] => [
  { type: 'Ready', ...ready(result) },
  { type: 'Progressing', ...progressing(result) },
  { type: 'Degraded', ...degraded(result) },
  { type: 'Funded', ...funded(result) },
]

/** The conditions that a blocker decides; the others keep the last observation. */
export function conditionsOfBlocker({
  reason,
  message,
  meaning,
}: PoolBlocked): readonly ChannelPoolCondition[] {
  const { ready, funded } = meaning
  const conditions: ChannelPoolCondition[] = [
    { type: 'Ready', status: ready, reason, message },
    { type: 'Degraded', status: ready === 'Unknown' ? 'Unknown' : 'True', reason, message },
    { type: 'Progressing', status: 'False', reason, message },
  ]
  return funded ? [...conditions, { type: 'Funded', status: funded, reason, message }] : conditions
}

function ready({ desired, plan, applied }: PoolResult): Value {
  const count = plan.ready.length
  if (desired === 0) {
    const message = 'The pool has no channels, so nothing can be settled: raise spec.channels.'
    return { status: 'False', reason: 'Empty', message }
  }
  if (count >= desired) {
    return { status: 'True', reason: 'ChannelsReady', message: `${many(count, 'channel')} ready.` }
  }
  const message = `${count} of ${many(desired, 'channel')} are ready.`
  return applied.kind === 'short'
    ? { status: 'False', reason: 'SponsorShort', message: `${message} ${sentenceOf(applied)}` }
    : { status: 'False', reason: 'ChannelsMissing', message }
}

/** Says what the sponsor lacks. */
const sentenceOf = ({ message }: Extract<Applied, { kind: 'short' }>): string =>
  `${message.replace('sponsor', 'Sponsor')}.`

function progressing(result: PoolResult): Value {
  const { plan } = result
  if (!isConverging(result)) {
    return { status: 'False', reason: 'Settled', message: 'There is nothing left to do.' }
  }
  if (isAdopting(result)) {
    const message = 'The operator takes over channels that are already on the ledger.'
    return { status: 'True', reason: 'Adopting', message }
  }
  if (plan.create.length > 0 || plan.activate.length > 0) {
    const left = plan.create.length + plan.activate.length
    return { status: 'True', reason: 'Provisioning', message: `${many(left, 'channel')} to add.` }
  }
  if (plan.createAuthority) {
    const message = 'The settlement authority is to be added.'
    return { status: 'True', reason: 'Provisioning', message }
  }
  if (plan.mergeAuthority) {
    const message = 'The settlement authority is to be removed, after the last channel.'
    return { status: 'True', reason: 'Shrinking', message }
  }
  const { busy, merge, drain } = plan
  const leaving = new Set([...merge, ...drain, ...busy]).size
  const message = `${many(leaving, 'channel')} to remove; settlements still use ${busy.length} of them.`
  return { status: 'True', reason: 'Shrinking', message }
}

function degraded(result: PoolResult): Value {
  const { plan, channels, desired } = result
  const quarantined = channels.filter(({ state }) => state === 'quarantined')
  const count = new Set([...quarantined, ...plan.quarantine].map(({ index }) => index)).size
  if (count > 0) {
    const message =
      `${many(count, 'channel')} cannot be used and ${count === 1 ? 'is' : 'are'} replaced; ` +
      'status.quarantined says why.'
    return { status: 'True', reason: 'ChannelsQuarantined', message }
  }
  if (plan.ready.length > 0 && plan.ready.length < desired) {
    const message = `${plan.ready.length} of ${many(desired, 'channel')} are ready.`
    return { status: 'True', reason: 'ChannelsMissing', message }
  }
  const isFunded = funded(result)
  if (isFunded.status === 'False') return { ...isFunded, status: 'True' }
  return { status: 'False', reason: 'AsSpecified', message: 'Nothing differs from the spec.' }
}

function funded({ sponsor, promisedFees, minBalance, applied }: PoolResult): Value {
  if (applied.kind === 'short') {
    return { status: 'False', reason: 'SponsorShort', message: sentenceOf(applied) }
  }
  const { balance, address } = sponsor
  const left = unlockedBalance(sponsor) - promisedFees
  const spendable = formatXlm(left > 0n ? left : 0n)
  const says = `The sponsor can spend ${spendable} of its ${formatXlm(balance)}`
  return left >= minBalance
    ? {
        status: 'True',
        reason: 'SponsorFunded',
        message: `${says}; the pool requires ${formatXlm(minBalance)}.`,
      }
    : {
        status: 'False',
        reason: 'SponsorLow',
        message: `${says}, less than the required ${formatXlm(minBalance)}: send XLM to ${address}.`,
      }
}
