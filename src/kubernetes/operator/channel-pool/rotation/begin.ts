import { canonicalJson } from '../../../../platform/core/text/canonical-json.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import type { ChannelPoolCondition } from '../../../crd/channel-pool/conditions.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { EventFacts } from '../../../runtime/events/events.ts'
import type { KubeObject } from '../../../runtime/objects/resource.ts'
import {
  isUnderWay,
  type Rotation,
  servingSide,
  sponsorInUse,
} from '../../references/rotation-state.ts'
import { keySecretOf, sameSponsorSource } from '../../references/sponsor-source.ts'
import { PoolBlocked } from '../connect/blockers.ts'
import type { Connector } from '../connect/connect.ts'
import { freeChannelSecret, freeSecrets, type SecretsClient } from './hold-secrets.ts'
import { rotationEvents } from './overlay.ts'
import { startOf, steered } from './steer.ts'

export interface BeginDeps {
  readonly client: SecretsClient
  readonly addressOf: Connector['addressOf']
  readonly clock: Clock
}

type SponsorStatus = NonNullable<NonNullable<ChannelPool['status']>['sponsor']>

/** A status that has to be written before anything else is done: what follows depends on it. */
export interface RotationChange {
  readonly status: { readonly rotation?: Rotation; readonly sponsor?: SponsorStatus }
  readonly conditions: readonly ChannelPoolCondition[]
  readonly events: readonly EventFacts[]
}

/**
 * The change of a rotation that the spec asks for, or that its end leaves: a begin, a way back, another Secret of the same seed.
 * Undefined when nothing changes. Needs neither the store nor the ledger, so that an empty pool with a wrong Secret can get another one.
 * Throws KubeErrors, and `PoolBlocked` for a change that would lose channels.
 */
export async function beginning(
  pool: ChannelPool & KubeObject,
  { client, addressOf, clock }: BeginDeps,
  signal: AbortSignal,
): Promise<RotationChange | undefined> {
  const { spec, status } = pool
  const { rotation, sponsor } = status ?? {}
  if (isUnderWay(rotation)) {
    const next = steered(rotation, spec, clock.now())
    return next === rotation ? undefined : changeTo(next, rotation, sponsor)
  }
  if (rotation?.holdsSecrets) {
    await freeSecrets(client, { pool, rotation }, { inUse: sponsorInUse(pool), signal })
    return changeTo({ ...rotation, holdsSecrets: false }, rotation, sponsor)
  }
  const wanted = spec.sponsor
  const inUse = sponsorInUse(pool)
  if (!sponsor?.source || sameSponsorSource(inUse, wanted)) return undefined
  const newAddress = await addressOf(pool, wanted, signal)
  const start = startOf(pool, { address: sponsor.address, newAddress, now: clock.now() })
  if (start.kind === 'rotate') return changeTo(start.rotation, rotation, sponsor)
  if (start.kind === 'refuse') throw new PoolBlocked('SponsorChanged', start.message)
  const keepsChannels =
    canonicalJson(keySecretOf(pool, inUse)) === canonicalJson(keySecretOf(pool, wanted))
  if (!keepsChannels) await freeChannelSecret(client, { pool, source: inUse }, signal)
  const address = newAddress ?? sponsor.address
  return { status: { sponsor: { address, source: wanted } }, conditions: [], events: [] }
}

function changeTo(
  rotation: Rotation,
  before: Rotation | undefined,
  sponsor: SponsorStatus | undefined,
): RotationChange {
  const says = `${rotation.phase}: ${rotation.message}`
  const progressing: ChannelPoolCondition = {
    type: 'Progressing',
    status: 'True',
    reason: 'Rotating',
    message: says,
  }
  const changed = sponsorAfter(rotation, sponsor)
  return {
    status: { rotation, ...(changed && { sponsor: changed }) },
    conditions: isUnderWay(rotation) ? [progressing] : [],
    events: rotationEvents(before, rotation),
  }
}

/** `status.sponsor` of the sponsor that is in use from now on; without a balance where that is another one than before. */
export function sponsorAfter(
  rotation: Rotation,
  sponsor: SponsorStatus | undefined,
): SponsorStatus | undefined {
  const { address, source } = rotation[servingSide(rotation)]
  if (address === undefined || sponsor?.address === address)
    return sponsor && { ...sponsor, source }
  return { address, source }
}
