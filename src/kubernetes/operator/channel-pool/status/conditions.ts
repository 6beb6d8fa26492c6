import { messageOf } from '../../../../diagnosis/problems/problem.ts'
import { canSpend, lacksFunds } from '../../../../diagnosis/problems/sponsor.ts'
import type { Applied } from '../../../../payments/channels/converge/apply.ts'
import { type Funds, fundsOf, spendableOf } from '../../../../payments/channels/minimum-balance.ts'
import { formatXlm, tenthsUp } from '../../../../platform/core/amounts/stroops.ts'
import type { ChannelPoolCondition } from '../../../crd/channel-pool/conditions.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import { findCondition } from '../../../runtime/objects/conditions.ts'
import { leastRequired, mostRequired, whoRequires } from '../../references/pool-users.ts'
import type { PoolBlocked } from '../connect/blockers.ts'
import { isAdopting, isConverging, type PoolResult } from '../converge/converge.ts'
import { signerBlocked, signerConditions } from './signer-conditions.ts'

const many = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`

type Value = Omit<ChannelPoolCondition, 'type'>

/** All conditions that a pass over the pool decides. */
export const conditionsOf = (result: PoolResult): readonly ChannelPoolCondition[] => [
  { type: 'Ready', ...ready(result) },
  { type: 'Progressing', ...progressing(result) },
  { type: 'Degraded', ...degraded(result) },
  { type: 'Funded', ...funded(result) },
  ...signerConditions(result),
]

/**
 * The conditions that a blocker decides; the others keep the last observation.
 * @param before the last status
 */
export function conditionsOfBlocker(
  { reason, message, meaning }: PoolBlocked,
  before?: ChannelPool['status'],
): readonly ChannelPoolCondition[] {
  const { ready, funded, signer } = meaning
  const readyValue = ready === 'AsBefore' ? readyAsBefore(before, { reason, message }) : ready
  const isUnknown = ready === 'Unknown'
  const conditions: ChannelPoolCondition[] = [
    {
      type: 'Ready',
      reason,
      message,
      ...(typeof readyValue === 'string' ? { status: readyValue } : readyValue),
    },
    { type: 'Degraded', status: isUnknown ? 'Unknown' : 'True', reason, message },
    { type: 'Progressing', status: 'False', reason, message },
  ]
  if (funded) conditions.push({ type: 'Funded', status: funded, reason, message })
  return signer ? [...conditions, ...signerBlocked(signer, { reason, message })] : conditions
}

/** Pods that serve have read the Secrets already: what the operator cannot read by now stops no payment of theirs. */
function readyAsBefore(
  before: ChannelPool['status'],
  { reason, message }: Pick<Value, 'reason' | 'message'>,
): Value {
  const count = before?.channels?.ready ?? 0
  const last = findCondition(before?.conditions, 'Ready')
  if (last?.status !== 'True' || count === 0) return { status: 'False', reason, message }
  const says = `${many(count, 'channel')} ready when the operator last looked; pods that serve go on.`
  return { status: 'True', reason, message: says }
}

/** Whether a settlement can be made now: it can lease a channel, and the sponsor can pay for it. */
function ready(result: PoolResult): Value {
  const { desired, plan, applied, sponsor } = result
  const count = plan.ready.length
  if (desired === 0) {
    const message = 'The pool has no channels, so nothing can be settled: raise spec.channels.'
    return { status: 'False', reason: 'Empty', message }
  }
  const least = leastRequired(result.users)
  const left = spendable(result)
  if (count > 0 && left < least) {
    const message =
      `${many(count, 'channel')} ready, but nothing can be settled: ${canSpend(funds(result))}, and a settlement requires ` +
      `${formatXlm(least)}${of(whoRequires(result.users, least))}: send ${formatXlm(tenthsUp(least - left))} to ${sponsor.address}.`
    return { status: 'False', reason: 'SponsorCannotPay', message }
  }
  if (count >= desired) {
    return { status: 'True', reason: 'ChannelsReady', message: `${many(count, 'channel')} ready.` }
  }
  if (count === 0 && applied.kind === 'short') {
    return { status: 'False', reason: 'SponsorShort', message: sentenceOf(applied) }
  }
  const status = count > 0 ? 'True' : 'False'
  return { status, reason: 'ChannelsMissing', message: readyOf(result) }
}

const of = (who: string | undefined): string => (who === undefined ? '' : ` of ${who}`)

const readyOf = ({ plan, desired }: PoolResult): string =>
  `${plan.ready.length} of ${many(desired, 'channel')} are ready.`

/** The sum that the sponsor can spend beyond its settlements under way; negative when they may cost more than it has. */
export const spendable = (result: PoolResult): bigint => spendableOf(funds(result))

const funds = ({ sponsor, promisedFees }: PoolResult): Funds => fundsOf(sponsor, promisedFees)

/** Says what the sponsor lacks. */
const sentenceOf = ({ message }: Extract<Applied, { kind: 'short' }>): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`

