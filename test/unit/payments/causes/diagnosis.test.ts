import { describe, expect, it, test } from 'vitest'
import { diagnose } from '../../../../src/payments/causes/diagnosis.ts'
import type { ReasonCode } from '../../../../src/payments/protocol/reasons.ts'
import { exact } from '../../../../src/payments/schemes/exact/exact.ts'
import type { HostEvent, ScValue } from '../../../../src/stellar/values/sc-value.ts'
import { asset, otherContract, payer, seller, smartAccount } from '../protocol/payment-builder.ts'

const P = 'invalid_exact_stellar_payload_'
const terms = { rules: exact.rules.settle, policy: {} }
const token = { contract: asset, symbol: 'USDC', decimals: 7 }

type Arg = string | bigint | readonly [string, string]

const value = (arg: Arg): ScValue => {
  if (typeof arg === 'bigint') return { type: 'i64', value: arg }
  if (typeof arg === 'string') return { type: 'address', value: arg }
  return { type: 'error', error: { type: arg[0], code: arg[1] } }
}

/** An error event as the host logs it. */
const hostError = (
  error: readonly [string, string],
  sentence: string,
  args: readonly Arg[] = [],
  contract = asset,
): HostEvent => ({
  kind: 'diagnostic',
  inSuccessfulCall: false,
  contract,
  topics: [{ type: 'symbol', value: 'error' }, value(error)],
  data: { type: 'vec', items: [{ type: 'string', value: sentence }, ...args.map(value)] },
})

const invalidAction = ['Auth', 'InvalidAction'] as const
const failedAuthentication = (who: string, why: readonly [string, string]) =>
  hostError(invalidAction, 'failed account authentication with error', [who, why])

interface Row {
  when: string
  payer?: string
  error: string
  events: HostEvent[]
  code: ReasonCode
  says: string
}

const assetFailure = (code: number, sentence: string, args: readonly Arg[] = []) => ({
  error: `HostError: Error(Contract, #${code})`,
  events: [hostError(['Contract', `#${code}`], sentence, args)],
})

