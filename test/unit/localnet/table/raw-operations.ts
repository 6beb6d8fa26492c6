/** Operations made of XDR, for forms that the SDK refuses to build. */
import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { muxedAccountOf, publicKeyOf } from '../../../../src/localnet/ledger/account-id.ts'
import { idOf, type Op } from '../harness.ts'
import { REG } from './accounts.ts'

const { OperationBody: Body } = xdr
const publicKey = (account: Keypair): xdr.PublicKey => publicKeyOf(idOf(account))
const muxedKey = (account: Keypair): xdr.MuxedAccount => muxedAccountOf(idOf(account))
const op = (body: xdr.OperationBody): Op => new xdr.Operation({ sourceAccount: null, body })

interface RawOptions {
  readonly setFlags?: number
  readonly clearFlags?: number
  readonly masterWeight?: number
  readonly highThreshold?: number
  readonly signer?: xdr.Signer
}

interface TrustorFlags {
  readonly set?: number
  readonly clear?: number
  readonly asset?: xdr.Asset
}

export const ed25519Signer = (account: Keypair, weight: number): xdr.Signer =>
  new xdr.Signer({ key: xdr.SignerKey.signerKeyTypeEd25519(account.rawPublicKey()), weight })

export const raw = {
  native: xdr.Asset.assetTypeNative(),
  createAccount: (destination: Keypair, startingBalance: bigint): Op =>
    op(
      Body.createAccount(
        new xdr.CreateAccountOp({ destination: publicKey(destination), startingBalance }),
      ),
    ),
  payment: (destination: Keypair, asset: xdr.Asset, amount: bigint): Op =>
    op(Body.payment(new xdr.PaymentOp({ destination: muxedKey(destination), asset, amount }))),
  setOptions: (set: RawOptions): Op =>
    op(
      Body.setOptions(
        new xdr.SetOptionsOp({
          inflationDest: null,
          clearFlags: null,
          setFlags: null,
          masterWeight: null,
          lowThreshold: null,
          medThreshold: null,
          highThreshold: null,
          homeDomain: null,
          signer: null,
          ...set,
        }),
      ),
    ),
  manageData: (name: string, value: string): Op =>
    op(Body.manageData(new xdr.ManageDataOp({ dataName: name, dataValue: Buffer.from(value) }))),
  bumpSequence: (bumpTo: bigint): Op => op(Body.bumpSequence(new xdr.BumpSequenceOp({ bumpTo }))),
  revoke: (key: xdr.LedgerKey): Op =>
    op(Body.revokeSponsorship(xdr.RevokeSponsorshipOp.revokeSponsorshipLedgerEntry(key))),
  dataKey: (account: Keypair, dataName: string): xdr.LedgerKey =>
    xdr.LedgerKey.data(new xdr.LedgerKeyData({ accountId: publicKey(account), dataName })),
  changeTrust: (asset: xdr.Asset, limit: bigint): Op =>
    op(
      Body.changeTrust(
        new xdr.ChangeTrustOp({ line: xdr.ChangeTrustAsset.fromXdr(asset.toXdr()), limit }),
      ),
    ),
  clawback: (holder: Keypair, asset: xdr.Asset, amount: bigint): Op =>
    op(Body.clawback(new xdr.ClawbackOp({ from: muxedKey(holder), asset, amount }))),
  setTrustLineFlags: (trustor: Keypair, { set = 0, clear = 0, asset }: TrustorFlags): Op =>
    op(
      Body.setTrustLineFlags(
        new xdr.SetTrustLineFlagsOp({
          trustor: publicKey(trustor),
          asset: asset ?? REG.toXdrObject(),
          setFlags: set,
          clearFlags: clear,
        }),
      ),
    ),
  /** A code of up to 4 bytes of any value. */
  asset: (code: string, issuer: Keypair): xdr.Asset =>
    xdr.Asset.assetTypeCreditAlphanum4(
      new xdr.AlphaNum4({
        assetCode: Buffer.from(code.padEnd(4, '\0'), 'latin1'),
        issuer: publicKey(issuer),
      }),
    ),
  longAsset: (code: string, issuer: Keypair): xdr.Asset =>
    xdr.Asset.assetTypeCreditAlphanum12(
      new xdr.AlphaNum12({
        assetCode: Buffer.from(code.padEnd(12, '\0'), 'latin1'),
        issuer: publicKey(issuer),
      }),
    ),
} as const
