import { type Asset, type Keypair, xdr } from '@stellar/stellar-sdk'
import { accountId, type TestLedger } from '../../localnet/soroban/test-ledger.ts'

/** Puts a ledger into states that would take an issuer, or a long time, to bring about. */
export function surgery(ledgerOf: () => TestLedger, asset: Asset) {
  /** A trustline as an issuer or a holder may have left it. */
  const retrust = (
    keys: Keypair,
    change: Partial<ConstructorParameters<typeof xdr.TrustLineEntry>[0]>,
  ) =>
    ledgerOf().put(
      xdr.LedgerKey.trustline(
        new xdr.LedgerKeyTrustLine({
          accountId: accountId(keys),
          asset: asset.toTrustLineXdrObject(),
        }),
      ),
      xdr.LedgerEntryData.trustline(
        new xdr.TrustLineEntry({
          accountId: accountId(keys),
          asset: asset.toTrustLineXdrObject(),
          balance: 500_0000000n,
          limit: 2n ** 63n - 1n,
          flags: 1,
          ext: xdr.TrustLineEntryExt.v0(),
          ...change,
        }),
      ),
    )

  const remove = (key: xdr.LedgerKey) =>
    ledgerOf().entries.delete(Buffer.from(key.toXdr()).toString('hex'))

  const removeTrustline = (keys: Keypair) =>
    remove(
      xdr.LedgerKey.trustline(
        new xdr.LedgerKeyTrustLine({
          accountId: accountId(keys),
          asset: asset.toTrustLineXdrObject(),
        }),
      ),
    )

  const removeAccount = (keys: Keypair) =>
    remove(xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: accountId(keys) })))

  return { retrust, removeTrustline, removeAccount }
}