function progressing(result: PoolResult): Value {
  const { plan, applied } = result
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
  if (plan.setMark && applied.kind === 'created') {
    const message = 'The sponsor is marked on the ledger with the id of the database.'
    return { status: 'True', reason: 'Provisioning', message }
  }
  if (plan.createAuthorities.length > 0) {
    const message = 'The settlement authority is to be added.'
    return { status: 'True', reason: 'Provisioning', message }
  }
  if (plan.mergeAuthorities.length > 0) {
    const message = 'The settlement authority is to be removed, after the last channel.'
    return { status: 'True', reason: 'Shrinking', message }
  }
  const { busy, merge, drain } = plan
  const leaving = new Set([...merge, ...drain, ...busy]).size
  const message = `${many(leaving, 'channel')} to remove; ${busy.length} of them still in use.`
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
  if (spendable(result) < leastRequired(result.users) && desired > 0) {
    return { ...ready(result), status: 'True' }
  }
  const money = funded(result)
  if (money.status === 'False') return { ...money, status: 'True' }
  if (plan.ready.length > 0 && plan.ready.length < desired) {
    return { status: 'True', reason: 'ChannelsMissing', message: readyOf(result) }
  }
  const { unknownMigration } = result
  if (unknownMigration !== undefined) {
    const message = `The database has ${unknownMigration}, which this operator does not know: upgrade the operator. It goes on managing the pool.`
    return { status: 'True', reason: 'StoreSchemaNewer', message }
  }
  return { status: 'False', reason: 'AsSpecified', message: 'Nothing differs from the spec.' }
}

/** The sum that the sponsor should be able to spend: that of the spec, and that which every Facilitator of the pool requires. */
const requiredBalance = ({ minBalance, users }: PoolResult): bigint => {
  const most = mostRequired(users)
  return most > minBalance ? most : minBalance
}

export const isFunded = (result: PoolResult): boolean =>
  result.applied.kind !== 'short' && spendable(result) >= requiredBalance(result)

function funded(result: PoolResult): Value {
  const { sponsor, applied } = result
  if (applied.kind === 'short') {
    return { status: 'False', reason: 'SponsorShort', message: sentenceOf(applied) }
  }
  const required = requiredBalance(result)
  const low = lacksFunds({ address: sponsor.address, funds: funds(result) }, required)
  if (low) {
    const isOwn = required === result.minBalance
    const who = isOwn ? 'spec.minSponsorBalanceXlm' : whoRequires(result.users, required)
    const message = messageOf({ ...low, says: `${low.says}${of(who)}` })
    return { status: 'False', reason: 'SponsorLow', message }
  }
  const says = `T${canSpend(funds(result)).slice(1)}`
  const message = `${says}; the pool requires ${formatXlm(required)}.`
  return { status: 'True', reason: 'SponsorFunded', message }
}
