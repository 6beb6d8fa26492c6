/** Short words for operations, and forms of them that the SDK refuses to build. */
import { createHash } from 'node:crypto'
import { Account, Asset, type Keypair, MuxedAccount, Operation, xdr } from '@stellar/stellar-sdk'
import { muxedAccountOf, publicKeyOf } from '../../../../src/localnet/ledger/account-id.ts'
import { idOf, type Op } from '../harness.ts'
import { addressOf, WRD } from './people.ts'

const by = (source: Keypair | undefined) => (source ? { source: addressOf(source) } : {})

export const pay = (to: Keypair | string, amount: string, asset: Asset, source?: Keypair): Op =>
  Operation.payment({
    destination: typeof to === 'string' ? to : addressOf(to),
    amount,
    asset,
    ...by(source),
  })

export const begin = (sponsored: Keypair, sponsor?: Keypair): Op =>
  Operation.beginSponsoringFutureReserves({ sponsoredId: addressOf(sponsored), ...by(sponsor) })

export const end = (sponsored: Keypair): Op =>
  Operation.endSponsoringFutureReserves({ source: addressOf(sponsored) })

export const trust = (asset: Asset, limit = '1000', source?: Keypair): Op =>
  Operation.changeTrust({ asset, limit, ...by(source) })

export const merge = (into: Keypair, source?: Keypair): Op =>
  Operation.accountMerge({ destination: addressOf(into), ...by(source) })

export const options = (set: Parameters<typeof Operation.setOptions>[0], source?: Keypair): Op =>
  Operation.setOptions({ ...set, ...by(source) })

export const data = (name: string, value: string | null, source?: Keypair): Op =>
  Operation.manageData({ name, value, ...by(source) })

/** The M address of an account under an id. */
export const muxed = (who: Keypair, id: string): string =>
  new MuxedAccount(new Account(addressOf(who), '0'), id).accountId()

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

const ed25519 = (who: Keypair) => xdr.SignerKey.signerKeyTypeEd25519(who.rawPublicKey())

/** As the table names signers. */
export const signerName = (who: Keypair): string => ed25519(who).toXdr('base64')

interface RawOptions {
  readonly setFlags?: number
  readonly clearFlags?: number
  readonly masterWeight?: number
  readonly highThreshold?: number
  readonly signer?: {
    readonly who?: Keypair
    readonly key?: xdr.SignerKey
    readonly weight: number
  }
}

interface TrustorFlags {
  readonly trustor: Keypair
  readonly set?: number
  readonly clear?: number
  readonly native?: boolean
}

const op = (body: xdr.OperationBody): Op => new xdr.Operation({ sourceAccount: null, body })

function rawSigner({ who, key, weight }: NonNullable<RawOptions['signer']>): xdr.Signer {
  const named = key ?? (who && ed25519(who))
  if (!named) throw new TypeError('a signer has a key')
  return new xdr.Signer({ key: named, weight })
}

/** XDR as it is, for what the SDK would not let pass. */
export const raw = {
  native: Asset.native(),
  op,
  createAccount: (destination: Keypair, startingBalance: bigint): Op =>
    op(
      xdr.OperationBody.createAccount(
        new xdr.CreateAccountOp({ destination: publicKeyOf(idOf(destination)), startingBalance }),
      ),
    ),
  payment: (destination: Keypair, asset: xdr.Asset, amount: bigint): Op =>
    op(
      xdr.OperationBody.payment(
        new xdr.PaymentOp({ destination: muxedAccountOf(idOf(destination)), asset, amount }),
      ),
    ),
  setOptions: ({ setFlags, clearFlags, masterWeight, highThreshold, signer }: RawOptions): Op =>
    op(
      xdr.OperationBody.setOptions(
        new xdr.SetOptionsOp({
          inflationDest: null,
          clearFlags: clearFlags ?? null,
          setFlags: setFlags ?? null,
          masterWeight: masterWeight ?? null,
          lowThreshold: null,
          medThreshold: null,
          highThreshold: highThreshold ?? null,
          homeDomain: null,
          signer: signer ? rawSigner(signer) : null,
        }),
      ),
    ),
  manageData: (name: string, value: string): Op =>
    op(
      xdr.OperationBody.manageData(
        new xdr.ManageDataOp({ dataName: name, dataValue: Buffer.from(value) }),
      ),
    ),
  bumpSequence: (bumpTo: bigint): Op =>
    op(xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo }))),
  revoke: (key: xdr.LedgerKey): Op =>
    op(
      xdr.OperationBody.revokeSponsorship(
        xdr.RevokeSponsorshipOp.revokeSponsorshipLedgerEntry(key),
      ),
    ),
  publicKey: (who: Keypair): xdr.PublicKey => publicKeyOf(idOf(who)),
  changeTrust: (asset: xdr.Asset, limit: bigint): Op =>
    op(
      xdr.OperationBody.changeTrust(
        new xdr.ChangeTrustOp({ line: xdr.ChangeTrustAsset.fromXdr(asset.toXdr()), limit }),
      ),
    ),
  clawback: (from: Keypair, asset: xdr.Asset, amount: bigint): Op =>
    op(
      xdr.OperationBody.clawback(
        new xdr.ClawbackOp({ from: muxedAccountOf(idOf(from)), asset, amount }),
      ),
    ),
  setTrustLineFlags: ({ trustor, set = 0, clear = 0, native = false }: TrustorFlags): Op =>
    op(
      xdr.OperationBody.setTrustLineFlags(
        new xdr.SetTrustLineFlagsOp({
          trustor: publicKeyOf(idOf(trustor)),
          asset: native ? xdr.Asset.assetTypeNative() : WRD.toXdrObject(),
          setFlags: set,
          clearFlags: clear,
        }),
      ),
    ),
  longAsset: (code: string, owner: Keypair): xdr.Asset =>
    xdr.Asset.assetTypeCreditAlphanum12(
      new xdr.AlphaNum12({
        assetCode: Buffer.from(code.padEnd(12, '\0'), 'latin1'),
        issuer: publicKeyOf(idOf(owner)),
      }),
    ),
  /** A code of any bytes. */
  asset: (code: string, owner: Keypair): xdr.Asset =>
    xdr.Asset.assetTypeCreditAlphanum4(
      new xdr.AlphaNum4({
        assetCode: Buffer.from(code, 'latin1'),
        issuer: publicKeyOf(idOf(owner)),
      }),
    ),
} as const
