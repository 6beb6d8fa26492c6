import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { type Signer, signerFromSecret } from '../../../stellar/accounts/signer.ts'
import { CHANNELS_PER_ENVELOPE } from '../../../stellar/transactions/channel-envelopes.ts'
import { listChannels } from '../../store/channels/channel.ts'
import { markRetired } from '../../store/channels/retire.ts'
import { afterTries } from '../after-tries.ts'
import type { Progress } from '../progress.ts'
import { noMark, readWithMark } from '../sponsor-mark.ts'
import { mergeChannels, RetireFailure } from './merge-channels.ts'
import type { Rescue } from './rescue.ts'
import { channelsToMerge, type RetirePlanOptions } from './retire-plan.ts'

export interface MergeOptions extends RetirePlanOptions {
  readonly passphrase: string
  readonly clock: Clock
  readonly onProgress: Progress
  /** Where others may know the sponsor's seed. */
  readonly rescue?: Rescue | undefined
  /** Accounts that the sponsor pays for besides its channels, merged when no channel is left. */
  readonly authorities: readonly Signer[]
  /**
   * Called before each transaction: stops leasing the channels, and throws unless none is in use. A service that has started
   * in between made its channels active again.
   */
  readonly beforeBatch: () => Promise<void>
}

export interface Merged {
  /** Accounts that existed when the call started; all of them are merged now, by this process or another. */
  readonly found: number
  /** Those that this process merged. */
  readonly merged: number
  /** What the ledger charged the sponsor for that. */
  readonly fees: Stroops
  /** What it paid to the other one in the same transactions. */
  readonly rescued: Stroops
}

/** Failed attempts allowed: another process may merge too, or the network may be busy. */
const MAX_FAILED_ATTEMPTS = 10
const RETRY_PAUSE_MS = 1_000

/** Each account has two base reserves, which the sponsor pays (CAP-33). */
const ENTRIES_PER_ACCOUNT = 2

/**
 * Merges every channel of the sponsor back into it, one envelope per ledger, which returns the reserves; the authorities go last, when
 * no channel is left that could settle for them, and with them the mark of the store. May be called any number of times. Throws what
 * `beforeBatch` throws, `RetireFailure` when the sponsor cannot merge them, `RpcError` when the network does not answer.
 */
export async function mergeAll(options: MergeOptions): Promise<Merged> {
  const { network, store, rpc, clock, signal, onProgress, authorities } = options
  const sponsor = signerFromSecret(options.sponsorSecret)
  const stored = store ? await listChannels(store.db, network, sponsor.address) : []
  const channels = channelsToMerge(options, stored)
  const addresses = channels.map(({ address }) => address)
  const all = [...addresses, ...authorities.map(({ address }) => address)]
  let before: number | undefined
  let merged = 0
  let fees = 0n
  let rescued = 0n
  let because = ''
  for (let failed = 0; failed < MAX_FAILED_ATTEMPTS; ) {
    await options.beforeBatch()
    const { accounts: found, mark } = await readWithMark(rpc, sponsor.address, all, signal)
    const accounts = new Map([...found].filter(([address]) => address !== sponsor.address))
    const isThere = ({ address }: Signer) => accounts.has(address)
    const remaining = channels.filter(isThere)
    before ??= accounts.size
    const gone = addresses.filter((address) => !accounts.has(address))
    if (store) await markRetired(store.db, network, sponsor.address, gone)
    onProgress({ done: before - accounts.size, of: before })
    // Others that the sponsor pays for may be channels beyond `count`, for which the mark has to stay.
    const sponsoring = found.get(sponsor.address)?.sponsoring ?? 0
    const ownEntries = accounts.size * ENTRIES_PER_ACCOUNT
    const isMarkDue = mark !== undefined && sponsoring <= ownEntries
    if (accounts.size === 0 && !isMarkDue) {
      return { found: before, merged, fees: asStroops(fees), rescued: asStroops(rescued) }
    }

    const batch =
      remaining.length > 0 ? remaining.slice(0, CHANNELS_PER_ENVELOPE) : authorities.filter(isThere)
    const outcome = await mergeChannels({
      ...options,
      sponsor,
      channels: batch,
      mark: isMarkDue && batch.length === accounts.size ? noMark : undefined,
    })
    if (outcome.kind === 'done') {
      merged += batch.length
      fees += outcome.feeCharged
      rescued += outcome.rescued?.amount ?? 0n
      continue
    }
    failed += 1
    fees += outcome.feeCharged
    because = outcome.because
    await clock.sleep(RETRY_PAUSE_MS, signal)
  }
  throw new RetireFailure(
    `channels of ${network} could not be merged ${afterTries(MAX_FAILED_ATTEMPTS, because)}`,
  )
}
