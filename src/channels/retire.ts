import type { NetworkId } from '../core/caip2.ts'
import type { Clock } from '../core/clock.ts'
import type { Stroops } from '../core/stroops.ts'
import { CHANNELS_PER_ENVELOPE } from '../stellar/channel-envelopes.ts'
import type { StellarRpc } from '../stellar/rpc.ts'
import { type Signer, signerFromSecret } from '../stellar/signer.ts'
import { listChannels } from '../store/channels/channel.ts'
import { drainChannels, markRetired } from '../store/channels/retire.ts'
import type { Store } from '../store/open.ts'
import { abandonExpiredClaims } from '../store/settlements/abandon-expired-claims.ts'
import { channelSigner } from './derive.ts'
import { mergeChannels, RetireFailure } from './merge-channels.ts'
import type { Progress } from './progress.ts'

export interface RetireOptions {
  readonly network: NetworkId
  readonly passphrase: string
  /** `S...`; pays the fees and gets the reserves back. */
  readonly sponsorSecret: string
  /** Channels 0 to count - 1 shall be gone, and whatever else the store knows of this sponsor. */
  readonly count: number
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  readonly rpc: StellarRpc
  /** Absent: the caller answers for it that nothing is under way. */
  readonly store: Store | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onProgress: Progress
}

/** Channels of the network are in use; nothing was changed. */
export class RetireRefusal extends Error {
  override readonly name = 'RetireRefusal'
}

/** Tries that may come to nothing, because another process retires too, or the network is busy. */
const FRUITLESS_TRIES = 10
const PAUSE_MS = 1_000

/**
 * Merges every channel of the sponsor back into it, one envelope a ledger, which returns every
 * reserve, and lets nobody lease them any more. May be called any number of times: what is gone is
 * found to be gone. Answers how many accounts this call saw go.
 *
 * Throws `RetireRefusal` while any settlement of the network is unfinished or any channel leased,
 * `RetireFailure` when the sponsor cannot merge them, `RpcError` without the network.
 */
export async function retireChannels(options: RetireOptions): Promise<number> {
  const { network, store, rpc, clock, signal, onProgress } = options
  const sponsor = signerFromSecret(options.sponsorSecret)
  const channels = await everyChannel(options, sponsor.address)
  const addresses = channels.map(({ address }) => address)
  let before: number | undefined
  for (let fruitless = 0; fruitless < FRUITLESS_TRIES; ) {
    // Before every batch, for a service that started meanwhile made its channels active again.
    await drain(options, sponsor.address)
    const accounts = await rpc.accounts(addresses, signal)
    const left = channels.filter(({ address }) => accounts.has(address))
    before ??= left.length
    const gone = addresses.filter((address) => !accounts.has(address))
    if (store) await markRetired(store.db, network, sponsor.address, gone)
    onProgress({ done: before - left.length, of: before })
    if (left.length === 0) return before

    const batch = left.slice(0, CHANNELS_PER_ENVELOPE)
    const attempt = await mergeChannels({ ...options, sponsor, channels: batch })
    if (attempt.kind === 'done') continue
    fruitless += 1
    await clock.sleep(PAUSE_MS, signal)
  }
  throw new RetireFailure(
    `channels of ${network} could not be merged in ${FRUITLESS_TRIES} tries: ` +
      'the network is busy, or something else uses the sponsor',
  )
}

async function everyChannel(
  { network, sponsorSecret, count, store }: RetireOptions,
  sponsor: string,
): Promise<readonly Signer[]> {
  const stored = store ? await listChannels(store.db, network, sponsor) : []
  const length = Math.max(count, ...stored.map(({ index }) => index + 1))
  return Array.from({ length }, (_, index) => channelSigner(sponsorSecret, network, index))
}

async function drain({ network, store }: RetireOptions, sponsor: string): Promise<void> {
  if (!store) return
  // What nobody works on any more is no reason to refuse: there may be no service left to notice.
  await abandonExpiredClaims(store.db)
  const drained = await drainChannels(store.db, network, sponsor)
  if (drained.kind === 'draining') return
  const { unfinished, leased } = drained
  throw new RetireRefusal(
    `${network} is in use (unfinished settlements: ${unfinished}, leased channels: ${leased}): ` +
      'stop the service, let them end, and see them with svc settlements list',
  )
}
