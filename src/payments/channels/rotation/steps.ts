/** Does each step of a rotation in store and ledger. Each may be repeated, and interrupted at any point. */
import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { createLogger } from '../../../platform/telemetry/logs/logger.ts'
import { drainPoolChannels } from '../../store/pools/pool-channels.ts'
import { abandonExpiredClaims } from '../../store/settlements/claim/abandon-expired-claims.ts'
import { provisionChannels } from '../create/provision.ts'
import { emptySponsor } from '../retire/empty.ts'
import { isFree } from './facts.ts'
import { handOver } from './hand-over.ts'
import type { RotationOptions } from './options.ts'
import { RotationRefusal } from './refusals.ts'
import { newPayer } from './sweep-step.ts'
import { type RotationView, readRotation, type SponsorView } from './view.ts'

/** Creates the new sponsor's channels and authority. */
export const provisionNew = (
  options: RotationOptions,
  { wanted }: Pick<RotationView, 'wanted'>,
): Promise<void> =>
  provisionChannels({
    ...options,
    keys: options.to,
    count: wanted,
    log: createLogger({ level: 'silent' }),
    onProgress: ({ done, of }) =>
      options.say(`${done} of ${of} accounts of the new sponsor in place`),
  })

/**
 * Stops leasing the old sponsor's channels. Its settlements under way go on. Throws `RotationRefusal` while a replica serves it: all
 * payments of that replica would be refused.
 */
export async function drainOld(
  options: RotationOptions,
  { from }: Pick<RotationView, 'from'>,
): Promise<void> {
  refuseServed(options, from)
  const { network, store } = options
  const indices = from.stored.filter(({ state }) => state === 'active').map(({ index }) => index)
  await store.db
    .transaction()
    .execute((transaction) =>
      drainPoolChannels(transaction, { network, sponsor: from.address }, indices),
    )
  // Ends the claims of replicas that died: perhaps no other replica is left that would do it.
  if ((await abandonExpiredClaims(store.db)) > 0) store.notifyFreedChannels(network)
}

interface Retired {
  /** Accounts that this process merged. */
  readonly merged: number
  /** The fees that the ledger charged the old sponsor. */
  readonly fees: Stroops
  /** The sum that it paid to the new one in the same transactions. */
  readonly rescued: Stroops
  readonly keptAuthority: string | undefined
}

/**
 * Merges the old sponsor's channels and authority into it. Where the scheme `upto` is served, buyers may have signed for
 * the authority: then the new sponsor pays its reserve from now on, and it stays.
 */
export async function retireOld(options: RotationOptions, view: RotationView): Promise<Retired> {
  const { network, mode, servesUpto, say } = options
  const { from } = view
  const keeps = servesUpto && mode === 'planned'
  const { address: authority, isOnLedger } = from.authority
  const keptAuthority = keeps && isOnLedger ? authority : undefined
  const fee =
    keptAuthority !== undefined && paysFor(from) ? await handOver(options, keptAuthority) : 0n
  const {
    changed: merged,
    fees,
    rescued,
  } = await emptySponsor({
    ...options,
    keys: options.from,
    count: options.leastCount,
    payer: mode === 'emergency' ? newPayer(options) : undefined,
    takesHeld: mode === 'emergency',
    authorities: keeps ? [] : [options.from.authority(network)],
    before: () => untilFree(options),
    onProgress: ({ done, of }) => say(`${done} of ${of} accounts of the old sponsor merged`),
  })
  return { merged, rescued, fees: asStroops(fees + fee), keptAuthority }
}

/** Whether it pays one reserve more than those of its channels, two entries each: that of its authority. */
const paysFor = ({ account, onLedger }: RotationView['from']): boolean =>
  (account?.sponsoring ?? 0) >= 2 * onLedger.size + 2

function refuseServed({ mode }: RotationOptions, { servedBy, address }: SponsorView): void {
  if (mode === 'emergency' || servedBy.length === 0) return
  throw new RotationRefusal(
    `${servedBy.join(', ')} serves the old sponsor ${address} again: give it the seed of the new one, then run the same command again`,
  )
}

/** A replica that has started with the old seed made the channels active again: they are drained again. */
async function untilFree(options: RotationOptions): Promise<void> {
  for (;;) {
    const view = await readRotation(options)
    const { from } = view
    refuseServed(options, from)
    if (isFree(from, options.mode)) return
    await drainOld(options, view)
    await options.clock.sleep(DRAIN_POLL_MS, options.signal)
  }
}

/** A settlement ends within two or three ledgers. */
export const DRAIN_POLL_MS = 500
