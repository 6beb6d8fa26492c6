/**
 * Operations that create, extend and restore a contract. Each is the only operation of its transaction, as the network
 * requires of contract operations.
 */
import { createHash } from 'node:crypto'
import { Address, StrKey, xdr } from '@stellar/stellar-sdk'

export type ContractWork =
  /** Extends the TTL of entries, base64 `LedgerKey`s, to at least so many ledgers from the one that includes it. */
  | { readonly kind: 'extend'; readonly keys: readonly string[]; readonly toLedgers: number }
  /** Restores archived entries; they live for the network's minimum then. */
  | { readonly kind: 'restore'; readonly keys: readonly string[] }
  /** Puts code on the ledger. */
  | { readonly kind: 'upload'; readonly wasm: Uint8Array }
  | ({ readonly kind: 'create' } & NewContract)

export interface NewContract {
  /** `G...`, whose authorization the network requires: the source of the operation. */
  readonly deployer: string
  /** 32 bytes. */
  readonly salt: Uint8Array
  /** SHA-256 of code that is on the ledger, 64 hex digits. The contract has no constructor. */
  readonly wasmHash: string
}

/** The address of a contract before it is created: of the network, the deployer and the salt alone. */
export function newContractAddress(
  passphrase: string,
  contract: Pick<NewContract, 'deployer' | 'salt'>,
): string {
  const preimage = xdr.HashIdPreimage.envelopeTypeContractId(
    new xdr.HashIdPreimageContractId({
      networkId: sha256(passphrase),
      contractIdPreimage: preimageOf(contract),
    }),
  )
  return StrKey.encodeContract(sha256(preimage.toXdr()))
}

/** Base64 `LedgerKey` of code. @param wasmHash 64 hex digits */
export const contractCodeKey = (wasmHash: string): string =>
  xdr.LedgerKey.contractCode(
    new xdr.LedgerKeyContractCode({ hash: Buffer.from(wasmHash, 'hex') }),
  ).toXdr('base64')

export const operationOf = (work: ContractWork): xdr.Operation =>
  new xdr.Operation({
    sourceAccount:
      work.kind === 'create'
        ? xdr.MuxedAccount.keyTypeEd25519(StrKey.decodeEd25519PublicKey(work.deployer))
        : null,
    body: bodyOf(work),
  })

/**
 * Base64 envelope to simulate: the entries that an extension or restoration names stand in its footprint. Its source
 * is the all-zero account, which authorizes nothing.
 */
export function simulatedWork(work: ContractWork): string {
  const tx = new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(new Uint8Array(32)),
    fee: 100,
    seqNum: 0n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [operationOf(work)],
    ext: xdr.TransactionExt.sorobanData(
      new xdr.SorobanTransactionData({
        ext: xdr.SorobanTransactionDataExt.v0(),
        resources: new xdr.SorobanResources({
          footprint: footprintOf(work),
          instructions: 0,
          diskReadBytes: 0,
          writeBytes: 0,
        }),
        resourceFee: 0n,
      }),
    ),
  })
  return xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({ tx, signatures: [] }),
  ).toXdr('base64')
}

function bodyOf(work: ContractWork): xdr.OperationBody {
  switch (work.kind) {
    case 'extend':
      return xdr.OperationBody.extendFootprintTtl(
        new xdr.ExtendFootprintTtlOp({ ext: xdr.ExtensionPoint.v0(), extendTo: work.toLedgers }),
      )
    case 'restore':
      return xdr.OperationBody.restoreFootprint(
        new xdr.RestoreFootprintOp({ ext: xdr.ExtensionPoint.v0() }),
      )
    case 'upload':
      return invoke(xdr.HostFunction.hostFunctionTypeUploadContractWasm(work.wasm), [])
    case 'create': {
      const args = creationOf(work)
      const authorized = new xdr.SorobanAuthorizationEntry({
        credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
        rootInvocation: new xdr.SorobanAuthorizedInvocation({
          function:
            xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeCreateContractHostFn(args),
          subInvocations: [],
        }),
      })
      return invoke(xdr.HostFunction.hostFunctionTypeCreateContract(args), [authorized])
    }
  }
}

const invoke = (hostFunction: xdr.HostFunction, auth: xdr.SorobanAuthorizationEntry[]) =>
  xdr.OperationBody.invokeHostFunction(new xdr.InvokeHostFunctionOp({ hostFunction, auth }))

const creationOf = (contract: NewContract) =>
  new xdr.CreateContractArgs({
    contractIdPreimage: preimageOf(contract),
    executable: xdr.ContractExecutable.contractExecutableWasm(
      Buffer.from(contract.wasmHash, 'hex'),
    ),
  })

const preimageOf = ({ deployer, salt }: Pick<NewContract, 'deployer' | 'salt'>) =>
  xdr.ContractIdPreimage.contractIdPreimageFromAddress(
    new xdr.ContractIdPreimageFromAddress({
      address: Address.fromString(deployer).toScAddress(),
      salt,
    }),
  )

/** An extension reads the entries that it extends, a restoration writes those that it restores (CAP-46-12). */
function footprintOf(work: ContractWork): xdr.LedgerFootprint {
  const keys = 'keys' in work ? work.keys.map((key) => xdr.LedgerKey.fromXdr(key, 'base64')) : []
  return new xdr.LedgerFootprint({
    readOnly: work.kind === 'extend' ? keys : [],
    readWrite: work.kind === 'restore' ? keys : [],
  })
}

const sha256 = (bytes: Uint8Array | string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(bytes).digest())
