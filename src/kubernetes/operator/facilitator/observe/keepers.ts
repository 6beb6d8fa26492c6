import { type KeeperState, readKeeperState } from '../../../../payments/store/upto/keeper-state.ts'
import { isPostgresUrl, urlOfOthers } from '../../../../platform/core/postgres-url.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../../../platform/core/time/time-limit.ts'
import type { Store } from '../../../../platform/database/open.ts'
import type { Logger } from '../../../../platform/telemetry/logs/logger.ts'
import type { FacilitatorStatus } from '../../../crd/facilitator/status.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { MAX_MESSAGE_LENGTH } from '../../../crd/fields/conditions.ts'
import { type FieldNames, inFields } from '../../reporting/in-fields.ts'
import type { SharedResources } from '../../store-access/shared-resources.ts'
import { MAX_CA_LENGTH, MAX_URL_LENGTH, storeKey } from '../../store-access/store-key.ts'
import { fieldNames } from '../spec/field-names.ts'
import { databaseFile, secretId } from '../spec/secret-files.ts'
import type { ObservedFacilitator } from './observe.ts'

/** What the status says of one settlement contract. */
export type KeeperStatus = NonNullable<NonNullable<FacilitatorStatus['networks']>[number]['upto']>

/** The status of each settlement contract of the spec that a keeper or a command has worked on, by ChannelPool. */
export type Keepers = ReadonlyMap<string, KeeperStatus>

export interface KeeperDeps {
  /** Open stores by `storeKey`. */
  readonly stores: SharedResources<Store>
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}

/** A database that does not answer must not hold up the pass, which can do everything else without it. */
const READ_LIMIT_MS = 3_000

/** The last status of each settlement contract that the spec still names. */
export function lastKnownKeepers({ spec, status }: Facilitator): Keepers {
  const known = (status?.networks ?? []).flatMap(({ channelPool, upto }) => {
    const named = spec.networks.find((network) => network.channelPool === channelPool)?.upto
    return upto && upto.contract === named?.contract ? [[channelPool, upto] as const] : []
  })
  return new Map(known)
}

/**
 * Reads from the migrated database what the keepers of the facilitator pods last did. Returns what is known
 * already when it does not answer: the pools report that.
 */
export async function readKeepers(
  { facilitator, pools, secrets }: ObservedFacilitator,
  { stores, clock, logger }: KeeperDeps,
  signal: AbortSignal,
): Promise<Keepers> {
  const { uid } = facilitator.metadata
  const names = fieldNames(facilitator, pools)
  const contracts = facilitator.spec.networks.flatMap(({ channelPool, upto }) => {
    const network = pools.get(channelPool)?.spec.network
    return upto && network ? [{ channelPool, network, contract: upto.contract }] : []
  })
  const { caSecretRef } = facilitator.spec.database
  const hasCa = caSecretRef !== undefined
  const url = urlFor(secrets.get(secretId(databaseFile(facilitator).ref)), hasCa)
  const ca = caSecretRef && secrets.get(secretId(caSecretRef))
  if (contracts.length === 0 || url === undefined || (ca ?? '').length > MAX_CA_LENGTH) {
    await stores.release(uid)
    return new Map()
  }
  const read = async (): Promise<Keepers> => {
    const { db } = await stores.acquire(uid, storeKey({ url, ca }))
    const found = await Promise.all(
      contracts.map(async ({ channelPool, network, contract }) => {
        const state = await readKeeperState(db, network, contract)
        return state ? [[channelPool, statusOf(state, names)] as const] : []
      }),
    )
    return new Map(found.flat())
  }
  try {
    return await withTimeLimit({ clock, ms: READ_LIMIT_MS, signal }, read)
  } catch (error) {
    if (signal.aborted) throw error
    logger.warn(
      { err: error, facilitator: facilitator.metadata.name },
      'Could not read what the keepers of settlement contracts did',
    )
    return lastKnownKeepers(facilitator)
  }
}

/** The URL if the operator can use it: pods may read files that the operator does not. */
function urlFor(text: string | undefined, hasCa: boolean): string | undefined {
  const isUrl = text !== undefined && text.length <= MAX_URL_LENGTH && isPostgresUrl(text)
  const allowed = isUrl && urlOfOthers(text, { hasCa })
  return allowed && 'url' in allowed ? allowed.url : undefined
}

const actions = { extend: 'Extend', restore: 'Restore' } as const

const statusOf = (
  { contract, lastAction, error }: KeeperState,
  names: FieldNames,
): KeeperStatus => ({
  contract,
  ...(lastAction && {
    lastAction: actions[lastAction.action],
    transaction: lastAction.transaction,
    actedAt: lastAction.at.toISOString(),
  }),
  ...(error !== undefined && { error: inFields(error, names).slice(0, MAX_MESSAGE_LENGTH) }),
})
