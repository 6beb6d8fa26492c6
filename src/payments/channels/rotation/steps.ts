/** What each step of a rotation does to store and ledger. Each may be repeated, and interrupted at any point. */
import { asStroops } from '../../../platform/core/amounts/stroops.ts'
import { createLogger } from '../../../platform/telemetry/logs/logger.ts'
import { addDrainingChannels, drainPoolChannels } from '../../store/pools/pool-channels.ts'
import { abandonExpiredClaims } from '../../store/settlements/claim/abandon-expired-claims.ts'
import { putAuthorities } from '../../store/upto/authorities.ts'
import { authoritiesToStore } from '../authorities.ts'
import { provisionChannels } from '../create/provision.ts'
import { authoritySigner, channelSigner } from '../derive.ts'
import { type Merged, mergeAll } from '../retire/merge-all.ts'
import { handOver } from './hand-over.ts'
import { isFree } from './next-step.ts'
import type { RotationOptions } from './options.ts'
import { RotationRefusal } from './refusals.ts'
import { rescueOf } from './sweep-step.ts'
import { type RotationView, readRotation } from './view.ts'

/**
 * Creates the new sponsor's channels and authority. The store knows the accounts before the ledger has them, so that no
 * replica takes them for a payer's or a recipient's.
 */
export async function provisionNew(options: RotationOptions, { wanted, to }: RotationView) {
  const { network, store, say } = options
  const seeds = { sponsorSecret: options.to }
  await putAuthorities(store.db, authoritiesToStore(network, seeds))
  const known = new Set(to.stored.filter(({ state }) => state !== 'retired').map((c) => c.index))
  const fresh = Array.from({ length: wanted }, (_, index) => index)
    .filter((index) => !known.has(index))
    .map((index) => ({ index, account: channelSigner(options.to, network, index).address }))
  await store.db
    .transaction()
    .execute((transaction) =>
      addDrainingChannels(transaction, { network, sponsor: to.address }, fresh),
    )
  await provisionChannels({
    ...options,
    ...seeds,
    count: wanted,
    log: createLogger({ level: 'silent' }),
    onProgress: ({ done, of }) => say(`${done} of ${of} accounts of the new sponsor in place`),
  })
}

/** Stops leasing the old sponsor's channels. Its settlements under way go on. */
export async function drainOld(
  { network, store }: RotationOptions,
  { from }: Pick<RotationView, 'from'>,
): Promise<void> {
  const indices = from.stored.filter(({ state }) => state === 'active').map(({ index }) => index)
  await store.db
    .transaction()
    .execute((transaction) =>
      drainPoolChannels(transaction, { network, sponsor: from.address }, indices),
    )
  // Of replicas that died: no other one may be left that would do it.
  if ((await abandonExpiredClaims(store.db)) > 0) store.notifyFreedChannels(network)
}

/**
 * Merges the old sponsor's channels and authority into it. Where the scheme `upto` is served, buyers may have signed for
 * the authority: then the new sponsor pays its reserve from now on, and it stays.
 */
export async function retireOld(
  options: RotationOptions,
  view: RotationView,
): Promise<Merged & { readonly keptAuthority: string | undefined }> {
  const { network, mode, servesUpto, say } = options
  const { from } = view
  const keeps = servesUpto && mode === 'planned'
  const { address: authority, isOnLedger } = from.authority
  const keptAuthority = keeps && isOnLedger ? authority : undefined
  const fee =
    keptAuthority !== undefined && paysFor(from) ? await handOver(options, keptAuthority) : 0n
  const merged = await mergeAll({
    ...options,
    sponsorSecret: options.from,
    count: options.leastCount,
    rescue: mode === 'emergency' ? rescueOf(options, view) : undefined,
    authorities: keeps ? [] : [authoritySigner(options.from, network)],
    beforeBatch: () => untilFree(options),
    onProgress: ({ done, of }) => say(`${done} of ${of} accounts of the old sponsor merged`),
  })
  return { ...merged, fees: asStroops(merged.fees + fee), keptAuthority }
}

/** Whether it pays one reserve more than those of its channels, two entries each: that of its authority. */
const paysFor = ({ account, onLedger }: RotationView['from']): boolean =>
  (account?.sponsoring ?? 0) >= 2 * onLedger.size + 2

/** A replica that has started with the old seed made the channels active again: they are drained again. */
async function untilFree(options: RotationOptions): Promise<void> {
  for (;;) {
    const view = await readRotation(options)
    const { from } = view
    if (options.mode === 'planned' && from.servedBy.length > 0) {
      throw new RotationRefusal(
        `${from.servedBy.join(', ')} serves the old sponsor ${from.address} again: give it the seed of the new one, then run the same command again`,
      )
    }
    if (isFree(from, options.mode)) return
    await drainOld(options, view)
    await options.clock.sleep(DRAIN_POLL_MS, options.signal)
  }
}

/** A settlement ends within two or three ledgers. */
export const DRAIN_POLL_MS = 500
