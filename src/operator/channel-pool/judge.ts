import { formatXlm } from '../../core/stroops.ts'
import { isAdopting, isMoving, type PoolObservation } from './observation.ts'
import type { Observed } from './obstacles.ts'

const many = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`

type Judgement = Omit<Observed, 'type'>

/** The four conditions of a pool that could be looked at. */
export const judgePool = (seen: PoolObservation): readonly Observed[] => [
  { type: 'Ready', ...ready(seen) },
  { type: 'Progressing', ...progressing(seen) },
  { type: 'Degraded', ...degraded(seen) },
  { type: 'Funded', ...funded(seen) },
]

function ready({ wanted, plan }: PoolObservation): Judgement {
  const count = plan.ready.length
  if (wanted === 0) {
    const message = 'No channels are wanted, so nothing can be settled: raise spec.channels.'
    return { status: 'False', reason: 'Empty', message }
  }
  return count >= wanted
    ? { status: 'True', reason: 'ChannelsReady', message: `${many(count, 'channel')} ready.` }
    : {
        status: 'False',
        reason: 'ChannelsMissing',
        message: `${count} of ${many(wanted, 'channel')} are ready.`,
      }
}

function progressing(seen: PoolObservation): Judgement {
  const { plan } = seen
  if (!isMoving(seen)) {
    return { status: 'False', reason: 'Settled', message: 'There is nothing left to do.' }
  }
  if (isAdopting(seen)) {
    const message = 'Channels that are on the ledger already are taken over.'
    return { status: 'True', reason: 'Adopting', message }
  }
  if (plan.create.length > 0 || plan.put.length > 0) {
    const left = plan.create.length + plan.put.length
    return { status: 'True', reason: 'Provisioning', message: `${many(left, 'channel')} to go.` }
  }
  const { busy, merge, drain } = plan
  const message =
    `${many(new Set([...merge, ...drain, ...busy]).size, 'channel')} to go, ` +
    `${busy.length} of them while settlements use them.`
  return { status: 'True', reason: 'Shrinking', message }
}

function degraded(seen: PoolObservation): Judgement {
  const { plan, channels, wanted, sponsor, minBalance } = seen
  const quarantined = channels.filter(({ state }) => state === 'quarantined')
  const count = new Set([...quarantined, ...plan.quarantine].map(({ index }) => index)).size
  if (count > 0) {
    const message =
      `${many(count, 'channel')} cannot be used and ${count === 1 ? 'is' : 'are'} replaced; ` +
      'status.quarantined says why.'
    return { status: 'True', reason: 'ChannelsQuarantined', message }
  }
  if (plan.ready.length > 0 && plan.ready.length < wanted) {
    const message = `${plan.ready.length} of ${many(wanted, 'channel')} are ready.`
    return { status: 'True', reason: 'ChannelsMissing', message }
  }
  if (sponsor.balance < minBalance) return { ...funded(seen), status: 'True' }
  return { status: 'False', reason: 'AsSpecified', message: 'Nothing differs from the spec.' }
}

function funded({ sponsor, minBalance }: PoolObservation): Judgement {
  const { balance, address } = sponsor
  return balance >= minBalance
    ? {
        status: 'True',
        reason: 'SponsorFunded',
        message: `The sponsor has ${formatXlm(balance)}, at least ${formatXlm(minBalance)} are asked for.`,
      }
    : {
        status: 'False',
        reason: 'SponsorLow',
        message:
          `The sponsor has ${formatXlm(balance)}, less than the ${formatXlm(minBalance)} asked for: ` +
          `send XLM to ${address}.`,
      }
}
