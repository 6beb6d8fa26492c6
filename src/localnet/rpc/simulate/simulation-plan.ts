import { xdr } from '@stellar/stellar-sdk'
import type { AuthMode } from '../../soroban/simulate.ts'

const authModes: readonly AuthMode[] = ['enforce', 'record', 'record_allow_nonroot']

/** The part of a transaction that is simulated. */
export type SimulationPlan =
  | {
      readonly kind: 'invoke'
      readonly operation: xdr.InvokeHostFunctionOp
      readonly source: xdr.AccountId
      readonly authMode: AuthMode
    }
  | { readonly kind: 'extend'; readonly keys: readonly xdr.LedgerKey[]; readonly extendTo: number }
  | { readonly kind: 'restore'; readonly keys: readonly xdr.LedgerKey[] }

/** Answered as `error` in the result, as by Stellar RPC, not as a JSON-RPC error. */
export class SimulationRefused extends Error {
  override readonly name = 'SimulationRefused'
}

/** Throws SimulationRefused with Stellar RPC's text for a transaction that cannot be simulated. */
export function planSimulation(
  envelope: xdr.TransactionEnvelope,
  authMode: string,
): SimulationPlan {
  const transaction = innerTransaction(envelope)
  const [operation, ...others] = transaction.operations
  if (!operation || others.length > 0) {
    throw new SimulationRefused('Transaction contains more than one operation')
  }
  if (authMode !== '' && !isAuthMode(authMode)) {
    throw new SimulationRefused(
      `optional 'authMode' must be one of ${authModes.join(',')} when included`,
    )
  }
  const { body } = operation
  switch (body.type) {
    case 'invokeHostFunction':
      return {
        kind: 'invoke',
        operation: body.invokeHostFunctionOp,
        source: accountOf(operation.sourceAccount ?? transaction.source),
        authMode: chooseAuthMode(authMode, body.invokeHostFunctionOp.auth.length > 0),
      }
    case 'extendFootprintTtl': {
      const { readOnly } = footprintOf(transaction, authMode)
      return { kind: 'extend', keys: readOnly, extendTo: body.extendFootprintTtlOp.extendTo }
    }
    case 'restoreFootprint':
      return { kind: 'restore', keys: footprintOf(transaction, authMode).readWrite }
    default:
      throw new SimulationRefused(
        `transaction contains unsupported operation type: ${goName(body.type)}`,
      )
  }
}

interface InnerTransaction {
  readonly source: xdr.MuxedAccount
  readonly operations: readonly xdr.Operation[]
  readonly sorobanData: xdr.SorobanTransactionData | undefined
}

function innerTransaction(envelope: xdr.TransactionEnvelope): InnerTransaction {
  if (envelope.type === 'envelopeTypeTxV0') {
    const { sourceAccountEd25519, operations } = envelope.v0.tx
    const source = xdr.MuxedAccount.keyTypeEd25519(sourceAccountEd25519)
    return { source, operations, sorobanData: undefined }
  }
  const { tx } = envelope.type === 'envelopeTypeTx' ? envelope.v1 : envelope.feeBump.tx.innerTx.v1
  return {
    source: tx.sourceAccount,
    operations: tx.operations,
    sorobanData: tx.ext.type === 'sorobanData' ? tx.ext.sorobanData : undefined,
  }
}

const isAuthMode = (text: string): text is AuthMode => authModes.some((mode) => mode === text)

/** Default: `enforce` with authorization entries, `record` without. Recording requires no entries. */
function chooseAuthMode(requested: '' | AuthMode, hasAuth: boolean): AuthMode {
  if (requested === '') return hasAuth ? 'enforce' : 'record'
  if (hasAuth && requested !== 'enforce') {
    throw new SimulationRefused(`cannot set authMode to '${requested}' with an auth footprint`)
  }
  return requested
}

function footprintOf({ sorobanData }: InnerTransaction, authMode: string): xdr.LedgerFootprint {
  if (authMode !== '') {
    throw new SimulationRefused('cannot set authMode with non-InvokeHostFunction operations')
  }
  if (!sorobanData) {
    throw new SimulationRefused(
      'To perform a SimulateTransaction for ExtendFootprintTtl or RestoreFootprint operations,' +
        ' SorobanTransactionData must be provided',
    )
  }
  return sorobanData.resources.footprint
}

function accountOf(account: xdr.MuxedAccount): xdr.AccountId {
  const key = account.type === 'keyTypeEd25519' ? account.ed25519 : account.med25519.ed25519
  return xdr.PublicKey.publicKeyTypeEd25519(key)
}

/** Stellar RPC prints the Go name of the operation type. */
const goName = (type: string): string =>
  `OperationType${type.charAt(0).toUpperCase()}${type.slice(1)}`
