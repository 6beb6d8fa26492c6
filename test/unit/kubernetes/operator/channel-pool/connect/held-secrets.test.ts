import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import {
  type ConnectDeps,
  createConnect,
} from '../../../../../../src/kubernetes/operator/channel-pool/connect/connect.ts'
import { OpenSigners } from '../../../../../../src/kubernetes/operator/channel-pool/connect/open-signers.ts'
import { SignerFiles } from '../../../../../../src/kubernetes/operator/channel-pool/connect/signer-files.ts'
import { systemClock } from '../../../../../../src/platform/core/time/clock.ts'
import { secretOfSeed } from '../../../../../../src/stellar/accounts/signer.ts'

const { signal } = new AbortController()
const database = { secretRef: { name: 'database', key: 'url' } }

let secrets: Map<string, string>
let opened: string[]
beforeEach(() => {
  secrets = new Map([['database/url', 'postgres://database.example/x402']])
  for (const key of ['a', 'b', 'c']) secrets.set(`sponsors/${key}`, secretOfSeed(randomBytes(32)))
  opened = []
})

const connector = () =>
  createConnect({
    secrets: {
      read: async (of: { name: string; key: string }) => secrets.get(`${of.name}/${of.key}`),
    },
    signerFiles: new SignerFiles(),
    signers: new OpenSigners(systemClock),
    stores: {
      acquire: async (_user: unknown, key: string) => {
        opened.push(key)
        throw new Error('opened')
      },
    },
  } as unknown as ConnectDeps)

const source = (key: string) => ({ secretRef: { name: 'sponsors', key } })

const publicRpc: object = { urls: ['https://rpc.example'], allowHttp: false }

const pool = (
  key: string,
  { caSecretRef = {}, isDeleted = false, status = {}, rpc = publicRpc } = {},
) =>
  ({
    metadata: {
      name: 'testnet',
      namespace: 'shop',
      uid: 'pool',
      ...(isDeleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: {
      network: 'stellar:testnet',
      sponsor: source(key),
      database: { ...database, ...caSecretRef },
      rpc,
    },
    status,
  }) as unknown as ChannelPool

test('a pool that names one sponsor after another is remembered with those it names now alone', async () => {
  const { connect } = connector()
  for (const key of ['a', 'b', 'c'])
    await expect(connect(pool(key), signal)).rejects.toThrow('opened')
  secrets.clear()
  await expect(connect(pool('c', { isDeleted: true }), signal)).rejects.toThrow('opened')
  await expect(connect(pool('a', { isDeleted: true }), signal)).rejects.toMatchObject({
    reason: 'SponsorSecretMissing',
  })
})

test('both sponsors of a rotation are remembered', async () => {
  const { connect } = connector()
  const status = {
    sponsor: { source: source('a') },
    rotation: { from: { source: source('a') }, to: { source: source('b') } },
  }
  for (const key of ['a', 'b']) {
    await expect(connect(pool('c', { status }), signal, source(key))).rejects.toThrow('opened')
  }
  secrets.clear()
  for (const key of ['a', 'b']) {
    const deleted = pool('c', { status, isDeleted: true })
    await expect(connect(deleted, signal, source(key))).rejects.toThrow('opened')
  }
})

test.each([
  ['database/url', `postgres://database.example/${'x'.repeat(5_000)}`],
  ['database/ca', 'x'.repeat(70_000)],
])('a pool is not connected with a %s that is too long to be one', async (id, value) => {
  secrets.set('database/ca', 'PEM')
  secrets.set(id, value)
  const caSecretRef = { caSecretRef: { name: 'database', key: 'ca' } }
  const refusal = await connector()
    .connect(pool('a', { caSecretRef }), signal)
    .catch((error: unknown) => error)
  expect(refusal).toMatchObject({ reason: 'DatabaseSecretInvalid' })
  expect(String(refusal)).not.toContain('xxx')
  expect(opened).toEqual([])
})

test('N4: a pool that is deleted after the Secret of its endpoints is cleaned up with those of the last pass', async () => {
  const { connect } = connector()
  const rpc = { secretRef: { name: 'rpc', key: 'urls' }, allowHttp: false }
  secrets.set('rpc/urls', 'https://rpc.example/v1/key')
  await expect(connect(pool('a', { rpc }), signal)).rejects.toThrow('opened')
  secrets.delete('rpc/urls')
  await expect(connect(pool('a', { rpc }), signal)).rejects.toMatchObject({
    reason: 'RpcSecretMissing',
    message: 'There is no Secret rpc, key urls, with the URLs of the RPC endpoints: create it.',
  })
  await expect(connect(pool('a', { rpc, isDeleted: true }), signal)).rejects.toThrow('opened')
})
