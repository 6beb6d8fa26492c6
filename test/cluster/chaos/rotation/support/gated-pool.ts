import { TransactionBuilder } from '@stellar/stellar-sdk'
import type { Json } from '../../../../support/api/manifests.ts'
import { type PostgresGate, startPostgresGate } from '../../../../support/postgres-gate.ts'
import { type RpcProxy, startRpcProxy } from '../../../../support/rpc-proxy.ts'
import { WriteGate } from '../../../../support/write-gate.ts'
import type { PoolWorld } from '../../../kubernetes/operator/channel-pool/pool-world.ts'
import {
  addSponsor,
  type TestSponsor,
} from '../../../kubernetes/operator/channel-pool/rotation/rotation-world.ts'
import type { ApiCall } from '../../../support/api-call.ts'
import type { ApiProxy } from '../../../support/api-proxy.ts'

/** A ChannelPool whose operator writes through one gate: to the API server, to the ledger and to the store. */
export interface GatedPool extends AsyncDisposable {
  readonly name: string
  readonly gate: WriteGate
  readonly rpc: RpcProxy
  readonly store: PostgresGate
  readonly old: TestSponsor
  readonly next: TestSponsor
  /** For a change of mind; without a use otherwise. */
  readonly third: TestSponsor
}

const SPONSOR_LUMENS = 100n

/** @param proxy in front of the API server that the operator uses */
export async function openGatedPool(
  world: PoolWorld,
  proxy: ApiProxy,
  name: string,
  spec: Json = {},
): Promise<GatedPool> {
  await using opened = new AsyncDisposableStack()
  const gate = new WriteGate()
  const old = await addSponsor(world, `${name}-old`, SPONSOR_LUMENS)
  const next = await addSponsor(world, `${name}-next`, SPONSOR_LUMENS)
  const third = await addSponsor(world, `${name}-third`, SPONSOR_LUMENS)
  const rpc = opened.use(await startRpcProxy())
  rpc.forwardTo(world.localnet.httpUrl)
  rpc.fail('sendTransaction', {
    kind: 'gate',
    pass: (params, forward) =>
      gate.pass(`ledger: ${operationsOf(String(params['transaction']), world)}`, forward),
  })
  const store = opened.use(
    await startPostgresGate(world.databaseUrl, {
      pass: (what, execute) => gate.pass(`store: ${what}`, execute),
    }),
  )
  await world.secret(`${name}-database`, { url: store.url })
  proxy.fail(
    {
      kind: 'gate',
      pass: (call, body, forward) => gate.pass(`api: ${callOf(call, body)}`, forward),
    },
    {
      verbs: ['create', 'update', 'patch', 'delete'],
      names: [name, `${name}-facilitator`, old.name, next.name],
    },
  )
  await world.apply(
    {
      channels: 2,
      sponsor: { secretRef: { name: old.name } },
      database: { secretRef: { name: `${name}-database` }, poolSize: 2 },
      rpc: { urls: [rpc.url] },
      ...spec,
    },
    name,
  )
  const resources = opened.move()
  return {
    name,
    gate,
    rpc,
    store,
    old,
    next,
    third,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** `createAccount 2, setOptions 1`: without the operations that only say who pays a reserve. */
function operationsOf(envelope: string, { localnet }: PoolWorld): string {
  const parsed = TransactionBuilder.fromXDR(envelope, localnet.network.passphrase)
  const { operations } = 'innerTransaction' in parsed ? parsed.innerTransaction : parsed
  const counts = new Map<string, number>()
  for (const { type } of operations) {
    if (!type.includes('Sponsoring')) counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return [...counts].map(([type, count]) => `${type} ${count}`).join(', ')
}

/** `channelpools/status Moving`, `secrets hold`, `secrets free`. */
function callOf({ resource, subresource }: ApiCall, body: string): string {
  const { status, metadata } = Object(JSON.parse(body))
  if (subresource === 'status') {
    const { phase = '', aborting = false } = status?.rotation ?? {}
    return `${resource}/status ${phase}${aborting ? ' back' : ''}`
  }
  if (resource !== 'secrets' && resource !== 'channelpools') return resource
  return `${resource} ${metadata?.finalizers?.length > 0 ? 'hold' : 'free'}`
}
