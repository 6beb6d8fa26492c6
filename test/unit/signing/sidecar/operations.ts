/** Accounts and operations of hostile transactions. Without a source of its own, an operation is of the transaction's. */
import { Address, Asset, Keypair, Operation, xdr } from '@stellar/stellar-sdk'
import { accounts, addressCredentials, muxed, nowSeconds, sponsor, thief } from './examined.ts'

export const other = accounts.other.address
export const channel = accounts.source.address
export const stranger = thief.address
export const native = Asset.native()
export const token = new Asset('USDC', stranger)
export const bumped = { source: channel, payer: sponsor }
export const hash = Buffer.alloc(32, 1)

export const begin = (source: string, sponsoredId: string) =>
  Operation.beginSponsoringFutureReserves({ source, sponsoredId })
export const end = (source: string) => Operation.endSponsoringFutureReserves({ source })
export const create = (destination: string, startingBalance = '0') =>
  Operation.createAccount({ source: sponsor, destination, startingBalance })
export const pay = (destination: string, source = sponsor, asset = native) =>
  Operation.payment({ source, destination, asset, amount: '1' })
export const negativePayment = new xdr.Operation({
  sourceAccount: null,
  body: xdr.OperationBody.payment(
    new xdr.PaymentOp({
      destination: muxed(other),
      asset: xdr.Asset.assetTypeNative(),
      amount: -1n,
    }),
  ),
})
export const merge = (source: string, destination: string) =>
  Operation.accountMerge({ source, destination })
export const offer = { selling: native, buying: token, price: '1' }
export const path = { sendAsset: native, destAsset: native, destination: stranger, path: [] }
export const wasm = Operation.uploadContractWasm({ wasm: Buffer.alloc(8) })
export const delegated = xdr.SorobanCredentials.sorobanCredentialsAddressWithDelegates(
  new xdr.SorobanAddressCredentialsWithDelegates({
    addressCredentials: addressCredentials(stranger),
    delegates: [
      new xdr.SorobanDelegateSignature({
        address: addressCredentials(sponsor).address,
        signature: xdr.ScVal.scvVoid(),
        nestedDelegates: [],
      }),
    ],
  }),
)
export const { sorobanCredentialsAddress, sorobanCredentialsAddressV2 } = xdr.SorobanCredentials
export const mark = Operation.manageData({
  source: sponsor,
  name: 'x402.svc.dev/store',
  value: 'a',
})
export const muxedSponsor = xdr.MuxedAccount.keyTypeMuxedEd25519(
  new xdr.MuxedAccountMed25519({ id: 7n, ed25519: Keypair.fromPublicKey(sponsor).rawPublicKey() }),
)
export const withSource = (operation: xdr.Operation, sourceAccount: xdr.MuxedAccount) =>
  new xdr.Operation({ sourceAccount, body: operation.body })
export const bounds = (change: object) =>
  xdr.Preconditions.precondV2(
    new xdr.PreconditionsV2({
      timeBounds: new xdr.TimeBounds({ minTime: 0n, maxTime: nowSeconds + 60n }),
      ledgerBounds: null,
      minSeqNum: null,
      minSeqAge: 0n,
      minSeqLedgerGap: 0,
      extraSigners: [],
      ...change,
    }),
  )
export const deploy = Operation.createCustomContract({
  address: Address.fromString(sponsor),
  wasmHash: hash,
  constructorArgs: [xdr.ScVal.scvVoid()],
})
export function authOf({ body }: xdr.Operation): xdr.SorobanAuthorizationEntry[] {
  return body.type === 'invokeHostFunction' ? body.invokeHostFunctionOp.auth : []
}

export function creation(deployer: string, auth: xdr.SorobanAuthorizationEntry[]): xdr.Operation {
  const func = xdr.HostFunction.hostFunctionTypeCreateContract(
    new xdr.CreateContractArgs({
      contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAddress(
        new xdr.ContractIdPreimageFromAddress({
          address: addressCredentials(deployer).address,
          salt: hash,
        }),
      ),
      executable: xdr.ContractExecutable.contractExecutableWasm(hash),
    }),
  )
  return Operation.invokeHostFunction({ source: sponsor, func, auth })
}
