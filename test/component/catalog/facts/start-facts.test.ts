import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startFacts } from '../../../../src/catalog/facts/start-facts.ts'
import { notePaidAsset } from '../../../../src/catalog/store/facts.ts'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { usdcContracts, usdcIssuers } from '../../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import type { StellarRpc } from '../../../../src/stellar/rpc/rpc.ts'
import { type RpcClient, rpcClients } from '../../../../src/stellar/rpc/rpc-client.ts'
import { Deployer } from '../../../support/contracts.ts'
import { openWallet } from '../../../support/payments.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'
import { address, httpContent, network, optionTo, seedListing } from '../seed-listings.ts'

const usdc = usdcContracts[network]
const patience = { timeout: 120_000, interval: 20 }

describe('facts of listings', () => {
  let localnet: LocalnetServer
  let store: Store
  let rpc: RpcClient
  beforeAll(async () => {
    localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
    store = await openEmptyStore()
    const [client] = rpcClients([localnet.httpUrl], { allowHttp: true })
    if (!client) throw new Error('no client')
    rpc = client.client
  })
  afterAll(async () => {
    await store.close()
    await localnet.close()
  })

  const start = (
    from: Pick<StellarRpc, 'ledgerEntries' | 'simulate'> = rpc,
    onChanged: () => void = () => undefined,
  ) =>
    startFacts({
      store,
      rpcs: new Map([[network, from]]),
      clock: systemClock,
      random: () => 0,
      log: createLogger({ level: 'silent' }),
      metrics: createMetrics(),
      everyMs: 20,
      onChanged,
    })
  const assetFacts = () => store.db.selectFrom('asset_facts').selectAll().execute()
  const payee = (payTo: string) =>
    store.db.selectFrom('payee_facts').selectAll().where('pay_to', '=', payTo).executeTakeFirst()
  const list = (payTo: string) =>
    seedListing(store, {
      owner: payTo,
      content: httpContent(`https://seller.example/${payTo}`, payTo),
    })
  const msUntil = (due: Date | undefined) => Number(due) - Date.now()

  test('are read from the ledger: the asset in a day again, the payee in an hour', async () => {
    const holder = await openWallet(localnet, 1n)
    await list(holder.address)
    const onChanged = vi.fn()
    await using _facts = start(rpc, onChanged)
    await vi.waitFor(async () => {
      expect(await assetFacts()).toMatchObject([
        { network, asset: usdc, symbol: 'USDC', name: `USDC:${usdcIssuers[network]}`, decimals: 7 },
      ])
      expect(await payee(holder.address)).toMatchObject({ receivable: true, lease_until: null })
    }, patience)
    const [asset] = await assetFacts()
    expect(Math.round(msUntil(asset?.due_at) / 3_600_000)).toBe(24)
    expect(Math.round(msUntil((await payee(holder.address))?.due_at) / 60_000)).toBe(60)
    expect(onChanged).toHaveBeenCalled()
  })

  describe('of a token of its own', () => {
    const listIn = (asset: string) => {
      const payTo = address()
      return seedListing(store, {
        owner: payTo,
        content: httpContent(`https://seller.example/${payTo}`, payTo, {
          accepts: [optionTo(payTo, asset)],
        }),
      })
    }
    const factsOf = async (asset: string) =>
      (await assetFacts()).find((each) => each.asset === asset)
    const counted = () => {
      const asked: (string | undefined)[] = []
      const simulate: RpcClient['simulate'] = (envelope, signal, queue) => {
        asked.push(queue)
        return rpc.simulate(envelope, signal, queue)
      }
      return { asked, rpc: { ledgerEntries: rpc.ledgerEntries, simulate } }
    }

    test('are read once a payment was made in it: before, a seller alone names it, and its code does not run', async () => {
      const custom = await new Deployer(localnet).trickToken('honest')
      await listIn(custom)
      const { asked, rpc: from } = counted()
      await using facts = start(from)
      await vi.waitFor(
        async () => expect(await factsOf(custom)).toMatchObject({ checked_at: expect.any(Date) }),
        patience,
      )
      expect(await factsOf(custom)).toMatchObject({ symbol: null, is_paid: false })
      expect(asked).toEqual([])
      await notePaidAsset(store.db, { network, asset: custom })
      facts.wake()
      await vi.waitFor(
        async () =>
          expect(await factsOf(custom)).toMatchObject({
            symbol: 'TRICK',
            decimals: 7,
            failures: 0,
          }),
        patience,
      )
      expect(new Set(asked)).toEqual(new Set(['simulate_token']))
    })

    test('that does not say them are asked for again in an hour, and then later each time', async () => {
      const bell = await new Deployer(localnet).bell()
      await notePaidAsset(store.db, { network, asset: bell })
      for (const [failures, hours] of [
        [1, 1],
        [2, 4],
      ]) {
        await store.db
          .updateTable('asset_facts')
          .set({ due_at: new Date(0) })
          .where('asset', '=', bell)
          .execute()
        await using _facts = start()
        await vi.waitFor(
          async () => expect(await factsOf(bell)).toMatchObject({ failures }),
          patience,
        )
        expect(Math.round(msUntil((await factsOf(bell))?.due_at) / 3_600_000)).toBe(hours)
      }
    })
  })

  test('of a listing that arrives later are read when the loop is woken', async () => {
    await using facts = start()
    const nobody = address()
    await list(nobody)
    facts.wake()
    await vi.waitFor(
      async () => expect(await payee(nobody)).toMatchObject({ receivable: false }),
      patience,
    )
  })

  test('follow the ledger when they are due', async () => {
    const wallet = await openWallet(localnet, 'none')
    await list(wallet.address)
    await using _facts = start()
    await vi.waitFor(
      async () => expect(await payee(wallet.address)).toMatchObject({ receivable: false }),
      patience,
    )
    const given = localnet.pay({ address: wallet.address, asset: 'USDC', amount: 1n })
    await localnet.closeLedger()
    await given
    await store.db
      .updateTable('payee_facts')
      .set({ due_at: new Date(0) })
      .execute()
    await vi.waitFor(
      async () => expect(await payee(wallet.address)).toMatchObject({ receivable: true }),
      patience,
    )
  })

  test('stay as they were while the network does not answer, and are tried again in a minute', async () => {
    const holder = await openWallet(localnet, 1n)
    await list(holder.address)
    const down = async () => {
      throw new Error('down')
    }
    {
      await using _facts = start({ ledgerEntries: down, simulate: down })
      await vi.waitFor(async () => {
        const row = await payee(holder.address)
        expect(row).toMatchObject({ receivable: null, lease_until: null })
        expect(Math.round(msUntil(row?.due_at) / 1_000)).toBeGreaterThan(30)
      }, patience)
    }
  })

  test('that a dead process took are taken over when its lease ends', async () => {
    const holder = await openWallet(localnet, 1n)
    await list(holder.address)
    const hour = new Date(Date.now() + 3_600_000)
    await store.db
      .insertInto('payee_facts')
      .values({
        network,
        asset: usdc,
        pay_to: holder.address,
        due_at: new Date(0),
        lease_until: hour,
      })
      .execute()
    await using facts = start()
    const other = address()
    await list(other)
    facts.wake()
    await vi.waitFor(
      async () => expect(await payee(other)).toMatchObject({ receivable: false }),
      patience,
    )
    expect(await payee(holder.address)).toMatchObject({ receivable: null })
    await store.db
      .updateTable('payee_facts')
      .set({ lease_until: new Date(0) })
      .execute()
    await vi.waitFor(
      async () => expect(await payee(holder.address)).toMatchObject({ receivable: true }),
      patience,
    )
  })

  test('of a payee that no listing names any more are deleted', async () => {
    const gone = address()
    await store.db
      .insertInto('payee_facts')
      .values({ network, asset: usdc, pay_to: gone, due_at: new Date(0) })
      .execute()
    await using _facts = start()
    await vi.waitFor(async () => expect(await payee(gone)).toBeUndefined(), patience)
  })

  test('of an asset that no listing names any more are deleted, but not of one in which a payment was made', async () => {
    const due = { network, due_at: new Date(0) } as const
    await store.db.deleteFrom('asset_facts').where('asset', '=', 'CPAID').execute()
    await store.db
      .insertInto('asset_facts')
      .values([
        { ...due, asset: 'CGONE' },
        { ...due, asset: 'CPAID', is_paid: true },
      ])
      .execute()
    await using _facts = start()
    await vi.waitFor(
      async () =>
        expect((await assetFacts()).filter(({ asset }) => /GONE|PAID/.test(asset))).toMatchObject([
          { asset: 'CPAID', checked_at: expect.any(Date) },
        ]),
      patience,
    )
  })

  test('of an asset that is no contract are empty, and of its payee false', async () => {
    const payTo = address()
    await seedListing(store, {
      owner: payTo,
      content: httpContent(`https://seller.example/${payTo}`, payTo, {
        accepts: [optionTo(payTo, 'CNOTHING')],
      }),
    })
    await using _facts = start()
    await vi.waitFor(
      async () => expect(await payee(payTo)).toMatchObject({ receivable: false }),
      patience,
    )
  })
})
