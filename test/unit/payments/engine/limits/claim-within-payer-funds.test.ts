import { describe, expect, it } from 'vitest'
import {
  claimWithinFunds,
  findShortage,
} from '../../../../../src/payments/engine/limits/payers/claim-within-payer-funds.ts'
import type { LandedSettlements } from '../../../../../src/payments/engine/limits/payers/landed-settlements.ts'
import type { ServedNetwork } from '../../../../../src/payments/engine/network/served-network.ts'
import type { Payment } from '../../../../../src/payments/schemes/scheme.ts'
import type {
  ClaimOutcome,
  ClaimRequest,
} from '../../../../../src/payments/store/settlements/claim/claim-request.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { scriptedDatabase } from '../../../../support/scripted-database.ts'
import { asset, payer } from '../../protocol/payment-builder.ts'
import { key } from '../one-settlement.ts'

const claimed: ClaimOutcome = { kind: 'claimed', attempt: 1, channel: undefined }
const overFunds: ClaimOutcome = { kind: 'over_funds' }
const unknown: ClaimOutcome = { kind: 'funds_unknown' }
const overBudget: ClaimOutcome = { kind: 'over_budget' }

interface Given {
  readonly outcomes?: readonly ClaimOutcome[]
  readonly limitToFunds?: boolean
  readonly hasOthers?: boolean
  /** The last ledger in which the payer is known to have paid. */
  readonly paidOn?: number
  /** The amount of the payer's other payments under way, as the store has it. */
  readonly others?: bigint
}

const simulatedOn = 10
const amount = 60n

function payerWith100({ outcomes = [], limitToFunds = true, paidOn = 0 }: Given) {
  const log: string[] = []
  const answers = [...outcomes]
  const network = {
    id: key.network,
    payers: {
      limitToFunds,
      balances: {
        paidOn: () => paidOn,
        read: async (_: unknown, ledger: number) => {
          log.push(`reads at ${ledger}`)
          return { amount: 100n, ledger: Math.max(ledger, 15) }
        },
      },
    },
    claims: {
      write: async ({ funds }: ClaimRequest) => {
        log.push(`claims with ${funds}`)
        return answers.shift()
      },
    },
  } as unknown as ServedNetwork
  return { log, network }
}

describe('a claim within the funds of its payer', () => {
  const short = {
    ...{ kind: 'over_funds', payer, amount, symbol: 'USDC', balance: { amount: 100n, ledger: 15 } },
  }

  it.each<{ when: string; given: Given; result: object; log: readonly string[] }>([
    {
      when: 'reads no balance where funds are not limited',
      given: { limitToFunds: false, hasOthers: true, outcomes: [claimed] },
      ...{ result: claimed, log: ['claims with undefined'] },
    },
    {
      when: 'reads no balance of a payer without others',
      given: { outcomes: [claimed] },
      ...{ result: claimed, log: ['claims with undefined'] },
    },
    {
      when: 'reads no balance for another refusal',
      given: { outcomes: [overBudget] },
      ...{ result: overBudget, log: ['claims with undefined'] },
    },
    {
      when: 'reads the balance when the store knows of others meanwhile',
      given: { outcomes: [unknown, claimed] },
      ...{ result: claimed, log: ['claims with undefined', 'reads at 10', 'claims with 100'] },
    },
    {
      when: 'reads the balance of a payer with others first',
      given: { hasOthers: true, outcomes: [claimed] },
      ...{ result: claimed, log: ['reads at 10', 'claims with 100'] },
    },
    {
      when: 'reads the balance of a payer who has paid since the simulation, as of that ledger',
      given: { paidOn: 12, outcomes: [claimed] },
      ...{ result: claimed, log: ['reads at 12', 'claims with 100'] },
    },
    {
      when: 'reads no balance of a payer whom the simulation has seen pay',
      given: { paidOn: 10, outcomes: [claimed] },
      ...{ result: claimed, log: ['claims with undefined'] },
    },
    {
      when: 'finishes what the balance includes before it refuses',
      given: { hasOthers: true, outcomes: [overFunds, claimed] },
      ...{
        result: claimed,
        log: ['reads at 10', 'claims with 100', 'finishes 15', 'claims with 100'],
      },
    },
    {
      when: 'is refused when the balance is too small all the same',
      given: { hasOthers: true, outcomes: [overFunds, overFunds] },
      ...{
        result: short,
        log: ['reads at 10', 'claims with 100', 'finishes 15', 'claims with 100'],
      },
    },
  ])('$when', async ({ given, result, log: expected }) => {
    const { network, log } = payerWith100(given)
    const landed = {
      finishUpTo: async (_: unknown, __: unknown, ledger: number) =>
        void log.push(`finishes ${ledger}`),
    } as unknown as LandedSettlements
    const request = { key, facts: { asset, amount } } as unknown as ClaimRequest
    const question = { simulatedOn, hasOthers: given.hasOthers ?? false, symbol: 'USDC' }
    expect(await claimWithinFunds(landed, network, request, question)).toEqual(result)
    expect(log).toEqual(expected)
  })

  it.each([{ outcomes: [overFunds] }, { outcomes: [unknown, unknown] }])(
    'fails when the store does not take the funds that it was given',
    async (given) => {
      const { network } = payerWith100(given)
      const request = { key, facts: { asset, amount } } as unknown as ClaimRequest
      const question = { simulatedOn, hasOthers: false, symbol: 'USDC' }
      const claiming = claimWithinFunds({} as LandedSettlements, network, request, question)
      await expect(claiming).rejects.toThrow('although its funds were given')
    },
  )
})

describe('the shortage of a payer', () => {
  it.each<{ when: string; given: Given; isShort: boolean; log: readonly string[] }>([
    {
      when: 'is not looked for without a limit',
      given: { limitToFunds: false, hasOthers: true },
      isShort: false,
      log: [],
    },
    { when: 'is not looked for without others', given: { others: 90n }, isShort: false, log: [] },
    {
      when: 'is none when all that is under way leaves enough',
      given: { hasOthers: true, others: 40n },
      ...{ isShort: false, log: ['reads at 10'] },
    },
    {
      when: 'is found when it leaves too little',
      given: { hasOthers: true, others: 41n },
      ...{ isShort: true, log: ['reads at 10'] },
    },
    {
      when: 'is found of a payer who has paid since',
      given: { paidOn: 12, others: 41n },
      ...{ isShort: true, log: ['reads at 12'] },
    },
  ])('$when', async ({ given, isShort, log: expected }) => {
    const { network, log } = payerWith100(given)
    const db = scriptedDatabase(() => [{ amount: `${given.others}` }])
    const payment = {
      ...{ payer, nonce: key.nonce, amount, asset: { contract: asset, symbol: 'USDC' } },
    } as unknown as Payment
    const question = { simulatedOn, hasOthers: given.hasOthers ?? false }
    const found = await findShortage({ db } as Pick<Store, 'db'>, network, payment, question)
    expect(found?.kind).toBe(isShort ? 'over_funds' : undefined)
    expect(log).toEqual(expected)
  })
})
