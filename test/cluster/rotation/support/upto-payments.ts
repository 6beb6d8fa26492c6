import { expect, vi } from 'vitest'
import { openWallet, type PaymentBody, type Wallet } from '../../../support/payments.ts'
import { settleOf, uptoPayment } from '../../../support/upto-payments.ts'
import type { LoadWorld } from './load-world.ts'
import { replicasKilledIn } from './replica-kills.ts'
import type { Phase, RotationFault } from './rotation-round.ts'

/** `maxTimeoutSeconds` of the Facilitator's network and of the payments. */
export const UPTO_SECONDS = 120
/** Shorter than that by any clock, and longer than two pods are replaced. */
const VALID_LEDGERS = 36
const METERED = 40_000n
const PAYMENTS = 3
const patience = { timeout: 240_000, interval: 500 }

/**
 * Payments of the scheme upto that buyers signed for the authority of the old sponsor are settled when all pods have moved. Every
 * replica is killed when each of these phases begins.
 */
export async function uptoAcrossTheMove(
  world: LoadWorld,
  ...killedIn: readonly Phase[]
): Promise<RotationFault> {
  // The faucet's fees are not the sponsors': its payments come before a rotation.
  const payer = await openWallet(world.localnet)
  const seller = await openWallet(world.localnet, 1n)
  const kills = replicasKilledIn(...killedIn)
  return {
    ...(killedIn.length > 0 && { interruptsService: true }),
    name: `payments in the scheme upto from before the move${killedIn.length > 0 ? `; ${kills.name}` : ''}`,
    play: async (round) => {
      const payments = async () => {
        await round.begun('Moving')
        const signed = await signedPayments(world, payer, seller)
        await round.begun('Expiring')
        for (const body of signed) await settled(world, body)
      }
      await Promise.all([payments(), kills.play(round)])
    },
  }
}

/** For the authority that `/supported` names at the begin of the move: that of the old sponsor. */
async function signedPayments(
  world: LoadWorld,
  payer: Wallet,
  seller: Wallet,
): Promise<readonly PaymentBody[]> {
  const { kinds } = await vi.waitFor(async () => {
    const response = await fetch(`${world.facilitatorUrl}/supported`)
    return Object(await response.json())
  }, patience)
  const { extra } = kinds.find(({ scheme }: { scheme: string }) => scheme === 'upto')
  const service = { contract: extra.uptoContract, authority: extra.authority }
  const expirationLedger = world.localnet.network.latest.sequence + VALID_LEDGERS
  const plan = { payer, payTo: seller.address, expirationLedger, maxTimeoutSeconds: UPTO_SECONDS }
  return Promise.all(
    Array.from({ length: PAYMENTS }, () => uptoPayment(world.localnet, service, plan)),
  )
}

/** Repeats the request as a seller does, until the answer is final. */
const settled = (world: LoadWorld, body: PaymentBody): Promise<void> =>
  vi.waitFor(async () => {
    const response = await fetch(`${world.facilitatorUrl}/settle`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(settleOf(body, METERED)),
    })
    expect(await response.json()).toMatchObject({ success: true, amount: String(METERED) })
  }, patience)
