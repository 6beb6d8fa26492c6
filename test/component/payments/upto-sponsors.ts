/** A network with the scheme upto and two funded sponsors, of which the first one's replica serves. */

import { uptoContract } from '../../../src/localnet/genesis/upto-contract.ts'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { network, newSponsor } from '../../support/sponsors.ts'
import { unit } from '../../support/stack.ts'
import { uptoPayment } from '../../support/upto-payments.ts'
import { openWorld } from './world.ts'

export const contract = uptoContract(passphrases[network])

export async function openUptoSponsors() {
  const [old, young] = [newSponsor(), newSponsor()]
  const world = await openWorld({
    upto: true,
    network: async (localnet) => {
      for (const { address } of [old, young]) {
        await localnet.pay({ address, asset: 'XLM', amount: 1_000n * unit })
      }
      return { sponsorSecret: old.secret }
    },
  })
  const { stack, payer, seller } = world
  return {
    stack,
    payer,
    old,
    young,
    /** Signed for this settlement authority. */
    pay: (authority: string, payTo = seller.address) =>
      uptoPayment(stack.localnet, { contract, authority }, { payer, payTo }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
