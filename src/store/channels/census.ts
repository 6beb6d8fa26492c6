import type { Kysely } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { ChannelState, Database } from '../schema.ts'
import { leasedOn } from './channel.ts'

/** A sponsor's channels, counted. */
export interface ChannelCensus extends Readonly<Record<ChannelState, number>> {
  /** Active ones whose next use begins with a question to the ledger. */
  readonly sequenceUnknown: number
  /** Channels of the network in use, whoever's they are. */
  readonly leased: number
}

export async function census(
  db: Kysely<Database>,
  network: NetworkId,
  sponsor: string,
): Promise<ChannelCensus> {
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
    leased: await leasedOn(db, network),
  }
}
