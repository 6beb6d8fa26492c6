import { formatXlm } from '../../platform/core/amounts/stroops.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { ReadinessCheck } from '../../platform/http/readiness.ts'
import { spendableOf } from '../channels/minimum-balance.ts'
import type { ServedNetwork } from '../engine/network/served-network.ts'

type SettlementSource = Pick<ServedNetwork, 'id'> & {
  readonly monitor: Pick<ServedNetwork['monitor'], 'tip' | 'balance'>
  readonly channels: Pick<ServedNetwork['channels'], 'onLedger'>
}
type ReadinessSource = SettlementSource & Pick<ServedNetwork, 'minSponsorBalance'>

/**
 * The checks of `/ready` for one network. Each returns what the last poll read, or throws an error that says
 * what is wrong. They send no request, so that frequent probes cost nothing.
 */
export function readinessOf(
  { id, monitor, channels, minSponsorBalance }: ReadinessSource,
  clock: Pick<Clock, 'now'>,
): Record<string, ReadinessCheck> {
  return {
    [`${id}:rpc`]: async () => {
      const { latest, misses } = monitor.tip
      if (!latest) throw new Error('no ledger was read yet')
      const ageSeconds = Math.floor((clock.now() - latest.readAt) / 1_000)
      const ledger = `ledger ${latest.value.sequence}, read ${ageSeconds} s ago`
      if (misses > 0) throw new Error(`no endpoint answered the last ${misses} polls; ${ledger}`)
      return ledger
    },
    [`${id}:sponsor`]: async () => {
      const { balance } = monitor
      if (balance.kind !== 'known') throw new Error('the balance is not known')
      // The detail is the balance in stroops; a check that fails although the balance suffices says why.
      const { stroops } = balance
      const spendable = spendableOf(balance)
      if (stroops < minSponsorBalance) throw new Error(stroops.toString())
      if (spendable < minSponsorBalance) {
        const says = `${stroops}, of which ${spendable} can be spent: less than`
        throw new Error(`${says} ${formatXlm(minSponsorBalance)}`)
      }
      return stroops.toString()
    },
    [`${id}:channels`]: async () => {
      const count = channels.onLedger
      if (count === 0) throw new Error('0')
      return String(count)
    },
  }
}

/**
 * Passes once the process could settle on one network at least, and then for ever. Its pods serve only after that, so
 * that pods with a wrong seed or a dead endpoint do not get requests. It is latched, because a later outage is the
 * same for all replicas: taking them all out of the Service helps no payment. One network suffices, because an outage of
 * one network must not keep new pods from serving the other one.
 */
export function settledOnce(networks: readonly SettlementSource[]): ReadinessCheck {
  const latched = new Set<string>()
  return async () => {
    const reasons = networks.map((network) => {
      const reason = whyCannotSettle(network)
      if (reason === undefined) latched.add(network.id)
      return `${network.id}: ${reason}`
    })
    if (latched.size > 0) return undefined
    throw new Error(`no payment could be settled yet: ${reasons.join('; ')}`)
  }
}

function whyCannotSettle({ monitor, channels }: SettlementSource): string | undefined {
  const { latest, misses } = monitor.tip
  if (!latest || misses > 0) return 'no endpoint of Stellar RPC answers'
  if (monitor.balance.kind === 'missing') return 'the sponsor does not exist on the ledger'
  if (monitor.balance.kind !== 'known') return 'the balance of the sponsor is not known'
  return channels.onLedger > 0 ? undefined : 'the sponsor has no channel in this database'
}
