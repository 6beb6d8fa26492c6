import type { Keypair } from '@stellar/stellar-sdk'
import { usdcContracts } from '../../../../../src/platform/core/caip2.ts'
import type { Variables } from '../../admin-world.ts'
import { type Answer, answers, asksFor, meteredOffer, offer, settled } from '../paid-server.ts'
import { hangUp, html, redirect, version1 } from './unpayable-answers.ts'

/** Accounts of the embedded network, but `stranger`. */
export interface PayParties {
  /** Has 5 USDC. */
  readonly buyer: Keypair
  /** Has one base unit of USDC. */
  readonly poor: Keypair
  /** Has no trustline. */
  readonly bare: Keypair
  readonly seller: Keypair
  /** Has no account. */
  readonly stranger: Keypair
}

/** A call of `svc pay` that is not, or may not be, paid. */
export interface FailingPay {
  readonly when: string
  readonly first?: () => Answer
  readonly paidAnswer?: Answer
  readonly args?: readonly string[]
  readonly changes?: () => Variables
  readonly exit?: number
  readonly paid?: boolean | null
  readonly error: string
  readonly says: RegExp
  /** What to do, where the case checks that. */
  readonly hint?: RegExp
  /** Whether a signed payment reached the seller. @default not */
  readonly isSent?: boolean
}

