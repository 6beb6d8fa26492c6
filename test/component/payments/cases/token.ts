/** Refusals of the effects of a call, with tokens and accounts that do more than a transfer. */
import type { TrickTokenMode } from '../../../support/contracts.ts'
import { usdc } from '../../../support/payments.ts'
import type { RefusedPayment } from '../../../support/refusals/refusal.ts'
import type { WorldRefusal } from '../refusal-case.ts'
import type { World } from '../world.ts'

const P = 'invalid_exact_stellar_payload_'

/** Contracts that are deployed before the facilitator starts and accepts them as assets. */
export interface TokenWorld extends World {
  readonly tokens: ReadonlyMap<TrickTokenMode, string>
  readonly bell: string
}

type Tokens = { readonly token: string; readonly payer: string; readonly seller: string }

const paidIn =
  (
    mode: TrickTokenMode,
    worldOf: () => TokenWorld,
    message: (parties: Tokens & { bell: string }) => RefusedPayment['message'],
  ) =>
  async (world: World): Promise<RefusedPayment> => {
    const { tokens, bell } = worldOf()
    const token = tokens.get(mode) ?? ''
    const parties = { token, payer: world.payer.address, seller: world.seller.address, bell }
    await world.deployer.mint(token, parties.payer)
    return {
      body: await world.pay({ asset: token }),
      message: message(parties),
      payer: parties.payer,
    }
  }

export const tokenCases = (worldOf: () => TokenWorld): readonly WorldRefusal[] => [
  {
    code: `${P}event_not_transfer`,
    when: 'for a token that emits a mint event instead',
    build: paidIn(
      'otherTopic',
      worldOf,
      ({ token }) =>
        `contract ${token} emits contract event mint, expected only transfer; the asset's issuer can neither pay nor be paid`,
    ),
  },
  {
    code: `${P}event_not_transfer`,
    when: 'for a token that makes another contract emit an event',
    build: paidIn(
      'ringing',
      worldOf,
      ({ bell }) => `contract ${bell} emits contract event rung, expected only transfer`,
    ),
  },
  {
    code: `${P}event_not_transfer`,
    when: "for a smart account whose spending policy emits a token's event",
    build: async (world) => {
      const payer = await world.deployer.policyAccount('approve')
      return {
        body: await world.pay({ payer }),
        message: `contract ${payer.policy} emits contract event approve, expected only transfer`,
        payer: payer.address,
      }
    },
  },
  {
    code: `${P}event_wrong_asset`,
    when: 'for a smart account that makes another token emit a transfer event',
    build: async (world) => {
      const other = worldOf().tokens.get('honest') ?? ''
      const payer = await world.deployer.smartAccount('ringing', other)
      return {
        body: await world.pay({ payer }),
        message: `contract ${other} emits a transfer, expected only ${usdc}`,
        payer: payer.address,
      }
    },
  },
  {
    code: `${P}no_transfer_events`,
    when: 'for a token that emits no event',
    build: paidIn('silent', worldOf, ({ token }) => `the call emits no transfer event of ${token}`),
  },
  {
    code: `${P}multiple_transfers`,
    when: 'for a token that emits the event twice',
    build: paidIn('twice', worldOf, () => 'the call makes 2 transfers, expected one'),
  },
  {
    code: `${P}event_wrong_from`,
    when: 'for a token that names another payer',
    build: paidIn(
      'wrongFrom',
      worldOf,
      ({ token, payer }) => `the transfer is from ${token}, expected ${payer}`,
    ),
  },
  {
    code: `${P}event_wrong_to`,
    when: 'for a token that names another recipient',
    build: paidIn(
      'wrongTo',
      worldOf,
      ({ token, seller }) => `the transfer is to ${token}, expected ${seller}`,
    ),
  },
  {
    code: `${P}event_wrong_amount`,
    when: 'for a token that names another amount',
    build: paidIn('wrongAmount', worldOf, () => 'the transfer is for 100001, expected 100000'),
  },
  {
    code: `${P}unauthorized_invocation`,
    when: 'for a token that requires the authorization of another address too',
    build: paidIn(
      'guarded',
      worldOf,
      ({ bell }) => `the call needs an authorization of ${bell} that was not given`,
    ),
  },
]
