import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { ChannelState, Db } from '../../../platform/database/schema.ts'
import { isLeased } from './channel.ts'

export interface ChannelUse {
  /** Channels that can be leased, now or once they are free. */
  readonly active: number
  readonly inUse: number
}

/** A sponsor's channels, counted by state. */
export interface ChannelCounts extends Readonly<Record<ChannelState, number>> {
  /** Active channels whose next use first reads the sequence number from the ledger. */
  readonly sequenceUnknown: number
  /** Leased channels of the network, of all sponsors. */
  readonly leased: number
}

export async function countChannels(
  db: Db,
  network: NetworkId,
  sponsor: string,
): Promise<ChannelCounts> {
  const counts = await db
    .selectFrom('channels')
    .select((eb) => {
      const inState = (state: ChannelState) =>
        eb.fn.countAll<bigint>().filterWhere('state', '=', state)
      return [
        inState('active').as('active'),
        inState('draining').as('draining'),
        inState('retired').as('retired'),
        inState('quarantined').as('quarantined'),
        inState('active').filterWhere('sequence', 'is', null).as('unknown'),
      ]
    })
    .where('network', '=', network)
    .where('sponsor', '=', sponsor)
    .executeTakeFirstOrThrow()
  return {
    active: Number(counts.active),
    draining: Number(counts.draining),
    retired: Number(counts.retired),
    quarantined: Number(counts.quarantined),
    sequenceUnknown: Number(counts.unknown),
    leased: await countLeased(db, network),
  }
}

/** How many of a sponsor's channels are active, and how many are leased. */
export async function countChannelUse(
  db: Db,
  network: NetworkId,
  sponsor: string,
): Promise<ChannelUse> {
  const counts = await db
    .selectFrom('channels')
    .select((eb) => [
      eb.fn.countAll<bigint>().filterWhere('state', '=', 'active').as('active'),
      eb.fn.countAll<bigint>().filterWhere(isLeased).as('in_use'),
    ])
    .where('network', '=', network)
    .where('sponsor', '=', sponsor)
    .executeTakeFirstOrThrow()
  return { active: Number(counts.active), inUse: Number(counts.in_use) }
}

/** Leased channels of the network, of all sponsors. */
export async function countLeased(db: Db, network: NetworkId): Promise<number> {
  const { leased } = await db
    .selectFrom('channels')
    .select((eb) => eb.fn.countAll<bigint>().as('leased'))
    .where('network', '=', network)
    .where(isLeased)
    .executeTakeFirstOrThrow()
  return Number(leased)
}
