import { expect, test } from 'vitest'
import type { ReasonCode } from '../../../src/x402/reasons.ts'
import { transactionsAfter } from '../../support/ledger-view.ts'
import type { PaymentBody } from '../../support/payments.ts'
import type { World } from './world.ts'

/** A payment that is refused, and the words it is refused with. */
export interface Provocation {
  readonly body: PaymentBody
  readonly message: string | RegExp
  /** Named in the answers; absent where they must not name one. */
  readonly payer?: string | undefined
}

export interface RefusalCase {
  readonly code: ReasonCode
  readonly when: string
  /** May bring the ledger into the state that the case speaks of. */
  readonly provoke: (world: World) => Promise<Provocation>
}

/** One test a case: both endpoints say the same, and the ledger and the store stay as they were. */
export function proveRefusals(cases: readonly RefusalCase[], worldNow: () => World): void {
  test.each(cases)('answers $code $when', async ({ code, provoke }) => {
    const world = worldNow()
    const { stack } = world
    const { body, message: words, payer } = await provoke(world)
    const message = typeof words === 'string' ? words : expect.stringMatching(words)
    const payerMember = payer === undefined ? {} : { payer }
    const ledger = stack.localnet.network.latest.sequence
    const settlements = await countSettlements(world)

    const verified = await stack.post('/verify', body)
    expect({ status: verified.status, ...verified.body }).toEqual({
      status: 200,
      isValid: false,
      invalidReason: code,
      invalidMessage: message,
      ...payerMember,
    })

    const settled = await stack.post('/settle', body)
    expect({ status: settled.status, ...settled.body }).toEqual({
      status: 200,
      success: false,
      errorReason: code,
      errorMessage: message,
      transaction: '',
      network: body.paymentRequirements['network'],
      ...payerMember,
    })

    await stack.localnet.closeLedger()
    expect(transactionsAfter(stack.localnet.network, ledger)).toEqual([])
    expect(await countSettlements(world)).toBe(settlements)
  })
}

async function countSettlements({ stack }: World): Promise<number> {
  const rows = await stack.store.db.selectFrom('settlements').select('id').execute()
  return rows.length
}
