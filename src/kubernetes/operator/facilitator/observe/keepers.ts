import { type KeeperState, readKeeperState } from '../../../../payments/store/upto/keeper-state.ts'
import type { Db } from '../../../../platform/database/schema.ts'
import type { FacilitatorStatus } from '../../../crd/facilitator/status.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { MAX_MESSAGE_LENGTH } from '../../../crd/fields/conditions.ts'
import { type FieldNames, inFields } from '../../reporting/in-fields.ts'
import { fieldNames } from '../spec/field-names.ts'
import type { ObservedFacilitator } from './observe.ts'

/** The members of the status about one settlement contract. */
export type KeeperStatus = NonNullable<NonNullable<FacilitatorStatus['networks']>[number]['upto']>

/** The status of each settlement contract of the spec that a keeper or a command has worked on, by ChannelPool. */
export type Keepers = ReadonlyMap<string, KeeperStatus>

/** The last status of each settlement contract that the spec still names. */
export function lastKnownKeepers({ spec, status }: Facilitator): Keepers {
  const known = (status?.networks ?? []).flatMap(({ channelPool, upto }) => {
    const named = spec.networks.find((network) => network.channelPool === channelPool)?.upto
    return upto && upto.contract === named?.contract ? [[channelPool, upto] as const] : []
  })
  return new Map(known)
}

/** Reads from the migrated database what the keepers of the facilitator pods last did. */
export async function keepersIn(
  db: Db,
  { facilitator, pools }: Pick<ObservedFacilitator, 'facilitator' | 'pools'>,
): Promise<Keepers> {
  const names = fieldNames(facilitator, pools)
  const found = await Promise.all(
    facilitator.spec.networks.map(async ({ channelPool, upto }) => {
      const network = pools.get(channelPool)?.spec.network
      const state = upto && network && (await readKeeperState(db, network, upto.contract))
      return state ? [[channelPool, statusOf(state, names)] as const] : []
    }),
  )
  return new Map(found.flat())
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
