import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import {
  type ConnectDeps,
  createConnect,
} from '../../../../../../src/kubernetes/operator/channel-pool/connect/connect.ts'
import { OpenSigners } from '../../../../../../src/kubernetes/operator/channel-pool/connect/open-signers.ts'
import { SignerFiles } from '../../../../../../src/kubernetes/operator/channel-pool/connect/signer-files.ts'
import { SharedResources } from '../../../../../../src/kubernetes/operator/store-access/shared-resources.ts'
import { systemClock } from '../../../../../../src/platform/core/time/clock.ts'
import { secretOfSeed } from '../../../../../../src/stellar/accounts/signer.ts'

const { signal } = new AbortController()
const values: Readonly<Record<string, string>> = {
  database: 'postgres://database.example/x402',
  sponsor: secretOfSeed(randomBytes(32)),
}

const poolIn = (namespace: string, uid: string) =>
  ({
    metadata: { name: 'testnet', namespace, uid },
    spec: {
      network: 'stellar:testnet',
      sponsor: { secretRef: { name: 'sponsor', key: 'secret' } },
      database: { secretRef: { name: 'database', key: 'url' } },
      rpc: { urls: ['https://rpc.example'], allowHttp: false },
    },
  }) as unknown as ChannelPool

test('tenants with the same database and endpoints share no connection and wake none of the other, unless its sponsor is free', async () => {
  const opened: string[] = []
  const stores = new SharedResources(async (key) => {
    opened.push(key)
    // The pass ends at its first query.
    return { db: undefined, [Symbol.asyncDispose]: async () => undefined }
  })
  const read = async ({ name }: { readonly name: string }) => values[name]
  const deps = {
    secrets: { read },
    stores,
    signerFiles: new SignerFiles(),
    signers: new OpenSigners(systemClock),
  } as unknown as ConnectDeps
  const { connect, dependenciesOf } = createConnect(deps)
  for (const [namespace, uid] of [
    ['one', 'a'],
    ['two', 'b'],
    ['two', 'c'],
  ] as const) {
    await connect(poolIn(namespace, uid), signal).catch(() => undefined)
  }
  expect(opened).toHaveLength(2)
  const [a, b, c] = ['a', 'b', 'c'].map(dependenciesOf)
  expect(b).toEqual(c)
  expect(a?.rpc).not.toBe(b?.rpc)
  expect(a?.store).not.toBe(b?.store)
  expect(a?.sponsor).toBe(b?.sponsor)
})
