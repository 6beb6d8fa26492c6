import { randomBytes } from 'node:crypto'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'

/** A new account with so many XLM from the faucet of the embedded network. */
export async function newSponsor(
  rpcUrl: string,
  xlm: number,
): Promise<{ readonly secret: string }> {
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  const response = await fetch(`${rpcUrl}/faucet?addr=${address}&asset=XLM&amount=${xlm}`)
  if (!response.ok) throw new Error(`The faucet refused ${address}: ${await response.text()}`)
  return { secret: secretOfSeed(seed) }
}
