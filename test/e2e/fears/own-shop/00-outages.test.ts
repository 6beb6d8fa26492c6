import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, inject, test } from 'vitest'
import { expectNothingLost, type LoadRow, underLoad } from '../../support/load.ts'
import { type OwnShop, openOwnShop } from '../../support/own-shop.ts'
import { type Infra, ledger, postgres } from '../../support/world-places.ts'
import { firstPod, signalPod } from '../shop.ts'

/** What an outage lasts: longer than a ledger and a statement, shorter than a signature is valid. */
const FROZEN_MS = 10_000
/** Payments of an outage of the RPC are signed before it. */
const SIGNED_AHEAD_MS = 15_000
/** No other shop uses it. */
const infra: Infra = {
  namespace: 'outages-infra',
  ledgerAddress: '10.96.0.81',
  postgresAddress: '10.96.0.55',
}
let world: OwnShop

beforeAll(async () => {
  world = await openOwnShop(inject('world'), 'outages', infra)
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('Postgres restarts: nothing is lost', async () => {
  expectNothingLost(await underLoad(world, 'Postgres restarted', () => replaced(postgres.name)))
})

test('Postgres is frozen: nothing is lost', async () => {
  expectNothingLost(await underLoad(world, 'Postgres frozen', () => frozen(postgres.name)))
})

test('Stellar RPC is frozen: nothing is lost', async () => {
  expectNothingLost(await withoutRpc('Stellar RPC frozen', () => frozen(ledger.name)))
})

test('Stellar RPC restarts: nothing is lost', async () => {
  expectNothingLost(await withoutRpc('Stellar RPC restarted', () => replaced(ledger.name)))
})

const withoutRpc = (fear: string, act: () => Promise<string>): Promise<LoadRow> =>
  underLoad(world, fear, act, { signedAheadMs: SIGNED_AHEAD_MS })

async function replaced(name: string): Promise<string> {
  const { metadata } = await firstPod(world, infra.namespace, `app=${name}`)
  await world.cluster.kubectl([
    '-n',
    infra.namespace,
    'delete',
    'pod',
    metadata.name,
    '--wait=true',
  ])
  await world.ready()
  return 'its pod deleted; the Deployment starts another one'
}

async function frozen(name: string): Promise<string> {
  const pod = await firstPod(world, infra.namespace, `app=${name}`)
  await signalPod(pod, 'SIGSTOP')
  try {
    // The length of the outage is what the test is about.
    await sleep(FROZEN_MS)
  } finally {
    await signalPod(pod, 'SIGCONT')
  }
  await world.ready()
  return `SIGSTOP to its processes for ${FROZEN_MS / 1_000} s`
}
