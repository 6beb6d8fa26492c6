import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet, type Wallet } from '../../support/payments.ts'
import type { Stack } from '../../support/stack.ts'
import {
  settleOf,
  type UptoPlan,
  type UptoService,
  uptoPayment,
} from '../../support/upto-payments.ts'

let stack: Stack
let service: UptoService
let payer: Wallet
let seller: Wallet

beforeAll(async () => {
  stack = await openPaymentStack({ upto: true })
  const { body } = await stack.get('/supported')
  const { extra } = body.kinds.find((kind: { scheme: string }) => kind.scheme === 'upto')
  service = { contract: extra.uptoContract, authority: extra.authority }
  payer = await openWallet(stack.localnet)
  seller = await openWallet(stack.localnet, 1n)
})
afterAll(() => stack[Symbol.asyncDispose]())

const pay = (plan: Partial<UptoPlan> = {}) =>
  uptoPayment(stack.localnet, service, { payer, payTo: seller.address, ...plan })

describe('a payment in the scheme upto', () => {
  it('is valid at its ceiling, and settles less', async () => {
    const body = await pay()
    expect(await stack.post('/verify', body)).toMatchObject({ body: { isValid: true } })
    const settled = await stack.post('/settle', settleOf(body, 40_000n))
    expect(settled.body).toMatchObject({ success: true, amount: '40000', payer: payer.address })
  })
})
