/** What a settlement in the scheme `upto` costs through the whole facilitator, beside one in `exact`: docs/upto-contract.md has the table. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../support/image-files.ts'
import { transactionsAfter } from '../../support/ledger-view.ts'
import type { PaymentBody, Wallet } from '../../support/payments.ts'
import { settleOf, type UptoService, uptoPayment } from '../../support/upto-payments.ts'
import { openWorld, type World } from '../payments/world.ts'
import { type FeeParts, feePartsOf } from './fee-parts.ts'

const CEILING = 100_000n
const page = readFileSync(join(projectRoot, 'docs/upto-contract.md'), 'utf8')

let world: World
let service: UptoService
beforeAll(async () => {
  world = await openWorld({ upto: true, network: { channelCount: 2 } })
  const { body } = await world.stack.get('/supported')
  const { extra } = body.kinds.find((kind: { scheme: string }) => kind.scheme === 'upto')
  service = { contract: extra.uptoContract, authority: extra.authority }
})
afterAll(() => world[Symbol.asyncDispose]())

async function settle(body: PaymentBody): Promise<FeeParts> {
  const { network } = world.stack.localnet
  const before = network.latest.sequence
  const answer = await world.stack.post('/settle', body)
  expect(answer.body).toMatchObject({ success: true })
  const [applied] = transactionsAfter(network, before)
  if (!applied) throw new Error('nothing was settled')
  return feePartsOf(applied)
}

async function settleUpto(payer: Wallet, amount: bigint): Promise<FeeParts> {
  const plan = { payer, payTo: world.seller.address, ceiling: CEILING }
  return settle(settleOf(await uptoPayment(world.stack.localnet, service, plan), amount))
}

/** The amounts of a row of the page, from its first case on. */
function rowOf(name: string): readonly number[] {
  const line = page.split('\n').find((each) => each.startsWith(`| ${name} |`)) ?? ''
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => Number(cell.replaceAll(',', '')))
}

const rows = {
  compute: 'Instructions',
  reads: 'Reads of accounts and trustlines',
  writes: 'Writes of entries',
  bytes: 'Bytes of the transaction',
  rent: 'Rent of new entries',
  events: 'Events and return value',
  inclusion: 'Inclusion, fee bump included',
  total: '**Total**',
} as const satisfies Record<keyof FeeParts['stroops'], string>

/** A ledger that closes between signature and settlement makes a rent 3 stroops cheaper. */
const FEW_STROOPS = 20

test('the page has the parts of the fee, which add up', async () => {
  const account = await world.deployer.smartAccount()
  const exact = await settle(await world.pay())
  const zero = await settleUpto(world.payer, 0n)
  const first = await settleUpto(world.payer, CEILING)
  const later = await settleUpto(world.payer, CEILING)
  const part = await settleUpto(world.payer, CEILING / 2n)
  const exactOfContract = await settle(await world.pay({ payer: account }))
  await settleUpto(account, CEILING)
  const laterOfContract = await settleUpto(account, CEILING)
  expect(part).toEqual(later)

  const cases = [exact, first, later, zero, exactOfContract, laterOfContract]
  for (const { stroops } of cases) {
    const { total, ...parts } = stroops
    expect(Object.values(parts).reduce((sum, each) => sum + each)).toBe(total)
  }
  for (const [name, row] of Object.entries(rows)) {
    const measured = cases.map(({ stroops }) => stroops[name as keyof typeof rows])
    const written = rowOf(row)
    const isNear = measured.every((each, i) => Math.abs(each - (written[i] ?? 0)) <= FEW_STROOPS)
    expect({ row, measured, written, isNear }).toMatchObject({ isNear: true })
  }
  expect(first.stroops.total).toBeLessThan(42_100)
  expect(later.stroops.total).toBeLessThan(39_500)
  expect(zero.stroops.total).toBeLessThan(23_700)
})
