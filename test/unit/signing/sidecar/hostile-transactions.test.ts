import { Keypair, Operation, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import {
  addressCredentials,
  callOperation,
  envelopeOf,
  examined,
  nowSeconds,
  sponsor,
} from './examined.ts'
import {
  authOf,
  bounds,
  bumped,
  channel,
  creation,
  delegated,
  deploy,
  hash,
  mark,
  merge,
  other,
  sorobanCredentialsAddress,
  sorobanCredentialsAddressV2,
  stranger,
  wasm,
} from './operations.ts'

describe('a transaction in another form than ours', () => {
  const settlement = [callOperation(undefined)]
  test.each<[string, string, string]>([
    [
      'a fee bump around a transaction of the sponsor',
      'inner_source',
      envelopeOf([mark], { payer: sponsor }),
    ],
    [
      'a fee bump that a stranger pays',
      'fee_source',
      envelopeOf([mark], { source: channel, payer: stranger }),
    ],
    [
      'a fee above the ceiling',
      'fee_ceiling',
      envelopeOf(settlement, { ...bumped, soroban: true, fee: 1_000_001n }),
    ],
    [
      'a fee bump with a negative fee',
      'fee_ceiling',
      envelopeOf(settlement, { ...bumped, soroban: true, fee: -1n }),
    ],
    [
      'a transaction that needs no signature of the sponsor',
      'not_ours',
      envelopeOf([merge(stranger, other)], { source: stranger }),
    ],
    ['no max time', 'max_time', envelopeOf([mark], { cond: xdr.Preconditions.precondNone() })],
    ['the max time zero', 'max_time', envelopeOf([mark], { maxTime: 0n })],
    ['a far max time', 'max_time', envelopeOf([mark], { maxTime: nowSeconds + 601n })],
    ['a max time beyond dates', 'max_time', envelopeOf([mark], { maxTime: 2n ** 64n - 1n })],
    ['a past max time', 'max_time', envelopeOf([mark], { maxTime: nowSeconds - 1n })],
    [
      'no max time in its bounds',
      'max_time',
      envelopeOf([mark], { cond: bounds({ timeBounds: null }) }),
    ],
    [
      'a min sequence number',
      'preconditions',
      envelopeOf([mark], { cond: bounds({ minSeqNum: 1n }) }),
    ],
    [
      'an extra signer',
      'preconditions',
      envelopeOf([mark], {
        cond: bounds({ extraSigners: [xdr.SignerKey.signerKeyTypeEd25519(hash)] }),
      }),
    ],
    [
      'a min ledger',
      'preconditions',
      envelopeOf([mark], {
        cond: bounds({ ledgerBounds: new xdr.LedgerBounds({ minLedger: 1, maxLedger: 0 }) }),
      }),
    ],
    ['a memo', 'memo', envelopeOf([mark], { memo: xdr.Memo.memoText('x') })],
    [
      'a call of a contract by the sponsor',
      'operation_source',
      envelopeOf([callOperation(sponsor)], { ...bumped, soroban: true }),
    ],
    [
      'a call whose transaction is of the sponsor',
      'operation_source',
      envelopeOf([callOperation(channel)], { soroban: true }),
    ],
    [
      'an authorization entry of the sponsor',
      'sponsor_auth',
      envelopeOf(
        [callOperation(undefined, sorobanCredentialsAddress(addressCredentials(sponsor)))],
        { ...bumped, soroban: true },
      ),
    ],
    [
      'the same of the second version',
      'sponsor_auth',
      envelopeOf(
        [callOperation(undefined, sorobanCredentialsAddressV2(addressCredentials(sponsor)))],
        { ...bumped, soroban: true },
      ),
    ],
    [
      'an entry that delegates to the sponsor',
      'sponsor_auth',
      envelopeOf([callOperation(undefined, delegated)], { ...bumped, soroban: true }),
    ],
    ['a call without Soroban data', 'soroban_data', envelopeOf(settlement, bumped)],
    ['a mark with Soroban data', 'soroban_data', envelopeOf([mark], { soroban: true })],
    [
      'a call beside another operation',
      'shape',
      envelopeOf([...settlement, ...settlement], { ...bumped, soroban: true }),
    ],
    [
      'an extension with a source of its own',
      'operation_source',
      envelopeOf([Operation.extendFootprintTtl({ source: sponsor, extendTo: 5 })], {
        ...bumped,
        soroban: true,
      }),
    ],
    [
      'an upload that authorizes something',
      'sponsor_auth',
      envelopeOf(
        [
          Operation.invokeHostFunction({
            func: xdr.HostFunction.hostFunctionTypeUploadContractWasm(hash),
            auth: authOf(callOperation(undefined)),
          }),
        ],
        { soroban: true },
      ),
    ],
    [
      'a contract with arguments of a constructor',
      'contract_call',
      envelopeOf([deploy], { soroban: true }),
    ],
    [
      'a contract of another deployer',
      'contract_call',
      envelopeOf([creation(stranger, [])], { soroban: true }),
    ],
    [
      'a contract that is authorized by another entry',
      'sponsor_auth',
      envelopeOf([creation(sponsor, authOf(callOperation(undefined)))], { soroban: true }),
    ],
  ])('is refused: %s (%s)', (_, code, envelope) => {
    expect(examined(envelope)).toMatchObject({ code })
  })

  it('is refused with both times where the clocks differ', () => {
    expect(examined(envelopeOf([mark], { maxTime: nowSeconds + 3_600n }))).toMatchObject({
      message: expect.stringContaining(
        'its max time 2027-01-15T09:00:00.000Z, the clock of the sidecar 2027-01-15T08:00:00.000Z',
      ),
    })
  })

  test.each<[string, string]>([
    ['contract_deploy', envelopeOf([wasm], { soroban: true })],
    ['contract_deploy', envelopeOf([creation(sponsor, [])], { soroban: true })],
  ])('is refused where the configuration forbids deployments: %s', (code, envelope) => {
    expect(examined(envelope, { allowContractDeploy: false })).toMatchObject({ code })
  })

  test.each([
    ['no base64', '!!!'],
    ['cut off', envelopeOf([mark]).slice(0, 40)],
    [
      'with bytes after it',
      Buffer.concat([Buffer.from(envelopeOf([mark]), 'base64'), Buffer.alloc(4)]).toString(
        'base64',
      ),
    ],
    ['base64 for URLs', `${envelopeOf([mark])}\n`],
    ['of another type', mark.toXdr('base64')],
  ])('is refused: %s', (_, envelope) => {
    expect(examined(envelope)).toMatchObject({ code: 'malformed' })
  })

  it('is refused: an envelope of version 0', () => {
    const tx = new xdr.TransactionV0({
      sourceAccountEd25519: Keypair.fromPublicKey(sponsor).rawPublicKey(),
      fee: 100,
      seqNum: 1n,
      timeBounds: null,
      memo: xdr.Memo.memoNone(),
      operations: [mark],
      ext: xdr.TransactionV0Ext.v0(),
    })
    const envelope = xdr.TransactionEnvelope.envelopeTypeTxV0(
      new xdr.TransactionV0Envelope({ tx, signatures: [] }),
    )
    expect(examined(envelope.toXdr('base64'))).toMatchObject({ code: 'envelope_type' })
  })
})
