import { randomBytes } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import { authoritySigner, channelSigner } from '../../../../../../src/payments/channels/derive.ts'
import { secretOfSeed, signerFromSeed } from '../../../../../../src/stellar/accounts/signer.ts'
import type { Json } from '../../../../../support/api/manifests.ts'
import { LUMEN, type PoolWorld } from '../pool-world.ts'

/* Sponsors, their Secrets and what the ledger has of them, for tests of rotations. */

const network = 'stellar:testnet'
/** More than any test has. */
const INDICES = 50
/** Of a pass that waits for heartbeats, merges and sweeps one after the other on a busy machine. */
export const rotationPatience = { timeout: 240_000, interval: 50 }

export interface TestSponsor {
  readonly address: string
  readonly secret: string
  /** Name of its Secret. */
  readonly name: string
}

/** A sponsor with a Secret of this name; without lumens its account does not exist. */
export async function addSponsor(
  world: PoolWorld,
  name: string,
  lumens: bigint,
): Promise<TestSponsor> {
  const seed = randomBytes(32)
  const sponsor = { address: signerFromSeed(seed).address, secret: secretOfSeed(seed), name }
  if (lumens > 0n) await fund(world, sponsor.address, lumens)
  await world.secret(name, { secret: sponsor.secret })
  return sponsor
}

export const fund = (world: PoolWorld, address: string, lumens: bigint): Promise<unknown> =>
  world.localnet.pay({ address, asset: 'XLM', amount: lumens * LUMEN })

export const nameSponsor = (world: PoolWorld, name: string, more: Json = {}): Promise<void> =>
  world.patch({ spec: { sponsor: { secretRef: { name } }, ...more } })

/** Accounts of a sponsor on the ledger: channels by index, its authority, and itself with its balance. */
export async function onLedgerOf({ rpc }: PoolWorld, { address, secret }: TestSponsor) {
  const channels = Array.from({ length: INDICES }, (_, index) =>
    channelSigner(secret, network, index),
  )
  const authority = authoritySigner(secret, network).address
  const found = await rpc.accounts([address, authority, ...channels.map((each) => each.address)])
  return {
    channels: channels.flatMap((each, index) => (found.has(each.address) ? [index] : [])),
    authority: found.has(authority),
    balance: found.get(address)?.balance,
    sponsoring: found.get(address)?.sponsoring,
  }
}

/** Stroops of all these accounts, and of the fees that the network has ever taken: only who pays in or out changes the sum. */
export async function stroopsOf(
  world: PoolWorld,
  sponsors: readonly Pick<TestSponsor, 'address'>[],
): Promise<bigint> {
  const accounts = await world.rpc.accounts(sponsors.map(({ address }) => address))
  const balances = [...accounts.values()].reduce((sum, { balance }) => sum + balance, 0n)
  const { headerXdr } = world.localnet.network.latest
  return balances + xdr.LedgerHeaderHistoryEntry.fromXdr(headerXdr).header.feePool
}

export const firstSponsor = ({ sponsor }: PoolWorld): TestSponsor => ({
  ...sponsor,
  name: 'testnet-sponsor',
})

/** The pool in this phase, for `world.until`. */
export const inPhase =
  (phase: string) =>
  (pool: ChannelPool | undefined): void => {
    expect(pool?.status?.rotation).toMatchObject({ phase })
  }

export const hasEnded =
  (phase: 'Done' | 'Aborted') =>
  (pool: ChannelPool | undefined): void => {
    expect(pool?.status?.rotation).toMatchObject({ phase, holdsSecrets: false })
  }

export const isBlockedBy =
  (message: RegExp | string) =>
  (pool: ChannelPool | undefined): void => {
    expect(pool?.status?.rotation).toMatchObject({
      blocked: true,
      message: expect.stringMatching(message),
    })
  }

export async function secretMeta({ cluster, namespace }: PoolWorld, name: string) {
  const { status, body } = await cluster.request(
    'GET',
    `/api/v1/namespaces/${namespace}/secrets/${name}`,
  )
  if (status !== 200) return undefined
  return Object(body).metadata as {
    readonly finalizers?: readonly string[]
    readonly deletionTimestamp?: string
  }
}

interface RotationEvent {
  readonly action?: string
  readonly reason?: string
  readonly note?: string
  readonly eventTime?: string
}

/** Notes of the events of a pool with the action Rotate, in the order of their first time. */
export const rotationNotes = (world: PoolWorld): Promise<readonly string[]> =>
  notesOf(world, () => true)

/** Those with this reason. */
export const rotationEvents = (world: PoolWorld, reason: string): Promise<readonly string[]> =>
  notesOf(world, (event) => event.reason === reason)

async function notesOf(
  { cluster, namespace }: PoolWorld,
  isMeant: (event: RotationEvent) => boolean,
): Promise<readonly string[]> {
  const { body } = await cluster.request(
    'GET',
    `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
  )
  const items = Object(body).items as RotationEvent[]
  return items
    .filter((event) => event.action === 'Rotate' && isMeant(event))
    .toSorted((one, other) => ((one.eventTime ?? '') < (other.eventTime ?? '') ? -1 : 1))
    .map(({ note = '' }) => note)
}

/** A replica that serves the sponsor for an hour, as the heartbeats in the store say. */
export const serve = ({ store }: PoolWorld, sponsor: string): Promise<unknown> =>
  sql`insert into replica_heartbeats (network, sponsor, replica, seen_at)
    values (${network}, ${sponsor}, 'pod-1/1', now() + interval '1 hour')`.execute(store.db)

export const stopServing = ({ store }: PoolWorld): Promise<unknown> =>
  store.db.deleteFrom('replica_heartbeats').where('replica', '=', 'pod-1/1').execute()
