import { expect, test } from 'vitest'
import { transactionsAfter } from '../../support/ledger-view.ts'
import type { RefusalRow } from '../../support/refusals/refusal.ts'
import type { World } from './world.ts'

/** A refusal that needs a running service; `build` may change the ledger first. */
export type WorldRefusal = RefusalRow<World>

/** One test per case: /verify and /settle give the same refusal, and neither ledger nor store changes. */
export function proveRefusals(cases: readonly WorldRefusal[], worldNow: () => World): void {
  test.each(cases)('answers $code $when', async ({ code, build }) => {
    const world = worldNow()
    const { stack } = world
    const { body, message: text, messageOverHttp, payer } = await build(world)
    const expected = messageOverHttp ?? text
    const message = typeof expected === 'string' ? expected : expect.stringMatching(expected)
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
