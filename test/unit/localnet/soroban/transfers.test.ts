import { Asset, scValToNative, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, test } from 'vitest'
import type { InvokeInput } from '../../../../src/localnet/soroban/invoke.ts'
import {
  deployAsset,
  expectSuccess,
  prepare,
  run,
  signAuth,
  simulate,
  source,
  transactionData,
  transferOf,
} from './invocation.ts'
import { keypair, passphrase, TestLedger } from './test-ledger.ts'

const payer = keypair('payer')
const payee = keypair('payee')
const issuer = keypair('issuer')
const asset = new Asset('USDC', issuer.publicKey())
const token = asset.contractId(passphrase)

const transfer = (amount: bigint) => transferOf(token, payer, payee, amount)

let ledger: TestLedger
beforeEach(async () => {
  ledger = new TestLedger(source, payer, payee, issuer)
  ledger.createTrustline(payer, asset, 500_0000000n)
  ledger.createTrustline(payee, asset, 0n)
  expect(await deployAsset(ledger, asset)).toBe(token)
})

describe('recording a transfer', () => {
  test.each([
    { upgradedAuth: false, credentials: 'sorobanCredentialsAddress' },
    { upgradedAuth: true, credentials: 'sorobanCredentialsAddressV2' },
  ])('requires $credentials of the payer', ({ upgradedAuth, credentials }) => {
    const output = simulate(ledger, transfer(1n), { upgradedAuth })
    const entries = output.auth.map((entry) => xdr.SorobanAuthorizationEntry.fromXdr(entry))
    expect(entries.map((entry) => entry.credentials.type)).toEqual([credentials])
    expect(output.restored).toEqual([])
  })

  test('fails with the error number of the contract and the event log', () => {
    const { result, transactionData: data } = simulate(ledger, transfer(501_0000000n))
    if (result.ok) throw new Error('it passed')
    expect(result.failure).toMatchObject({ type: 'contract', code: 10 })
    expect(result.failure.text).toMatch(/^HostError: Error\(Contract, #10\)\n\nEvent log \(newest/)
    expect(result.failure.text).toContain('resulting balance is not within the allowed range')
    expect(data).toBeUndefined()
  })
})

describe.each([{ upgradedAuth: false }, { upgradedAuth: true }])(
  'a transfer with $upgradedAuth',
  (options) => {
    test('moves the amount, emits one event and stays within its declared fee', async () => {
      const input = await prepare(ledger, transfer(12_5000000n), payer, options)
      const declared = transactionData(
        simulate(ledger, transfer(12_5000000n), { mode: 'enforce', auth: input.auth }),
      )
      const output = expectSuccess(ledger.host.invoke(input))
      ledger.apply(output.changes)
      expect(ledger.trustlineBalance(payer, asset)).toBe(487_5000000n)
      expect(ledger.trustlineBalance(payee, asset)).toBe(12_5000000n)
      const [event, ...others] = output.events.map((xdrBytes) =>
        xdr.ContractEvent.fromXdr(xdrBytes),
      )
      expect(others).toEqual([])
      const body = event?.body.v0
      expect(body?.topics.map((topic) => scValToNative(topic))).toEqual([
        'transfer',
        payer.publicKey(),
        payee.publicKey(),
        `USDC:${issuer.publicKey()}`,
      ])
      expect(body && scValToNative(body.data)).toBe(12_5000000n)
      expect(output.nonRefundableFee + output.eventsFee + output.rentFee).toBeLessThanOrEqual(
        declared.resourceFee,
      )
    })

    test('cannot be replayed', async () => {
      const input = await prepare(ledger, transfer(1n), payer, options)
      ledger.apply(expectSuccess(ledger.host.invoke(input)).changes)
      expect(ledger.host.invoke(input)).toMatchObject({
        outcome: 'trapped',
        failure: { type: 'auth' },
      })
    })

    type Tamper = (input: InvokeInput) => Partial<InvokeInput> | Promise<Partial<InvokeInput>>
    test.each<{ when: string; tamper: Tamper }>([
      {
        when: 'its amount is higher than signed',
        tamper: () => ({ hostFunction: transfer(99n).toXdr() }),
      },
      {
        when: 'another key signed it',
        tamper: async ({ auth = [] }) => ({
          auth: await Promise.all(auth.map((entry) => signAuth(entry, payee, 1100))),
        }),
      },
      {
        when: 'its signature expires before this ledger',
        tamper: ({ ledger: it }) => ({ ledger: { ...it, sequence: it.sequence + 101 } }),
      },
      {
        when: 'it was signed for another network',
        tamper: ({ ledger: it }) => ({ ledger: { ...it, networkId: new Uint8Array(32) } }),
      },
      { when: 'it is not signed', tamper: () => ({ auth: [] }) },
    ])('is refused and changes nothing when $when', async ({ tamper }) => {
      const input = await prepare(ledger, transfer(12n), payer, options)
      const output = ledger.host.invoke({ ...input, ...(await tamper(input)) })
      expect(output.outcome).toBe('trapped')
      expect(output).not.toHaveProperty('changes')
      expect(output.nonRefundableFee).toBeGreaterThan(0n)
    })
  },
)

test('an enforcing simulation fails as an invocation does', async () => {
  const { auth } = await prepare(ledger, transfer(12n), payer)
  const { result } = simulate(ledger, transfer(13n), { mode: 'enforce', auth })
  expect(result).toMatchObject({ ok: false, failure: { type: 'auth' } })
})

test('the native asset contract keeps the reserve of an account', async () => {
  const native = await deployAsset(ledger, Asset.native())
  const drain = transferOf(native, payer, payee, 999_5000000n)
  await expect(run(ledger, drain, payer)).rejects.toThrow(/Error\(Contract, #10\)/)
})
