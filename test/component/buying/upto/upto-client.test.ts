import { Keypair } from '@stellar/stellar-sdk'
import type { PaymentRequirements } from '@x402/core/types'
import { createEd25519Signer } from '@x402/stellar'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAccountKey } from '../../../../src/buying/signers/account-key.ts'
import type { AccountSigner } from '../../../../src/buying/signers/account-signer.ts'
import { contractSigner } from '../../../../src/buying/signers/contract-signer.ts'
import { UptoStellarScheme } from '../../../../src/buying/upto/client.ts'
import { ledgerReader } from '../../../../src/demo/observe/ledger-reader.ts'
import { uptoContract } from '../../../../src/localnet/genesis/upto-contract.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import { Deployer } from '../../../support/contracts.ts'
import { external } from '../../../support/rule-account.ts'
import { type Stack, startStack, usdc } from '../../../support/stack.ts'
import { type Account, accountWithUsdc, reach } from '../../../support/stock/stock-client.ts'

/* The buyer's scheme against a facilitator, without a seller between them. */

let stack: Stack
let seller: Account

beforeAll(async () => {
  stack = await startStack({ upto: true, closeEveryMs: 'on-send', tls: true })
  reach(stack.localnet)
  seller = await accountWithUsdc(stack.localnet)
})
afterAll(() => stack[Symbol.asyncDispose]())

/** The facilitator's terms for a ceiling of 0.1 USDC. */
async function terms(): Promise<PaymentRequirements> {
  const { body } = await stack.get('/supported')
  const kind = body.kinds.find(({ scheme }: { scheme: string }) => scheme === 'upto')
  return {
    scheme: 'upto',
    network: 'stellar:testnet',
    asset: usdc,
    payTo: seller.address,
    amount: '1000000',
    maxTimeoutSeconds: 60,
    extra: kind.extra,
  }
}

const schemeOf = (signer: AccountSigner, options = {}) =>
  new UptoStellarScheme(signer, { url: stack.localnet.rpcUrl, ...options })

async function pay(scheme: UptoStellarScheme, actual: string) {
  const accepted = await terms()
  const { x402Version, payload } = await scheme.createPaymentPayload(2, accepted)
  const body = (amount: string) => ({
    x402Version,
    paymentPayload: { x402Version, accepted, payload },
    paymentRequirements: { ...accepted, amount },
  })
  const verified = await stack.post('/verify', body(accepted.amount))
  const settled = await stack.post('/settle', body(actual))
  return { payload, verified: verified.body, settled: settled.body }
}

/** Of an account with one key, and of the owner of one with rules: each rule of a settlement is another. */
async function contractSigners(): Promise<AccountSigner[]> {
  const deployer = new Deployer(stack.localnet)
  const url = stack.localnet.rpcUrl
  const [owner, agent] = [Keypair.random(), Keypair.random()]
  const verifier = await deployer.verifier()
  const ruled = await deployer.ruleAccount({
    owner: external(verifier, owner.rawPublicKey()),
    agent: external(verifier, agent.rawPublicKey()),
    limit: 0n,
  })
  const payers = [await deployer.smartAccount(), { address: ruled.address, key: owner }]
  return payers.map(({ address, key }) =>
    contractSigner({ address, key: readAccountKey(key.secret()), url }),
  )
}

test('an account and contract accounts pay what was used, with a new nonce each time', async () => {
  const account = await accountWithUsdc(stack.localnet)
  const signers = [
    createEd25519Signer(account.secret, 'stellar:testnet'),
    ...(await contractSigners()),
  ]
  const { usdc: balanceOf } = ledgerReader(stack.localnet.httpUrl, passphrases['stellar:testnet'])
  const nonces = new Set<unknown>()
  for (const signer of signers) {
    const scheme = schemeOf(signer)
    const before = await balanceOf(signer.address)
    for (const actual of ['400000', '0']) {
      const { payload, verified, settled } = await pay(scheme, actual)
      expect(verified).toEqual({ isValid: true, payer: signer.address })
      expect(settled).toMatchObject({ success: true, amount: actual, payer: signer.address })
      nonces.add(payload['nonce'])
    }
    expect(await balanceOf(signer.address)).toBe(before - 400_000n)
  }
  expect(nonces.size).toBe(6)
})

test('signs for a listed contract without looking at it, and for no other', async () => {
  const account = await accountWithUsdc(stack.localnet)
  const signer = createEd25519Signer(account.secret, 'stellar:testnet')
  const ours = uptoContract(passphrases['stellar:testnet'])
  const { settled } = await pay(schemeOf(signer, { contracts: [ours] }), '1')
  expect(settled).toMatchObject({ success: true, amount: '1' })
  await expect(pay(schemeOf(signer, { contracts: [usdc] }), '1')).rejects.toThrow(
    'option contracts',
  )
})

test('sends no payment that the signer refused, or signed with another key', async () => {
  const { address } = await accountWithUsdc(stack.localnet)
  const wrong = createEd25519Signer(Keypair.random().secret(), 'stellar:testnet')
  await expect(pay(schemeOf({ ...wrong, address }), '1')).rejects.toThrow(/signature/i)
  const refusal = { signedAuthEntry: '', error: { message: 'not today', code: -4 } }
  const refusing = { address, signAuthEntry: async () => refusal }
  await expect(pay(schemeOf(refusing), '1')).rejects.toThrow('The signer refused: not today')
})
