import { xdr } from '@stellar/stellar-sdk'
import { addressValue, callOf, i128, usdc } from '../../../support/payments.ts'
import { submitSigned, type TableWorld } from './table-world.ts'

interface UptoPayment {
  /** Of the settlement. */
  readonly contract: string
  readonly payTo: string
  readonly actual: bigint
}

const CEILING = 100_000n
let nonce = 0n

/** The payer signs for 100,000 units of USDC, and a stranger has the contract settle some of them. */
export function settleUpto(
  world: TableWorld,
  { contract, payTo, actual }: UptoPayment,
): Promise<string> {
  const { payer, stack } = world
  nonce += 1n
  const expiry = xdr.ScVal.scvU32(stack.localnet.network.latest.sequence + 50)
  const signed = [
    ...[usdc, payer.address, payTo].map(addressValue),
    i128(CEILING),
    expiry,
    xdr.ScVal.scvU64(nonce),
  ]
  const settle = (args: xdr.ScVal[]) => ({ contract, functionName: 'settle', args })
  const approval = {
    functionName: 'approve',
    args: [addressValue(payer.address), addressValue(contract), i128(CEILING), expiry],
  }
  const plan = { payer, payTo }
  const called = settle([...signed, i128(actual), xdr.ScVal.scvVoid()])
  return submitSigned(
    world,
    { call: settle(signed) },
    {
      below: actual > 0n ? [callOf({ ...plan, call: approval })] : [],
      called: callOf({ ...plan, call: called }),
    },
  )
}
