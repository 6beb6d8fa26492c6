import { createHash } from 'node:crypto'
import { StrKey } from '@stellar/stellar-sdk'

const SELLERS_A_MILLION = 2_000
const BUYERS_A_MILLION = 50_000

/** Facilitators; null stands for nobody known. */
export const facilitators = ['own', 'first', 'second', 'third', null] as const
/** Accounts that submit for each facilitator. */
export const CHANNELS = 10

/** Addresses by rank, from 0 on: the first has most payments. They are made when they are asked for. */
export interface Population {
  readonly payments: number
  readonly sellers: number
  readonly buyers: number
  seller(rank: number): string
  buyer(rank: number): string
  asset(place: number): string
  channel(place: number): string
  sponsor(place: number): string
}

/** The participants in this number of payments, proportional to it. */
export const populationOf = (payments: number): Population => ({
  payments,
  sellers: Math.ceil((payments * SELLERS_A_MILLION) / 1e6),
  buyers: Math.ceil((payments * BUYERS_A_MILLION) / 1e6),
  seller: (rank) => account(`seller ${rank}`),
  buyer: (rank) => account(`buyer ${rank}`),
  asset: (place) => StrKey.encodeContract(hash(`asset ${place}`)),
  channel: (place) => account(`channel ${place}`),
  sponsor: (place) => account(`sponsor ${place}`),
})

const hash = (name: string) => createHash('sha256').update(name).digest()
const account = (name: string) => StrKey.encodeEd25519PublicKey(hash(name))
