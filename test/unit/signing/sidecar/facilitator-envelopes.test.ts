import { beforeAll, describe, expect, it } from 'vitest'
import { Refusal } from '../../../../examples/signer-sidecar/policy/refusal.ts'
import { readClientEnvelope } from '../../../../src/stellar/transactions/client-envelope.ts'
import { type OurEnvelope, ourEnvelopes } from '../../../support/signing/our-envelopes.ts'
import { transaction } from '../../payments/protocol/payment-builder.ts'
import { accounts, examined, nowSeconds } from './examined.ts'

describe('what the facilitator builds', () => {
  let ours: readonly OurEnvelope[]
  beforeAll(async () => {
    const [operation] = readClientEnvelope(await transaction()).operations
    if (!operation?.invocation) throw new Error('no invocation')
    const terms = {
      network: 'stellar:testnet' as const,
      invocation: operation.invocation,
      maxTime: nowSeconds + 60n,
    }
    ours = await ourEnvelopes(terms, accounts)
  })

  it('is signed, each transaction', () => {
    const refused = ours.flatMap(({ name, envelopes }) =>
      envelopes.flatMap((envelope) => {
        const result = examined(envelope)
        return result instanceof Refusal ? [`${name}: ${result.code}, ${result.message}`] : []
      }),
    )
    expect(refused).toEqual([])
    expect(ours.length).toBeGreaterThan(20)
  })

  it('counts accounts and XLM once, where the sponsor consents, and the fee where it pays', () => {
    const effectsOf = (name: string) =>
      ours
        .find((each) => each.name === name)
        ?.envelopes.map((envelope) => {
          const { hash: _, ...effects } = Object(examined(envelope))
          return effects
        })
    expect(effectsOf('channels are created')).toEqual([{ fee: 600n, xlm: 0n, accounts: 2 }])
    expect(effectsOf('channels are created from a channel')).toEqual([
      { fee: 0n, xlm: 0n, accounts: 2 },
      { fee: 700n, xlm: 0n, accounts: 0 },
    ])
    expect(effectsOf('XLM goes to a recipient')).toEqual([{ fee: 100n, xlm: 5_000n, accounts: 0 }])
    expect(effectsOf('the sponsor is merged into a recipient')).toMatchObject([{ xlm: 'all' }])
    expect(effectsOf('a reserve is taken from a recipient')).toMatchObject([{ accounts: 1 }])
    expect(effectsOf('a settlement')).toEqual([{ fee: 40_300n, xlm: 0n, accounts: 0 }])
  })

  it('is not signed by the rules of a sponsor without recipients, deployments and data entries', () => {
    const none = { recipients: [], allowContractDeploy: false, dataEntries: [] }
    const left = ours.filter(({ envelopes }) =>
      envelopes.every((envelope) => !(examined(envelope, none) instanceof Refusal)),
    )
    expect(left.map(({ name }) => name)).toEqual([
      'a settlement',
      'channels are created',
      'channels are created from a channel',
      'channels are merged',
      'channels are merged from a channel',
      "a contract's extension",
      "a contract's extension from a channel",
      "a contract's restoration",
      "a contract's restoration from a channel",
    ])
  })
})
