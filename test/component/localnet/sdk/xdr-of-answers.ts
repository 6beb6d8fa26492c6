/** Every member of every answer that is XDR, with the type it must be. */
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

/** Members whose name means another type in one method. */
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

/** All XDR of an answer; a text that looks like base64 under an unknown name is an error. */
export function xdrOf(method: string, answer: unknown, path = method): XdrMember[] {
  if (Array.isArray(answer)) {
    return answer.flatMap((item, index) => xdrOf(method, item, `${path}.${index}`))
  }
  if (typeof answer === 'string') {
    const type = typeAt(method, path)
    if (type) return [{ path, type, base64: answer }]
    if (/^AAAA/.test(answer)) throw new Error(`${path} seems to be XDR of no known type`)
    return []
  }
  if (typeof answer !== 'object' || answer === null) return []
  return Object.entries(answer).flatMap(([name, part]) => xdrOf(method, part, `${path}.${name}`))
}

/** Lists are of the type of the member that holds them. */
function typeAt(method: string, path: string): XdrTypeName | undefined {
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? ''
  const common: Readonly<Record<string, XdrTypeName>> = typesByMember
  return typesByMethod[method]?.[name] ?? common[name]
}