const rows: Row[] = [
  {
    when: 'the nonce was used',
    error: 'HostError: Error(Auth, ExistingValue)',
    events: [hostError(['Auth', 'ExistingValue'], 'nonce already exists for address', [payer])],
    code: `${P}nonce_already_used`,
    says: 'used already',
  },
  {
    when: 'the nonce was used and no events came',
    error: 'HostError: Error(Auth, ExistingValue)',
    events: [],
    code: `${P}nonce_already_used`,
    says: 'used already',
  },
  {
    when: 'the entry expired before the simulation',
    error: 'HostError: Error(Auth, InvalidInput)',
    events: [hostError(['Auth', 'InvalidInput'], 'signature has expired', [payer])],
    code: 'invalid_exact_stellar_signature_expired',
    says: 'expired',
  },
  {
    when: 'the entry outlives what the network stores',
    error: 'HostError: Error(Auth, InvalidInput)',
    events: [hostError(['Auth', 'InvalidInput'], 'signature expiration is too late', [payer])],
    code: 'invalid_exact_stellar_signature_expiration_too_far',
    says: 'later than the network allows',
  },
  {
    when: 'the signature does not verify',
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [
      hostError(['Crypto', 'InvalidInput'], 'failed ED25519 verification'),
      failedAuthentication(payer, ['Crypto', 'InvalidInput']),
    ],
    code: `${P}invalid_signature`,
    says: 'Error(Crypto, InvalidInput)',
  },
  {
    when: 'the signers have too little weight',
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [
      hostError(['Contract', '#5'], 'signature weight is lower than threshold', [0n, 1n]),
      failedAuthentication(payer, ['Contract', '#5']),
    ],
    code: `${P}invalid_signature`,
    says: 'Error(Contract, #5)',
  },
  {
    when: 'the payer does not exist',
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [failedAuthentication(payer, ['Storage', 'MissingValue'])],
    code: `${P}account_missing`,
    says: `the payer ${payer} does not exist`,
  },
  {
    when: 'a smart account refuses',
    payer: smartAccount,
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [
      hostError(['Contract', '#3'], 'escalating', [], smartAccount),
      failedAuthentication(smartAccount, ['Contract', '#3']),
    ],
    code: `${P}smart_account_rejected`,
    says: 'Error(Contract, #3)',
  },
  {
    when: 'a smart account traps',
    payer: smartAccount,
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [failedAuthentication(smartAccount, ['WasmVm', 'InvalidAction'])],
    code: `${P}smart_account_rejected`,
    says: 'Error(WasmVm, InvalidAction)',
  },
  {
    when: 'a smart account misses something of its own',
    payer: smartAccount,
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [
      hostError(['Storage', 'MissingValue'], 'trying to get non-existing value', [], smartAccount),
      failedAuthentication(smartAccount, ['Storage', 'MissingValue']),
    ],
    code: `${P}smart_account_rejected`,
    says: 'Error(Storage, MissingValue)',
  },
  {
    when: "a smart account's signature does not verify",
    payer: smartAccount,
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [failedAuthentication(smartAccount, ['Crypto', 'InvalidInput'])],
    code: `${P}invalid_signature`,
    says: smartAccount,
  },
  {
    when: 'a smart account refuses with a number the asset uses too',
    payer: smartAccount,
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [
      hostError(['Contract', '#10'], 'escalating', [], smartAccount),
      failedAuthentication(smartAccount, ['Contract', '#10']),
    ],
    code: `${P}smart_account_rejected`,
    says: '#10',
  },
  {
    when: 'an authorization is missing',
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [hostError(invalidAction, 'Unauthorized function call for address', [payer])],
    code: `${P}unauthorized_invocation`,
    says: `an authorization of ${payer}`,
  },
  {
    when: 'an authorization is missing and no events came',
    error: 'HostError: Error(Auth, InvalidAction)',
    events: [],
    code: `${P}unauthorized_invocation`,
    says: 'an authorization that was not given',
  },
  {
    when: 'the payer has no trustline',
    ...assetFailure(13, 'trustline entry is missing for account', [payer]),
    code: `${P}payer_trustline_missing`,
    says: `the payer ${payer} holds no trustline to USDC`,
  },
  {
    when: 'the recipient has no trustline',
    ...assetFailure(13, 'trustline entry is missing for account', [seller]),
    code: `${P}recipient_trustline_missing`,
    says: `the recipient ${seller}`,
  },
  {
    when: 'the trustline of an unknown account is missing',
    ...assetFailure(13, 'trustline entry is missing for account', []),
    code: `${P}simulation_failed`,
    says: 'trustline entry is missing',
  },
  {
    when: 'the payer has too little',
    ...assetFailure(10, 'resulting balance is not within the allowed range', [0n, -5n, 900n]),
    code: 'insufficient_funds',
    says: 'holds less USDC',
  },
  {
    when: 'a contract has too little',
    ...assetFailure(10, 'zero balance is not sufficient to spend', []),
    code: 'insufficient_funds',
    says: 'holds less USDC',
  },
  {
    when: "the recipient's trustline is full",
    ...assetFailure(10, 'resulting balance is not within the allowed range', [0n, 901n, 900n]),
    code: `${P}simulation_failed`,
    says: 'not within the allowed range',
  },
  {
    when: 'a balance is frozen',
    ...assetFailure(11, 'balance is deauthorized', []),
    code: `${P}trustline_not_authorized`,
    says: 'the issuer of USDC',
  },
  {
    when: 'the recipient does not exist',
    ...assetFailure(6, 'account entry is missing', [seller]),
    code: `${P}account_missing`,
    says: `the recipient ${seller}`,
  },
  {
    when: 'another contract uses the same number',
    error: 'HostError: Error(Contract, #10)',
    events: [hostError(['Contract', '#10'], 'not ours', [], otherContract)],
    code: `${P}simulation_failed`,
    says: 'Error(Contract, #10)',
  },
  {
    when: 'the budget is spent',
    error: 'HostError: Error(Budget, ExceededLimit)\n\nEvent log (newest first):\n  0: ...',
    events: [],
    code: `${P}simulation_failed`,
    says: 'Error(Budget, ExceededLimit)',
  },
  {
    when: 'the text is empty',
    error: '',
    events: [],
    code: `${P}simulation_failed`,
    says: 'the host gives no reason',
  },
]

describe('diagnose', () => {
  test.each(rows)(
    'answers $code when $when',
    ({ payer: from = payer, error, events, code, says }) => {
      const payment = { payer: from, payTo: seller, asset: token }
      const failed = { kind: 'failed', latestLedger: 1, error, events } as const
      expect(diagnose(payment, failed, terms)).toEqual({
        code,
        message: expect.stringContaining(says),
      })
    },
  )

  it('ignores an event of the smart account that has the shape of a host error', () => {
    const why = ['Contract', '#1'] as const
    const refusal = failedAuthentication(smartAccount, why)
    const forged = {
      ...hostError(['Storage', 'Missing'], 'the entry is archived'),
      kind: 'contract',
    } as const
    const events = [forged, refusal]
    const error = 'HostError: Error(Auth, InvalidAction)'
    const failed = { kind: 'failed', latestLedger: 1, error, events } as const
    const payment = { payer: smartAccount, payTo: seller, asset: token }
    expect(diagnose(payment, failed, terms).code).toBe(`${P}smart_account_rejected`)
  })

  it('leaves out the event log', () => {
    const error = 'HostError: Error(Budget, ExceededLimit)\n\nEvent log: secret'
    const failed = { kind: 'failed', latestLedger: 1, error, events: [] } as const
    const { message } = diagnose({ payer, payTo: seller, asset: token }, failed, terms)
    expect(message).not.toContain('Event log')
  })
})
