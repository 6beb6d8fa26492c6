import type { ReadinessCheck } from '../http/readiness.ts'
import type { ServedNetwork } from './served-network.ts'

/** The checks of `/ready` for one network; each says what it saw, or throws what is wrong. */
export function readinessOf({
  id,
  rpc,
  monitor,
  channels,
}: ServedNetwork): Record<string, ReadinessCheck> {
  return {
    [`${id}:rpc`]: async (signal) => {
      const { sequence } = await rpc.latestLedger(signal)
      return `ledger ${sequence}`
    },
    [`${id}:sponsor`]: async () => {
      const balance = monitor.sponsorBalance
      if (balance === undefined) throw new Error('the balance is not known')
      return balance.toString()
    },
    [`${id}:channels`]: async () => {
      const count = channels.addresses.length
      if (count === 0) throw new Error('0')
      return String(count)
    },
  }
}
