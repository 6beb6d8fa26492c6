import { Operation } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { channelSeed } from '../../../../../src/payments/channels/derive.ts'
import { readStoreId } from '../../../../../src/platform/database/identity.ts'
import {
  secretOfSeed,
  seedOfSecret,
  signerFromSecret,
} from '../../../../../src/stellar/accounts/signer.ts'
import { submitAs } from '../../../../support/submit-as.ts'
import { channelsOnLedger, network, type Sponsor, storedStates } from '../../admin-world.ts'
import { runHere } from '../../run-here.ts'
import { openRotateWorld, type RotatedPair, type RotateWorld } from './rotate-world.ts'

let world: RotateWorld
beforeAll(async () => {
  world = await openRotateWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** It refuses with this problem alone, and both sponsors are as before. */
async function expectRefused(pair: RotatedPair, secret: string, problem: string): Promise<void> {
  const look = async () => ({
    stroops: pair.stroops,
    sent: pair.sent.length,
    channels: channelsOnLedger(world.admin, pair.old, 3),
    states: [
      await storedStates(world.admin, pair.old),
      await storedStates(world.admin, pair.young),
    ],
  })
  const before = await look()
  const args = ['rotate', '--network', network, '--to', world.seedFile({ secret })]
  expect(await runHere(pair.env(), ...args)).toEqual({
    code: 1,
    lines: [{ network, ok: false, problems: [problem] }],
    out: expect.any(String),
    err: `svc rotate: ${network}: ${problem}\n`,
  })
  expect(await look()).toEqual(before)
}

test('refuses a new sponsor that is a channel of the old one', { timeout: 240_000 }, async () => {
  const pair = await world.pair('planned')
  const secret = secretOfSeed(channelSeed(seedOfSecret(pair.old.secret), network, 0))
  const { address } = signerFromSecret(secret)
  await expectRefused(
    pair,
    secret,
    `the new sponsor ${address} is a channel in this database: make a new key pair for the sponsor`,
  )
})

test.each(['old', 'young'] as const)(
  'refuses when another store manages the channels of the %s sponsor',
  { timeout: 240_000 },
  async (which) => {
    const pair = await world.pair('planned')
    const marked: Sponsor = pair[which]
    const entry = { name: 'x402.svc.dev/store', value: 'another-store' }
    await submitAs(world.admin.ledgers, marked.secret, Operation.manageData(entry))
    const own = await readStoreId(world.admin.store.db)
    await expectRefused(
      pair,
      pair.young.secret,
      `the ledger says that store another-store manages the channels of sponsor ${marked.address}, and this database is store ${own}: ` +
        'set DATABASE_URL to the database of that store, or take another sponsor',
    )
  },
)
