/** Sponsors of tests, and what they and their accounts have on the embedded network. */
import { randomBytes } from 'node:crypto'
import { FeeBumpTransaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../src/localnet/network.ts'
import { authoritySigner, channelSigner } from '../../src/payments/channels/derive.ts'
import { secretOfSeed, signerFromSeed } from '../../src/stellar/accounts/signer.ts'
import { accountEntry, transactionsAfter } from './ledger-view.ts'

export const network = 'stellar:testnet'
export const XLM = 10_000_000n

/** A sponsor; a new one is in neither ledger nor store. */
export interface Sponsor {
  readonly secret: string
  readonly address: string
  /** Address of its settlement authority. */
  readonly authority: string
}

export function newSponsor(): Sponsor {
  const seed = randomBytes(32)
  const secret = secretOfSeed(seed)
  const { address } = signerFromSeed(seed)
  return { secret, address, authority: authoritySigner(secret, network).address }
}

/** Of its channels 0 to count - 1. */
export const channelAddresses = ({ secret }: Sponsor, count: number): string[] =>
  Array.from({ length: count }, (_, index) => channelSigner(secret, network, index).address)

/** Balance and sponsored reserves of an account; undefined when it is not on the ledger. */
export function accountOf(ledgers: Localnet, address: string) {
  try {
    const { balance, ext } = accountEntry(ledgers, address)
    const second = ext.type === 'v1' && ext.v1.ext.type === 'v2' ? ext.v1.ext.v2 : undefined
    return { balance, sponsoring: second?.numSponsoring ?? 0 }
  } catch {
    return undefined
  }
}

interface SponsorAccounts {
  readonly sponsors: readonly Sponsor[]
  /** Of each of them. */
  readonly channels: number
}

const addressesOf = ({ sponsors, channels }: SponsorAccounts): string[] =>
  sponsors.flatMap((sponsor) => [
    sponsor.address,
    sponsor.authority,
    ...channelAddresses(sponsor, channels),
  ])

/** The transactions after this ledger whose fee one of these accounts paid. */
export function paidBy(
  ledgers: Localnet,
  since: number,
  accounts: SponsorAccounts,
): readonly { readonly successful: boolean; readonly fee: bigint }[] {
  const addresses = new Set(addressesOf(accounts))
  return transactionsAfter(ledgers, since).flatMap(({ envelopeXdr, resultXdr, successful }) => {
    const sent = TransactionBuilder.fromXdr(
      Buffer.from(envelopeXdr).toString('base64'),
      ledgers.passphrase,
    )
    const payer = sent instanceof FeeBumpTransaction ? sent.feeSource : sent.source
    const fee = xdr.TransactionResult.fromXdr(resultXdr).feeCharged
    return addresses.has(payer) ? [{ successful, fee }] : []
  })
}

/**
 * Stroops of these sponsors, of their first channels and authorities, and what the ledgers have charged them since: equal before and after
 * when nobody else had a part in it.
 */
export function stroopsOf(ledgers: Localnet, since: number, accounts: SponsorAccounts): bigint {
  const held = addressesOf(accounts).map((address) => accountOf(ledgers, address)?.balance ?? 0n)
  const charged = paidBy(ledgers, since, accounts).map(({ fee }) => fee)
  return [...held, ...charged].reduce((sum, amount) => sum + amount, 0n)
}
