import { xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ReasonCode } from '../../../../src/payments/protocol/reasons.ts'
import type { Payment } from '../../../../src/payments/schemes/scheme.ts'
import { call as hostCall, nextSeed, run, source } from '../../localnet/soroban/invocation.ts'
import { accountId } from '../../localnet/soroban/test-ledger.ts'
import {
  check,
  greedyAccount,
  issuer,
  ledger,
  muxedSeller,
  openHost,
  type PaymentOptions,
  payer,
  payment,
  policyAccount,
  refusalOf,
  removeAccount,
  removeTrustline,
  retrust,
  seller,
  simulate,
  smartAccount,
  stranger,
} from './host-world.ts'
import { policy as testnetPolicy } from './payment-builder.ts'

/** checkSimulation on simulations of the real Soroban host, which gives the causes of failures. */
const P = 'invalid_exact_stellar_payload_'

beforeEach(openHost)

describe('on the real host', () => {
  test.each<{ who: string; options: () => PaymentOptions | Promise<PaymentOptions> }>([
    { who: 'an account with V1 credentials', options: () => ({ version: 'V1' }) },
    { who: 'an account with V2 credentials', options: () => ({ version: 'V2' }) },
    { who: 'an account to a muxed recipient', options: () => ({ payTo: muxedSeller }) },
    {
      who: 'an account to a contract',
      options: async () => ({ payTo: await smartAccount('quiet') }),
    },
    { who: 'a smart account', options: async () => ({ from: await smartAccount('quiet') }) },
    {
      who: 'a smart account that emits an event',
      options: async () => ({ from: await smartAccount('loud') }),
    },
    {
      who: 'a smart account whose check makes a third contract emit an event',
      options: async () => ({ from: await smartAccount('ringing') }),
    },
    {
      who: 'a smart account with a spending policy that emits an event',
      options: async () => ({ from: await policyAccount() }),
    },
    {
      who: 'a smart account that reads and emits nearly as much as a transaction may',
      options: async () => ({
        from: await greedyAccount({
          writes: { entries: 1, bytes: 40_000 },
          reads: 380,
          events: { count: 2, bytes: 7_500 },
        }),
      }),
    },
    {
      who: 'a smart account without signers, whose policy decides',
      options: async () => ({
        from: await policyAccount({ signer: 'nobody' }),
        signer: 'nobody',
        signature: xdr.ScVal.scvVec([]),
      }),
    },
  ])('$who may pay', async ({ options }) => {
    const verdict = check(await payment(await options()))
    if (!verdict.ok) throw new Error(`${verdict.refusal.code}: ${verdict.refusal.message}`)
    expect(verdict.quote.totalFee).toBe(verdict.quote.resourceFee + 200n)
    expect(verdict.quote.resourceFee).toBeGreaterThan(0n)
  })

  test.each<{
    when: string
    code: ReasonCode
    says: string
    given: () => Promise<Payment>
  }>([
    {
      when: 'a stranger signed',
      code: `${P}invalid_signature`,
      says: 'refuses the signature',
      given: () => payment({ signer: stranger }),
    },
    {
      when: 'the call was changed after signing',
      code: `${P}invalid_signature`,
      says: 'Error(Crypto, InvalidInput)',
      given: async () => {
        const signed = await payment({ nonce: 1n })
        const other = await payment({ nonce: 2n })
        const entry = xdr.SorobanAuthorizationEntry.fromXdr(other.authorization.xdr)
        const { credentials } = xdr.SorobanAuthorizationEntry.fromXdr(signed.authorization.xdr)
        if (
          credentials.type !== 'sorobanCredentialsAddressV2' ||
          entry.credentials.type !== 'sorobanCredentialsAddressV2'
        ) {
          throw new Error('not V2')
        }
        const forged = new xdr.SorobanAuthorizationEntry({
          rootInvocation: entry.rootInvocation,
          credentials: xdr.SorobanCredentials.sorobanCredentialsAddressV2(
            new xdr.SorobanAddressCredentials({
              ...entry.credentials.addressV2,
              signature: credentials.addressV2.signature,
            }),
          ),
        })
        const authorization = { ...other.authorization, xdr: forged.toXdr() }
        return { ...other, invocation: { ...other.invocation, auth: [authorization] } }
      },
    },
    {
      when: 'the authorization is for another call',
      code: `${P}unauthorized_invocation`,
      says: payer.publicKey(),
      given: async () => {
        const [paid, other] = [await payment(), await payment({ amount: 5n })]
        return { ...paid, invocation: { ...paid.invocation, auth: other.invocation.auth } }
      },
    },
    {
      when: 'the nonce was used',
      code: `${P}nonce_already_used`,
      says: 'used already',
      given: async () => {
        const given = await payment()
        const simulation = simulate(given)
        if (simulation.kind !== 'ok') throw new Error(simulation.error)
        const data = xdr.SorobanTransactionData.fromXdr(simulation.transactionData, 'base64')
        const output = ledger.host.invoke({
          ledger: ledger.context,
          hostFunction: given.invocation.functionXdr,
          resources: data.resources.toXdr(),
          restored: [],
          source: accountId(source).toXdr(),
          auth: given.invocation.auth.map((entry) => entry.xdr),
          seed: nextSeed(),
          transactionSize: 800,
        })
        if (output.outcome !== 'success') throw new Error(output.outcome)
        ledger.apply(output.changes)
        return given
      },
    },
    {
      when: 'the account writes more than the network lets a transaction write',
      code: `${P}simulation_failed`,
      says: 'bytes written, the network allows a transaction 132096',
      given: async () =>
        payment({ from: await greedyAccount({ writes: { entries: 3, bytes: 45_000 } }) }),
    },
    {
      when: 'the account reads more entries than the network lets a transaction declare',
      code: `${P}simulation_failed`,
      says: 'entries in its footprint, the network allows a transaction 400',
      given: async () => payment({ from: await greedyAccount({ reads: 400 }) }),
    },
    {
      when: 'the account emits more than the network lets a transaction emit',
      code: `${P}simulation_failed`,
      says: 'bytes of events and returned value, the network allows a transaction 16384',
      given: async () =>
        payment({ from: await greedyAccount({ events: { count: 2, bytes: 8_500 } }) }),
    },
    {
      when: 'the account writes an entry that is larger than the network allows',
      code: `${P}simulation_failed`,
      says: 'bytes in an entry of data, the network allows a transaction 65536',
      given: async () =>
        payment({ from: await greedyAccount({ writes: { entries: 1, bytes: 65_500 } }) }),
    },
    {
      when: 'the authorization has expired',
      code: 'invalid_exact_stellar_signature_expired',
      says: 'expired',
      given: async () => {
        const given = await payment()
        ledger.sequence += 11
        return given
      },
    },
    {
      when: 'the payer has too little',
      code: 'insufficient_funds',
      says: 'holds less USDC',
      given: () => payment({ amount: 501_0000000n }),
    },
    {
      when: 'a smart account has too little',
      code: 'insufficient_funds',
      says: 'holds less USDC',
      given: async () => payment({ from: await smartAccount('quiet'), amount: 101_0000000n }),
    },
    {
      when: 'the payer has no trustline',
      code: `${P}payer_trustline_missing`,
      says: `the payer ${payer.publicKey()}`,
      given: () => {
        removeTrustline(payer)
        return payment()
      },
    },
    {
      when: 'the recipient has no trustline',
      code: `${P}recipient_trustline_missing`,
      says: `the recipient ${seller.publicKey()}`,
      given: () => {
        removeTrustline(seller)
        return payment()
      },
    },
    {
      when: 'a muxed recipient has no trustline',
      code: `${P}recipient_trustline_missing`,
      says: `the recipient ${muxedSeller}`,
      given: () => {
        removeTrustline(seller)
        return payment({ payTo: muxedSeller })
      },
    },
    {
      when: 'the payer does not exist',
      code: `${P}account_missing`,
      says: `the payer ${payer.publicKey()}`,
      given: () => {
        removeTrustline(payer)
        removeAccount(payer)
        return payment()
      },
    },
    {
      when: "the payer's balance is frozen",
      code: `${P}trustline_not_authorized`,
      says: 'not authorized',
      given: () => {
        retrust(payer, { flags: 0 })
        return payment()
      },
    },
    {
      when: "the recipient's balance is frozen",
      code: `${P}trustline_not_authorized`,
      says: 'not authorized',
      given: () => {
        retrust(seller, { flags: 0 })
        return payment()
      },
    },
    {
      when: "the recipient's trustline is full",
      code: `${P}simulation_failed`,
      says: 'not within the allowed range',
      given: () => {
        retrust(seller, { balance: 10n, limit: 10n })
        return payment()
      },
    },
    {
      when: 'the recipient issues the asset',
      code: `${P}event_not_transfer`,
      says: "burn, expected only transfer; the asset's issuer",
      given: () => payment({ payTo: issuer.publicKey() }),
    },
    {
      when: 'the payer issues the asset',
      code: `${P}event_not_transfer`,
      says: 'mint',
      given: () => payment({ from: issuer.publicKey(), signer: issuer }),
    },
    {
      when: 'a smart account refuses',
      code: `${P}smart_account_rejected`,
      says: 'Error(Contract, #1)',
      given: async () => {
        const account = await smartAccount('quiet')
        await run(ledger, hostCall(account, 'set_refusing', xdr.ScVal.scvBool(true)))
        return payment({ from: account })
      },
    },
    {
      when: 'a smart account does not know the signer',
      code: `${P}smart_account_rejected`,
      says: 'Error(Contract, #2)',
      given: async () => payment({ from: await smartAccount('quiet'), signer: stranger }),
    },
    {
      when: 'a smart account gets no signatures and needs one',
      code: `${P}smart_account_rejected`,
      says: 'Error(Contract, #1)',
      given: async () => {
        const from = await policyAccount()
        return payment({ from, signer: 'nobody', signature: xdr.ScVal.scvVec([]) })
      },
    },
    {
      when: 'a spending policy refuses',
      code: `${P}smart_account_rejected`,
      says: 'refused the call',
      given: async () => payment({ from: await policyAccount(), amount: 10_0000001n }),
    },
    ...['mint', 'burn', 'clawback', 'approve'].map((eventName) => ({
      when: `a spending policy emits the ${eventName} event of a token`,
      code: `${P}event_not_transfer` as const,
      says: eventName,
      given: async () => payment({ from: await policyAccount({ eventName }) }),
    })),
    {
      when: 'the contract of the asset is archived',
      code: `${P}archived_state`,
      says: 'must be restored first',
      given: () => {
        const instance = [...ledger.entries].find(([, { liveUntil }]) => liveUntil !== undefined)
        if (!instance) throw new Error('no contract instance')
        ledger.setLiveUntil(Buffer.from(instance[0], 'hex'), ledger.sequence - 1)
        return payment()
      },
    },
    {
      when: 'there is no such smart account',
      code: `${P}account_missing`,
      says: 'does not exist',
      given: () => payment({ from: testnetPolicy.assets.keys().next().value ?? '' }),
    },
  ])('answers $code when $when', async ({ code, says, given }) => {
    const refused = await given()
    expect(refusalOf(refused)).toEqual({
      code,
      message: expect.stringContaining(says),
      payer: refused.payer,
    })
  })
})
