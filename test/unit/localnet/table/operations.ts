/** Operations in few words. Without a source they are those of the source of their transaction. */
import { createHash } from 'node:crypto'
import {
  Account,
  type Asset,
  Keypair,
  MuxedAccount,
  Operation,
  StrKey,
  xdr,
} from '@stellar/stellar-sdk'
import type { Op } from '../harness.ts'
import { addressOf, REG, XLM } from './accounts.ts'

type Options = Parameters<typeof Operation.setOptions>[0]
type Flags = Parameters<typeof Operation.setTrustLineFlags>[0]['flags']

const by = (source: Keypair | undefined) => (source ? { source: addressOf(source) } : {})

export const create = (destination: Keypair, startingBalance: string, source?: Keypair): Op =>
  Operation.createAccount({ destination: addressOf(destination), startingBalance, ...by(source) })

export const pay = (to: Keypair | string, amount: string, asset = XLM, source?: Keypair): Op =>
  Operation.payment({
    destination: to instanceof Keypair ? addressOf(to) : to,
    amount,
    asset,
    ...by(source),
  })

export const trust = (asset: Asset, limit = '1000', source?: Keypair): Op =>
  Operation.changeTrust({ asset, limit, ...by(source) })

export const flags = (trustor: Keypair, set: Flags, asset: Asset = REG): Op =>
  Operation.setTrustLineFlags({ trustor: addressOf(trustor), asset, flags: set })

/** Authorized to keep offers and nothing else. */
export const maintainOnly: Flags = { authorized: false, authorizedToMaintainLiabilities: true }

export const clawback = (holder: Keypair, amount: string, asset: Asset = REG): Op =>
  Operation.clawback({ from: addressOf(holder), amount, asset })

export const merge = (into: Keypair, source?: Keypair): Op =>
  Operation.accountMerge({ destination: addressOf(into), ...by(source) })

export const data = (name: string, value: string | null, source?: Keypair): Op =>
  Operation.manageData({ name, value, ...by(source) })

export const bumpTo = (sequence: bigint, source?: Keypair): Op =>
  Operation.bumpSequence({ bumpTo: sequence.toString(), ...by(source) })

export const options = (set: Options, source?: Keypair): Op =>
  Operation.setOptions({ ...set, ...by(source) })

/** Weight 0 removes the signer. */
export const signer = (who: Keypair, weight = 1, source?: Keypair): Op =>
  options({ signer: { ed25519PublicKey: addressOf(who), weight } }, source)

/** Above the weight of a master key, which is 1 by default; the low threshold stays 0. */
export const mediumThreshold2 = options({ medThreshold: 2, highThreshold: 2 })
export const highThreshold2 = options({ highThreshold: 2 })

export const begin = (account: Keypair, sponsor?: Keypair): Op =>
  Operation.beginSponsoringFutureReserves({ sponsoredId: addressOf(account), ...by(sponsor) })

export const end = (account: Keypair): Op =>
  Operation.endSponsoringFutureReserves({ source: addressOf(account) })

/** The sponsor holds the reserve of every entry that the operations create for the account. */
export const sponsored = (
  sponsor: Keypair,
  account: Keypair,
  ...operations: readonly Op[]
): Op[] => [begin(account, sponsor), ...operations, end(account)]

export const muxed = (account: Keypair, id: string): string =>
  new MuxedAccount(new Account(addressOf(account), '0'), id).accountId()

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

export const signedPayload = (account: Keypair, payload: Uint8Array) =>
  new xdr.SignerKeyEd25519SignedPayload({ ed25519: account.rawPublicKey(), payload })

export const payloadAddress = (account: Keypair, payload: Uint8Array): string =>
  StrKey.encodeSignedPayload(signedPayload(account, payload).toXdr())
