import type { Clock } from '../core/clock.ts'
import { CHANNELS_PER_ENVELOPE } from '../stellar/channel-envelopes.ts'
import { type Signer, signerFromSecret } from '../stellar/signer.ts'
import { listChannels } from '../store/channels/channel.ts'
import { drainChannels, markRetired } from '../store/channels/retire.ts'
import { abandonExpiredClaims } from '../store/settlements/abandon-expired-claims.ts'
import { afterTries } from './after-tries.ts'
import { authoritySigners } from './authorities.ts'
import { mergeChannels, RetireFailure } from './merge-channels.ts'
import type { Progress } from './progress.ts'
import { channelsToMerge, type RetirePlanOptions } from './retire-plan.ts'
import { RetireRefusal, refuseBesideService, refuseMarkedByAnother } from './retire-refusal.ts'
import { noMark, readWithMark } from './sponsor-mark.ts'

export interface RetireOptions extends RetirePlanOptions {
  readonly passphrase: string
  /** Also while a replica serves the network, as its heartbeats show. */
  readonly besideService: boolean
  readonly clock: Clock
  readonly onProgress: Progress
}

/** Failed attempts allowed: another process may retire too, or the network may be busy. */
const MAX_FAILED_ATTEMPTS = 10
const RETRY_PAUSE_MS = 1_000

/** Each account has two base reserves, which the sponsor pays (CAP-33). */
const ENTRIES_PER_ACCOUNT = 2

/**
 * Stops leasing the sponsor's channels and merges every one back into it, one envelope per ledger, which
 * returns the reserves. The settlement authorities go last, when no channel is left that could settle for them, and with them the
 * mark of the store. May be
 * called any number of times. Returns how many accounts existed when the call started; all of them are merged now, by
 * this process or another.
 *
 * Throws `RetireRefusal` when another store marked the sponsor, and while any settlement of the network is unfinished, any channel leased, or any replica
 * serves, `RetireFailure` when the sponsor cannot merge them, `RpcError` when the network does not answer.
 */
export async function retireChannels(options: RetireOptions): Promise<number> {
  const { network, store, rpc, clock, signal, onProgress } = options
  const sponsor = signerFromSecret(options.sponsorSecret)
  const stored = store ? await listChannels(store.db, network, sponsor.address) : []
  const channels = channelsToMerge(options, stored)
  const authorities = authoritySigners(network, options)
  const addresses = channels.map(({ address }) => address)
  const all = [...addresses, ...authorities.map(({ address }) => address)]
  if (!options.besideService) await refuseMarkedByAnother({ sponsor: sponsor.address }, options)
  let before: number | undefined
  let because = ''
  for (let failed = 0; failed < MAX_FAILED_ATTEMPTS; ) {
    // Before every batch: a service that has started in between made its channels active again.
    await drain(options, sponsor.address)
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
    if (accounts.size === 0 && !isMarkDue) return before

    const batch =
      remaining.length > 0 ? remaining.slice(0, CHANNELS_PER_ENVELOPE) : authorities.filter(isThere)
    const outcome = await mergeChannels({
      ...options,
      sponsor,
      channels: batch,
      mark: isMarkDue && batch.length === accounts.size ? noMark : undefined,
    })
    if (outcome.kind === 'done') continue
    failed += 1
    because = outcome.because
    await clock.sleep(RETRY_PAUSE_MS, signal)
  }
  throw new RetireFailure(
    `channels of ${network} could not be merged ${afterTries(MAX_FAILED_ATTEMPTS, because)}`,
  )
}

async function drain(
  { network, store, besideService }: RetireOptions,
  sponsor: string,
): Promise<void> {
  if (!store) return
  if (!besideService) await refuseBesideService(store.db, { network, sponsor })
  // An expired claim is no reason to refuse, and there may be no service left to abandon it.
  if ((await abandonExpiredClaims(store.db)) > 0) store.notifyFreedChannels(network)
  const drained = await drainChannels(store.db, network, sponsor)
  if (drained.kind === 'draining') return
  const { unfinished, leased } = drained
  throw new RetireRefusal(
    `${network} is in use (unfinished settlements: ${unfinished}, leased channels: ${leased}): ` +
      'stop the service, let them end, and see them with svc settlements list',
  )
}
