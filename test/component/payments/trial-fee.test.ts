/** What the trial of the terms says that a payment costs, and what signed payments cost on the embedded network. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkPayment } from '../../../src/payments/checks/check-payment.ts'
import { paymentRequestSchema } from '../../../src/payments/protocol/protocol.ts'
import type { SchemeName } from '../../../src/payments/protocol/schemes.ts'
import type { Trial } from '../../../src/payments/trial/try-payments.ts'
import { tryPayments } from '../../../src/payments/trial/try-payments.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { nativeContract } from '../../../src/stellar/contracts/asset-contract.ts'
import {
  resourceFeeOf,
  settlementFee,
  simulationEnvelope,
} from '../../../src/stellar/transactions/settlement-envelope.ts'
import { openWallet, payment, usdc, type Wallet } from '../../support/payments.ts'
import { uptoPayment } from '../../support/upto-payments.ts'
import { openWorld, type World } from './world.ts'

const bid = asStroops(100n)
const networkOf = ({ stack }: World) => {
  const network = stack.facilitator.networks.get('stellar:testnet')
  if (!network) throw new Error('testnet is served')
  return network
}

let world: World
let wallets: Record<'G' | 'C' | 'smallest C', Wallet>
let lumens: string
beforeAll(async () => {
  world = await openWorld({ upto: true })
  const { deployer } = world
  const { localnet } = world.stack
  lumens = nativeContract(localnet.network.passphrase)
  wallets = {
    G: world.payer,
    C: await deployer.smartAccount(),
    'smallest C': await deployer.greedyAccount({}),
  }
  for (const asset of ['USDC', 'XLM'] as const) {
    for (const { address } of Object.values(wallets)) {
      await localnet.pay({ address, asset, amount: 100_000_000n })
    }
  }
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** The maximum fee of a signed payment. */
async function realFee(scheme: SchemeName, payer: Wallet, payTo: string, asset: string) {
  const { rpc, policy } = networkOf(world)
  const { localnet } = world.stack
  const { upto } = policy
  if (!upto) throw new Error('upto is served')
  const service = { contract: upto.contract, authority: [...upto.authorities][0] ?? '' }
  const plan = { payer, payTo, asset }
  const body =
    scheme === 'exact' ? await payment(localnet, plan) : await uptoPayment(localnet, service, plan)
  const checked = checkPayment(paymentRequestSchema.parse(body), accepting(policy), 'verify')
  if (!checked.ok) throw new Error(checked.refusal.message)
  const { invocation, authority } = checked.payment
  const simulation = await rpc.simulate(simulationEnvelope(invocation, authority?.address))
  if (simulation.kind !== 'ok') throw new Error(simulation.error)
  return settlementFee(bid, resourceFeeOf(simulation.transactionData))
}

/** With lumens beside USDC. */
const accepting = (policy: Trial['policy']): Trial['policy'] => {
  const known = policy.assets.get(usdc)
  if (!known) throw new Error('USDC is accepted')
  const assets = [known, { ...known, contract: lumens, symbol: 'XLM' }]
  return { ...policy, assets: new Map(assets.map((asset) => [asset.contract, asset])) }
}

async function tried(maxTxFeeStroops = 300_000n) {
  const { rpc, policy } = networkOf(world)
  const { sponsor, channel } = world
  const terms = { ...accepting(policy), maxTxFeeStroops: asStroops(maxTxFeeStroops) }
  const none = { recentPayments: () => Promise.resolve([]) }
  return tryPayments({ rpc, policy: terms, inclusionFee: bid, sponsor, channel, ...none })
}

async function triedOf(asset: string, scheme: SchemeName, maxTxFeeStroops?: bigint) {
  const one = (await tried(maxTxFeeStroops)).find((each) => each.asset.contract === asset)
  const outcome = one?.payments.find((each) => each.scheme === scheme)?.outcome
  if (!outcome || !('likely' in outcome)) throw new Error(JSON.stringify(outcome))
  return outcome
}

const assetOf = { USDC: () => usdc, XLM: () => lumens }
const cases = (['USDC', 'XLM'] as const).flatMap((asset) =>
  (['exact', 'upto'] as const).map((scheme) => ({ asset, scheme })),
)

describe.each(cases)(
  'the fee of $scheme in $asset without any payment before',
  ({ asset, scheme }) => {
    test('is that of a payment between accounts, three percent less or more', async () => {
      const contract = assetOf[asset]()
      const { likely } = await triedOf(contract, scheme)
      const real = await realFee(scheme, wallets.G, world.seller.address, contract)
      expect(Number(likely) / Number(real)).toBeGreaterThan(0.97)
      expect(Number(likely) / Number(real)).toBeLessThan(1.03)
    })

    test.each(['G', 'C', 'smallest C'] as const)(
      'is at the least no more than that of a payment by a payer %s',
      async (payer) => {
        const contract = assetOf[asset]()
        const { least } = await triedOf(contract, scheme)
        const payees = [
          world.seller.address,
          (await openWallet(world.stack.localnet)).address,
          wallets.C.address,
        ]
        for (const payTo of payees.filter((address) => address !== wallets[payer].address)) {
          const real = await realFee(scheme, wallets[payer], payTo, contract)
          expect(least).toBeLessThanOrEqual(real)
        }
      },
    )
  },
)

test('a ceiling between the two is no proof that nobody can pay, and no proof that most can', async () => {
  const { least, likely } = await triedOf(usdc, 'exact')
  expect(await triedOf(usdc, 'exact', likely)).toMatchObject({ kind: 'possible' })
  expect(await triedOf(usdc, 'exact', likely - 1n)).toMatchObject({ kind: 'dear' })
  expect(await triedOf(usdc, 'exact', least)).toMatchObject({ kind: 'dear' })
  expect(await triedOf(usdc, 'exact', least - 1n)).toMatchObject({ kind: 'tooDear' })
})
