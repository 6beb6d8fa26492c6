import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChannelPool, channelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import {
  type ConnectDeps,
  createConnect,
} from '../../../../../src/kubernetes/operator/channel-pool/connect/connect.ts'
import { OpenSigners } from '../../../../../src/kubernetes/operator/channel-pool/connect/open-signers.ts'
import { SignerFiles } from '../../../../../src/kubernetes/operator/channel-pool/connect/signer-files.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { secretOfSeed, signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import { poolManifest } from '../../../../support/api/manifests.ts'
import { openEmptyStore } from '../../../platform/database/open-stores.ts'

const seed = randomBytes(32)
const URL_KEY = 'x402-database'
const { signal } = new AbortController()

let store: Store
let secrets: Map<string, string>
beforeAll(async () => {
  store = await openEmptyStore()
})
afterAll(() => store.close())
beforeEach(() => {
  secrets = new Map([
    ['testnet-sponsor', secretOfSeed(seed)],
    [URL_KEY, 'postgres://database.example/x402'],
  ])
})

const connector = () =>
  createConnect({
    secrets: { read: async ({ name }: { name: string }) => secrets.get(name) },
    signerFiles: new SignerFiles(),
    signers: new OpenSigners(systemClock),
    stores: { acquire: async () => store },
    networks: { acquire: async () => ({ rpc: {} }) },
    leadership: { fence: { name: 'x402/operator', epoch: 1n } },
  } as unknown as ConnectDeps)

const pool = (isDeleted = false) => {
  const manifest = poolManifest({}, { name: 'testnet' })
  const metadata = { ...Object(manifest).metadata, namespace: 'shop', uid: 'pool' }
  const deletion = isDeleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}
  const stored = {
    ...manifest,
    ...channelPool.parse(manifest),
    metadata: { ...metadata, ...deletion },
  }
  return stored as unknown as ChannelPool
}
const missing = { reason: 'SponsorSecretMissing' }

test('a pool that is deleted after its Secrets is connected with those of its last pass', async () => {
  const { connect } = connector()
  await connect(pool(), signal)
  secrets.clear()
  const { sponsor } = await connect(pool(true), signal)
  expect(sponsor).toBe(signerFromSeed(seed).address)
})

test('a pool that stays is not served with a Secret that was deleted', async () => {
  const { connect } = connector()
  await connect(pool(), signal)
  secrets.clear()
  await expect(connect(pool(), signal)).rejects.toMatchObject(missing)
})

test('a changed seed replaces the remembered one, and a pool that is gone leaves none', async () => {
  const { connect, forgetSecrets } = connector()
  await connect(pool(), signal)
  const next = randomBytes(32)
  secrets.set('testnet-sponsor', secretOfSeed(next))
  await connect(pool(), signal)
  secrets.clear()
  expect(await connect(pool(true), signal)).toMatchObject({ sponsor: signerFromSeed(next).address })
  await forgetSecrets('pool')
  await expect(connect(pool(true), signal)).rejects.toMatchObject(missing)
})

test.each(['pass#word', 'pass/word?'])(
  'a password as in %s is refused with how to write it, and not quoted',
  async (password) => {
    const { connect } = connector()
    secrets.set(URL_KEY, `postgres://svc:${password}@database.example:5432/x402`)
    const refusal = await connect(pool(), signal).catch((error: unknown) => error)
    expect(refusal).toMatchObject({
      reason: 'DatabaseSecretInvalid',
      message: expect.stringMatching(
        /Secret x402-database, key url .* as %40 %3A %2F %3F %23 %25\.$/,
      ),
    })
    expect(String(refusal)).not.toContain(password)
  },
)
