/** The seed of the old sponsor is known to others: what the deletion of the pool frees must not come to it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { finalizer } from '../../../../../src/kubernetes/crd/names/marks.ts'
import { rpcClient } from '../../../../../src/stellar/rpc/rpc-client.ts'
import { openReconciledPools, type ReconciledPools } from './reconciled-pools.ts'

let world: ReconciledPools
beforeAll(async () => {
  world = await openReconciledPools()
})
afterAll(() => world[Symbol.asyncDispose]())

test('a pool that is deleted during an emergency merges its channels into the new sponsor', async () => {
  await world.database('database')
  const leaked = await world.sponsor('sponsor')
  const next = await world.sponsor('next', 20n)
  const operator = world.operator()
  operator.put({ deletionPolicy: 'Retire' })
  const pool = await operator.settle()

  const at = new Date().toISOString()
  const rotation = {
    phase: 'Provisioning',
    mode: 'Emergency',
    step: 1,
    aborting: false,
    serving: 'From',
    holdsSecrets: false,
    from: { address: leaked, source: { secretRef: { name: 'sponsor', key: 'seed' } } },
    to: { address: next, source: { secretRef: { name: 'next', key: 'seed' } } },
    channelsMoved: '0/2',
    startedAt: at,
    since: at,
    message: '',
    blocked: false,
  }
  const metadata = { ...pool.metadata, deletionTimestamp: at, finalizers: [finalizer] }
  operator.change('testnet', { metadata, status: { ...pool.status, rotation } } as never)
  const isHeld = () => operator.pools.get('testnet')?.metadata.finalizers?.includes(finalizer)
  for (let pass = 0; pass < 40 && isHeld(); pass++) await operator.pass()
  expect(isHeld(), JSON.stringify(operator.pools.get('testnet')?.status)).toBe(false)

  const rpc = rpcClient({ url: world.localnet.httpUrl, allowHttp: true })
  const accounts = await rpc.accounts([leaked, next])
  const lumensOf = (address: string) => Number(accounts.get(address)?.balance ?? 0n) / 1e7
  expect(accounts.get(leaked)?.sponsoring).toBe(0)
  expect(lumensOf(next)).toBeGreaterThan(200)
  expect(lumensOf(leaked)).toBeLessThan(10)
})
