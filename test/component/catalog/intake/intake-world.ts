import { expect, vi } from 'vitest'
import { type IntakeOptions, startIntake } from '../../../../src/catalog/intake/start-intake.ts'
import type { RawDeclaration } from '../../../../src/catalog/listing.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import {
  patientValidator,
  rawDeclaration,
  requirements,
  SELLER,
  USDC,
} from '../../../support/catalog/declarations.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { sha256 } from '../../payments/store/builders.ts'

export const network = 'stellar:testnet'
export const patience = { timeout: 120_000, interval: 10 }

/** Accounts with a checksum; nobody holds their keys. */
export const BUYER = 'GDFJPAISZIN33SX2YIY3HGRD3RG2PBXP7AKHYTTSXGAHPBNP5ZELXIPR'
export const otherPayees = [
  'GA7CH2AWAA4VSSRTRFHWKZHBWE2IXPL2ACENILCKZNZ65LWVTQAJ3GCF',
  'GAXH2LADVFIHVYTF5T23KNLIQWSTHE5CAKOSIE4UTFZGLINCLLX4NYFB',
  'GAMKYPTTIPYBNCIMKEHJH6JVEYIWTWPD6VSUGZBJQMH26CJU6T4OJEY4',
  'GA7XTO33INNQKMQWKHNO7U3UZXDIDXAG7KTF4N2OHAZXXCGKARW6VCIX',
  'GASS6EGIGYIOXSQ2AWOAXLUCKXV2F6K34TI5PPH2RHLSJCUC3HYRCUNF',
  'GDGQVKMFMFD3NRNU74VX37XF3IQKUOBFGCM66G2KMSWO2IZ4TL7CSFUG',
] as const
export const [OTHER_PAYEE] = otherPayees

export interface Settled {
  readonly payTo?: string
  readonly payer?: string
  readonly network?: 'stellar:testnet' | 'stellar:pubnet'
  readonly transaction?: string
  readonly settledAt?: Date
  /** Of the requirements that were paid. */
  readonly option?: object
  readonly declaration?: Partial<RawDeclaration>
  /** Instead of a declaration. */
  readonly body?: string
}

let settlements = 0n

/** Puts what a settled payment declares into the outbox, as the database does when a settlement succeeds. */
export async function settle({ db }: Pick<Store, 'db'>, settled: Settled = {}): Promise<bigint> {
  settlements += 1n
  const { payTo = SELLER, payer = BUYER, settledAt = new Date(), declaration = {} } = settled
  const option = requirements({ payTo, network: settled.network ?? network, ...settled.option })
  await db
    .insertInto('catalog_outbox')
    .values({
      settlement_id: settlements,
      network: settled.network ?? network,
      payer,
      nonce: settlements.toString(),
      pay_to: payTo,
      scheme: 'exact',
      asset: USDC,
      amount: 100_000n,
      transaction: settled.transaction ?? sha256(`settlement ${settlements}`),
      settled_at: settledAt,
      body: settled.body ?? JSON.stringify(rawDeclaration({ accepts: [option], ...declaration })),
      due_at: new Date(0),
    })
    .execute()
  return settlements
}

/** A check may have become due as the test looked. */
export const isDueNow = (due: Date | null): boolean =>
  due !== null && due.getTime() <= Date.now() + 1_000

export type IntakeOverrides = Partial<IntakeOptions>

export const LIMITLESS = { perOwner: 1_000_000, perPayer: 1_000_000, inTotal: 1_000_000 }

export async function openIntakeWorld() {
  const database = await freshDatabase()
  const store = await openStore({ kind: 'postgres', url: database.url, poolSize: 12 })
  const validator = patientValidator()
  const { db } = store
  const metrics = createMetrics()

  const start = (overrides: IntakeOverrides = {}) =>
    startIntake({
      store,
      clock: systemClock,
      random: () => 0,
      log: createLogger({ level: 'silent' }),
      metrics,
      validator,
      quotas: LIMITLESS,
      writer: 'test',
      isOwnAccount: () => false,
      everyMs: 10,
      onListed: () => undefined,
      ...overrides,
    })
  const isDrained = async () => {
    expect(await db.selectFrom('catalog_outbox').selectAll().execute()).toEqual([])
  }
  /** Runs an intake until the outbox is empty. */
  const drain = async (overrides: IntakeOverrides = {}) => {
    await using _intake = start(overrides)
    await vi.waitFor(isDrained, patience)
  }
  const outcomeOf = (settlementId: bigint) =>
    db
      .selectFrom('catalog_outcomes')
      .selectAll()
      .where('settlement_id', '=', settlementId)
      .executeTakeFirstOrThrow()
  const listings = () => db.selectFrom('listings').selectAll().orderBy('id').execute()
  return {
    url: database.url,
    store,
    db,
    metrics,
    start,
    drain,
    isDrained,
    until: (holds: () => Promise<void>) => vi.waitFor(holds, patience),
    outcomeOf,
    listings,
    /** Settles, and returns the outcome. */
    record: async (settled: Settled = {}, overrides: IntakeOverrides = {}) => {
      const id = await settle(store, settled)
      await drain(overrides)
      return outcomeOf(id)
    },
    /** The one listing there is. */
    listing: async () => {
      const [only, ...others] = await listings()
      if (!only || others.length > 0) throw new Error(`there are ${others.length + 1} listings`)
      return only
    },
    versions: () => db.selectFrom('listing_versions').selectAll().orderBy('version').execute(),
    claims: () => db.selectFrom('listing_claims').selectAll().orderBy('settled_at').execute(),
    /** As a check of its origin leaves a listing. */
    afterCheck: (state: 'published' | 'quarantined') =>
      db
        .updateTable('listings')
        .set({
          state,
          ...(state === 'published' && { first_published_at: new Date() }),
          trust: 'origin_verified',
          check_due_at: null,
          check_requested_at: null,
        })
        .execute(),
    empty: async () => {
      await db.deleteFrom('listings').execute()
      await db.deleteFrom('catalog_outcomes').execute()
      await db.deleteFrom('catalog_new_listings').execute()
      await db.deleteFrom('catalog_outbox').execute()
    },
    [Symbol.asyncDispose]: async () => {
      await validator[Symbol.asyncDispose]()
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

export type IntakeWorld = Awaited<ReturnType<typeof openIntakeWorld>>
