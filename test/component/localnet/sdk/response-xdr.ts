/** Every member of a result that is XDR, with its type. */
const typesByMember = {
  envelopeXdr: 'TransactionEnvelope',
  resultXdr: 'TransactionResult',
  errorResultXdr: 'TransactionResult',
  resultMetaXdr: 'TransactionMeta',
  metadataXdr: 'LedgerCloseMeta',
  diagnosticEventsXdr: 'DiagnosticEvent',
  transactionEventsXdr: 'TransactionEvent',
  contractEventsXdr: 'ContractEvent',
  transactionData: 'SorobanTransactionData',
  auth: 'SorobanAuthorizationEntry',
  extXdr: 'LedgerEntryExt',
  topic: 'ScVal',
  value: 'ScVal',
  key: 'LedgerKey',
  before: 'LedgerEntry',
  after: 'LedgerEntry',
} as const

/** Members that have another type in one method. */
const typesByMethod: Readonly<Record<string, Readonly<Record<string, XdrTypeName>>>> = {
  getLatestLedger: { headerXdr: 'LedgerHeader' },
  getLedgers: { headerXdr: 'LedgerHeaderHistoryEntry' },
  getLedgerEntries: { xdr: 'LedgerEntryData' },
  simulateTransaction: { xdr: 'ScVal', events: 'DiagnosticEvent' },
}

export type XdrTypeName =
  | (typeof typesByMember)[keyof typeof typesByMember]
  | 'LedgerHeader'
  | 'LedgerHeaderHistoryEntry'
  | 'LedgerEntryData'

export interface XdrMember {
  readonly path: string
  readonly type: XdrTypeName
  readonly base64: string
}

/** All XDR of a result; throws for base64 under an unknown name. */
export function xdrOf(method: string, result: unknown, path = method): XdrMember[] {
  if (Array.isArray(result)) {
    return result.flatMap((item, index) => xdrOf(method, item, `${path}.${index}`))
  }
  if (typeof result === 'string') {
    const type = typeAt(method, path)
    if (type) return [{ path, type, base64: result }]
    if (/^AAAA/.test(result)) throw new Error(`${path} seems to be XDR of no known type`)
    return []
  }
  if (typeof result !== 'object' || result === null) return []
  return Object.entries(result).flatMap(([name, part]) => xdrOf(method, part, `${path}.${name}`))
}

/** The elements of a list have the type of the member that holds it. */
function typeAt(method: string, path: string): XdrTypeName | undefined {
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? ''
  const common: Readonly<Record<string, XdrTypeName>> = typesByMember
  return typesByMethod[method]?.[name] ?? common[name]
}