/** @param parties is called when a test runs, not before */
export function failingPays(parties: () => PayParties): readonly FailingPay[] {
  const to = (who: keyof PayParties) => parties()[who].publicKey()
  const by = (who: keyof PayParties) => () => ({ BUYER_SECRET: parties()[who].secret() })
  const asksMetered = (changes: object = {}, extra: object = {}) =>
    asksFor(meteredOffer(to('seller'), changes, extra))
  return [
    {
      when: 'the seed is none',
      changes: () => ({ BUYER_SECRET: 'SECRET' }),
      exit: 78,
      error: 'bad_seed',
      says: /^BUYER_SECRET holds no secret seed/,
    },
    {
      when: 'the seed is a public key',
      changes: () => ({ BUYER_SECRET: to('stranger') }),
      exit: 78,
      error: 'bad_seed',
      says: /^BUYER_SECRET holds no secret seed/,
    },
    {
      when: 'there is no seed',
      changes: () => ({ BUYER_SECRET: undefined }),
      exit: 78,
      error: 'bad_seed',
      says: /^BUYER_SECRET must hold/,
    },
    {
      when: 'the seed is given twice',
      changes: () => ({ BUYER_SECRET_FILE: '/nowhere' }),
      exit: 78,
      error: 'bad_seed',
      says: /^BUYER_SECRET and BUYER_SECRET_FILE are both set: unset one of them$/,
      hint: /^Set either BUYER_SECRET, or BUYER_SECRET_FILE/,
    },
    {
      when: 'the API is free',
      first: () => answers(200),
      error: 'no_price',
      says: /answered 200 and asked for no payment$/,
    },
    { when: 'the URL is a page', first: () => html, error: 'no_price', says: /200 \(text\/html\)/ },
    {
      when: 'nothing is there',
      first: () => answers(404),
      error: 'no_price',
      says: /answered 404/,
    },
    {
      when: 'the URL redirects',
      first: () => redirect,
      error: 'redirected',
      says: /redirects to https:\/\/elsewhere\.example\/$/,
    },
    {
      when: 'the connection breaks',
      first: () => hangUp,
      error: 'unreachable',
      says: /did not complete its answer/,
      hint: /^Nothing was paid\. Check the address/,
    },
    {
      when: 'the 402 has no price',
      first: () => answers(402),
      error: 'not_payable',
      says: /402 without a price/,
    },
    {
      when: 'the 402 is of x402 version 1',
      first: () => version1,
      error: 'not_payable',
      says: /x402 version 1, and this client pays version 2/,
      hint: /^Nothing was paid\. Pay with a client of version 1, or ask the seller for version 2/,
    },
    {
      when: 'the 402 is for another network',
      first: () => asksFor(offer(to('seller'), { network: 'eip155:8453' })),
      error: 'not_payable',
      says: /offers exact on eip155:8453, and this client pays exact and upto on stellar:testnet/,
    },
    {
      when: 'the price is above the limit',
      args: ['--max', '0.009'],
      error: 'too_expensive',
      says: /^the price is 0\.01 USDC, and the most to pay is 0\.009 USDC$/,
      hint: /^Nothing was paid\. If you accept the price, raise the most to pay\.$/,
    },
    {
      when: 'the ceiling is above the limit',
      first: () => asksMetered(),
      args: ['--max', '0.49'],
      error: 'too_expensive',
      says: /^the ceiling is 0\.5 USDC, and the most to pay is 0\.49 USDC$/,
      hint: /^Nothing was paid\. If you accept the ceiling, raise the most to pay/,
    },
    {
      when: 'the settlement contract runs other code',
      first: () => asksMetered({}, { uptoContract: usdcContracts['stellar:testnet'] }),
      error: 'not_payable',
      says: /refuses: the settlement contract C\w{55} is built into the network, so nothing proves/,
      hint: /^Nothing was paid\. Of the scheme upto this client pays the profile authority-v1/,
    },
    {
      when: 'the metered price is of another profile',
      first: () => asksMetered({}, { profile: 'stateless' }),
      error: 'not_payable',
      says: /refuses: the offer is not of the profile authority-v1: extra\.profile/,
    },
    {
      when: 'the payer has no account',
      changes: by('stranger'),
      error: 'no_account',
      says: /account G\w{55} does not exist on stellar:testnet$/,
    },
    {
      when: 'the payer has no trustline',
      changes: by('bare'),
      error: 'no_trustline',
      says: /account G\w{55} has no trustline to USDC$/,
    },
    {
      when: 'the payer has too little',
      changes: by('poor'),
      error: 'too_little',
      says: /^the price is 0\.01 USDC, and the payer G\w{55} has 0\.0000001 USDC$/,
    },
    {
      when: 'the seller has no trustline',
      first: () => asksFor(offer(to('bare'))),
      error: 'seller_cannot_receive',
      says: /seller's account G\w{55} has no trustline to USDC/,
    },
    {
      when: 'the payment has no sponsor',
      first: () => asksFor(offer(to('seller'), { extra: {} })),
      error: 'not_signed',
      says: /areFeesSponsored/,
    },
    {
      when: 'nothing listens at --rpc',
      args: ['--rpc', 'https://127.0.0.1:1023/key'],
      error: 'rpc_unreachable',
      says: /^the Stellar RPC https:\/\/127\.0\.0\.1:1023 refuses connections/,
    },
    {
      when: 'the RPC shows a certificate of its own',
      changes: () => ({ NODE_EXTRA_CA_CERTS: undefined }),
      error: 'rpc_untrusted',
      says: /^the Stellar RPC https:\/\/\S+ shows a certificate that Node does not trust/,
    },
    {
      when: 'the seller refuses the payment',
      paidAnswer: (request, response, body) =>
        asksFor({ ...offer(to('seller')), error: 'insufficient_funds' })(request, response, body),
      exit: 2,
      paid: null,
      error: 'refused',
      says: /refused the payment: insufficient_funds$/,
      isSent: true,
    },
    {
      when: 'a metered payment is settled too late',
      first: () => asksMetered(),
      paidAnswer: answers(402, {
        ...settled,
        success: false,
        transaction: '',
        errorReason: 'settle_upto_stellar_authorization_expired',
      }),
      exit: 2,
      paid: null,
      error: 'refused',
      says: /^the payment was refused: settle_upto_stellar_authorization_expired$/,
      isSent: true,
    },
    {
      when: 'the facilitator refuses the payment',
      paidAnswer: answers(402, {
        ...settled,
        success: false,
        transaction: '',
        errorReason: 'invalid_payload',
      }),
      exit: 2,
      paid: null,
      error: 'refused',
      says: /^the payment was refused: invalid_payload$/,
      isSent: true,
    },
    {
      when: 'the transaction is not final',
      paidAnswer: answers(402, { ...settled, success: false, errorReason: 'settlement_pending' }),
      exit: 2,
      paid: null,
      error: 'outcome_unknown',
      says: /settlement_pending/,
      isSent: true,
    },
    {
      when: 'the paid answer is an error without a word about the payment',
      paidAnswer: answers(500),
      exit: 2,
      paid: null,
      error: 'outcome_unknown',
      says: /answered 500 without saying what became of the payment$/,
      isSent: true,
    },
    {
      when: 'the connection breaks after the payment was sent',
      paidAnswer: hangUp,
      exit: 2,
      paid: null,
      error: 'outcome_unknown',
      says: /did not complete its answer/,
      isSent: true,
    },
    {
      when: 'the answer is an error although the payment was made',
      paidAnswer: answers(500, settled),
      exit: 2,
      paid: true,
      error: 'paid_without_answer',
      says: /took the payment and answered 500$/,
      isSent: true,
    },
  ]
}
