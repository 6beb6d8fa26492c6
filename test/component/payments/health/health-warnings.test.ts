import { Asset, Keypair, Operation, xdr } from '@stellar/stellar-sdk'
import { describe, expect, test, vi } from 'vitest'
import { flagUnresolvable } from '../../../../src/payments/store/settlements/due.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import { contractInstanceKey } from '../../../../src/stellar/contracts/contract-ttl.ts'
import { Deployer } from '../../../support/contracts.ts'
import { archive, rewrite } from '../../../support/ledger-surgery.ts'
import { accountKey } from '../../../support/ledger-view.ts'
import { startRpcProxy } from '../../../support/rpc-proxy.ts'
import { unit } from '../../../support/stack.ts'
import { rowOf, untilSent } from '../store-view.ts'
import { openWorld, type World } from '../world.ts'
import { HurriedClock, healthOf, timings, untilPolled, warningsOf } from './health-world.ts'

const fine = { state: 'healthy', codes: [], messages: [] }
const degraded = (...codes: string[]) => ({ state: 'degraded', codes })
const warned = (...codes: string[]) => ({ state: 'healthy', codes })

async function openWarned(network: Parameters<typeof openWorld>[0] = {}) {
  await using opened = new AsyncDisposableStack()
  const proxy = opened.use(await startRpcProxy())
  const clock = new HurriedClock()
  const options = { timings, clock, rpcThrough: proxy.forwardTo, ...network }
  const world = opened.use(await openWorld(options))
  await untilPolled(world.stack)
  const resources = opened.move()
  return {
    world,
    stack: world.stack,
    proxy,
    clock,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const setBalance = ({ stack }: World, balance: bigint) =>
  rewrite(stack.localnet.network, accountKey(stack.sponsor.address), (data) => {
    if (data.type === 'account') Object.assign(data.account, { balance })
  })

test('rpc_unhealthy: raised by the second poll without an answer, cleared by an answer', async () => {
  await using faulty = await openWarned()
  const { stack, proxy } = faulty
  proxy.fail('*', { kind: 'hang up' })
  expect((await warningsOf(stack)).codes).toEqual([])
  expect(await warningsOf(stack)).toMatchObject(degraded('rpc_unhealthy'))
  const { networks } = await healthOf(stack)
  expect(networks['stellar:testnet']?.rpc).toMatchObject({ ok: false })
  expect(networks['stellar:testnet']?.rpc.transportErrors1h).toBeGreaterThan(1)
  proxy.heal()
  await vi.waitFor(async () => expect(await warningsOf(stack)).toEqual(fine), {
    timeout: 120_000,
    interval: 200,
  })
})

test('ledger_stale: raised when no ledger closes for over a minute, cleared by the next one', async () => {
  await using faulty = await openWarned()
  const { stack, clock } = faulty
  expect(await warningsOf(stack)).toEqual(fine)
  // More than a minute, since ledgers that close at once are stamped ahead of the clock.
  clock.hurry(90_000)
  expect(await warningsOf(stack)).toMatchObject(degraded('ledger_stale'))
  await stack.localnet.closeLedger()
  expect(await warningsOf(stack)).toEqual(fine)
})

describe('sponsor_below_floor', () => {
  test('is raised a stroop below the floor, fails /ready, and is cleared at it', async () => {
    await using faulty = await openWarned()
    const { world, stack } = faulty
    // The stack's three channels and the sponsor itself lock four XLM.
    setBalance(world, 29n * unit - 1n)
    expect(await warningsOf(stack)).toMatchObject(degraded('sponsor_below_floor'))
    const check = stack.facilitator.checks['stellar:testnet:sponsor']
    await expect(check?.(AbortSignal.timeout(1_000))).rejects.toThrow(
      '289999999: the sponsor can spend 24.9 XLM of its 28.9 XLM, less than the required 25 XLM',
    )
    setBalance(world, 29n * unit)
    expect(await warningsOf(stack)).toEqual(fine)
    await expect(check?.(AbortSignal.timeout(1_000))).resolves.toBe('290000000')
  })

  test('is raised when the balance is unknown for over a minute', async () => {
    await using faulty = await openWarned()
    const { stack, proxy, clock } = faulty
    proxy.fail('getLedgerEntries', { kind: 'hang up' })
    expect(await warningsOf(stack)).toEqual(fine)
    clock.hurry(61_000)
    await stack.localnet.closeLedger()
    const { codes, messages } = await warningsOf(stack)
    expect(codes).toEqual(['sponsor_below_floor'])
    expect(messages[0]).toContain("the sponsor's balance is unknown for 6")
    expect((await healthOf(stack)).networks['stellar:testnet']?.sponsor.balanceStroops).toBeNull()
    proxy.heal()
    await vi.waitFor(async () => expect(await warningsOf(stack)).toEqual(fine), {
      timeout: 120_000,
      interval: 200,
    })
  })
})

test('settlements_unresolvable: raised by one, cleared when an administrator resolves it', async () => {
  await using faulty = await openWarned({ timings: { ...timings, confirmWindowMs: 100 } })
  const { world, stack } = faulty
  stack.hold(true)
  const body = await world.pay()
  await stack.post('/settle', body)
  await untilSent(stack, body)
  const row = await rowOf(stack, body)
  if (!row) throw new Error('not recorded')
  await flagUnresolvable(stack.store.db, row.key, 'as if the ledgers were gone', 60_000)
  expect(await warningsOf(stack)).toMatchObject(degraded('settlements_unresolvable'))
  await finishSettlement(stack.store.db, {
    key: row.key,
    attempt: row.attempt,
    state: 'expired',
    response: { success: false },
    sequence: 'unknown',
  })
  expect(await warningsOf(stack)).toEqual(fine)
})

describe('a watched contract', () => {
  /** With a token of its own code under the alias `token`. */
  async function openWatching() {
    let token = ''
    const faulty = await openWarned({
      network: async (localnet) => {
        token = await new Deployer(localnet).trickToken('honest')
        return { watchedContracts: [{ alias: 'token', id: token }] }
      },
    })
    const { network } = faulty.stack.localnet
    const instance = Buffer.from(contractInstanceKey(token), 'base64')
    const entry = xdr.LedgerEntry.fromXdr(network.entry(instance)?.entry ?? instance)
    const code = codeKeyOf(entry)
    const setTtl = (key: Uint8Array, ledgers: number) =>
      Object.assign(network.entry(key) ?? {}, { liveUntil: network.latest.sequence + ledgers })
    setTtl(instance, 500_000)
    setTtl(code, 500_000)
    return { ...faulty, network, instance, code, setTtl }
  }

  test.each([{ what: 'instance' }, { what: 'code' }] as const)(
    'whose $what nears its end is warned of, ever graver',
    async ({ what }) => {
      await using watching = await openWatching()
      const { stack, network, setTtl } = watching
      const key = watching[what]
      const ttl = async () =>
        (await healthOf(stack)).networks['stellar:testnet']?.contracts['token']
      const member = what === 'instance' ? 'instanceTtlLedgers' : 'codeTtlLedgers'

      setTtl(key, 120_960)
      expect(await warningsOf(stack)).toEqual(fine)
      expect(await ttl()).toMatchObject({ [member]: 120_960 })
      setTtl(key, 120_959)
      expect(await warningsOf(stack)).toMatchObject(warned('contract_ttl_low token'))
      setTtl(key, 17_280)
      expect(await warningsOf(stack)).toMatchObject(warned('contract_ttl_low token'))
      setTtl(key, 17_279)
      expect(await warningsOf(stack)).toMatchObject(degraded('contract_ttl_critical token'))
      archive(network, key)
      expect(await warningsOf(stack)).toMatchObject(degraded('contract_archived token'))
      expect(await ttl()).toMatchObject({ [member]: -1 })
      setTtl(key, 500_000)
      expect(await warningsOf(stack)).toEqual(fine)
      expect(await ttl()).toMatchObject({ [member]: 500_000 })
    },
  )

  test('that is not there is missing, until it is deployed', async () => {
    const asset = new Asset('GOLD', Keypair.random().publicKey())
    const id = asset.contractId(passphrases['stellar:testnet'])
    await using faulty = await openWarned({
      network: { watchedContracts: [{ alias: 'gold', id }] },
    })
    const { world, stack } = faulty
    expect(await warningsOf(stack)).toMatchObject(degraded('contract_missing gold'))
    const { networks } = await healthOf(stack)
    expect(networks['stellar:testnet']?.contracts['gold']).toEqual({ id, instanceTtlLedgers: null })
    await world.deployer.send(Operation.createStellarAssetContract({ asset }))
    // A new contract has the network's minimum TTL, a week.
    expect(await warningsOf(stack)).toMatchObject(warned('contract_ttl_low gold'))
  })

  test('that three polls could not read is unchecked, until one could', async () => {
    await using watching = await openWatching()
    const { stack, proxy } = watching
    expect(await warningsOf(stack)).toEqual(fine)
    const before = (await healthOf(stack)).networks['stellar:testnet']?.contracts
    proxy.fail('getLedgerEntries', { kind: 'hang up' })
    expect(await warningsOf(stack)).toEqual(fine)
    expect(await warningsOf(stack)).toEqual(fine)
    const unchecked = ['contract_ttl_unchecked token', 'contract_ttl_unchecked USDC']
    expect(await warningsOf(stack)).toMatchObject(warned(...unchecked))
    expect((await healthOf(stack)).networks['stellar:testnet']?.contracts).toEqual(before)
    proxy.heal()
    await vi.waitFor(async () => expect(await warningsOf(stack)).toEqual(fine), {
      timeout: 120_000,
      interval: 200,
    })
  })
})

function codeKeyOf({ data }: xdr.LedgerEntry): Uint8Array {
  if (data.type !== 'contractData' || data.contractData.val.type !== 'scvContractInstance') {
    throw new Error('not an instance')
  }
  const { executable } = data.contractData.val.instance
  if (executable.type !== 'contractExecutableWasm') throw new Error('no code of its own')
  return xdr.LedgerKey.contractCode(
    new xdr.LedgerKeyContractCode({ hash: executable.wasmHash }),
  ).toXdr()
}
