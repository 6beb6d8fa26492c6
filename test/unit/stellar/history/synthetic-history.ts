/** The past ledgers of an endpoint that says whatever a test wants. */
import { nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { RpcError } from '../../../../src/stellar/rpc/rpc.ts'
import type { CallRpc } from '../../../../src/stellar/rpc/transport/json-rpc.ts'
import { type MetaPlan, metaOf } from '../../../support/explorer/synthetic-meta.ts'
import {
  buyer,
  credentialsOf,
  envelopeOf,
  type SyntheticPlan,
} from '../../../support/explorer/synthetic-transaction.ts'

/** Of the credentials in a synthetic transaction. */
export const { nonce } = credentialsOf()

export interface Ledger {
  readonly latest: number
  readonly oldest?: number
  /** What the search of events knew; another replica may have answered it. */
  readonly searched?: number
  readonly events?: readonly { readonly ledger: number }[]
  /** Events on one page. */
  readonly pageSize?: number
  readonly hasCursor?: boolean
  /** By hash. */
  readonly transactions?: Readonly<Record<string, object>>
}

/** An endpoint that has this; it refuses to search where it has nothing. */
export function endpoint({
  latest,
  oldest = 1,
  searched = latest,
  events = [],
  pageSize = 1_000,
  hasCursor = true,
  transactions = {},
}: Ledger) {
  const pageAfter = (start: number) => {
    const page = events.slice(start, start + pageSize)
    return { events: page, ...(hasCursor && { cursor: String(start + page.length) }) }
  }
  const startOf = ({ cursor }: { readonly cursor?: string }, startLedger: number) => {
    const first = events.findIndex(({ ledger }) => ledger >= startLedger)
    return cursor === undefined ? (first < 0 ? events.length : first) : Number(cursor)
  }
  const found: CallRpc = async (method, params, schema) => {
    const first = Number(params?.['startLedger'])
    const answer =
      method === 'getEvents'
        ? { latestLedger: searched, ...pageAfter(startOf(Object(params?.['pagination']), first)) }
        : (transactions[String(params?.['hash'])] ?? { status: 'NOT_FOUND' })
    if (first < oldest || first > latest) throw new RpcError('rejected', method, 'not retained')
    const range = { latestLedger: latest, oldestLedger: oldest }
    const times = { latestLedgerCloseTime: 9, oldestLedgerCloseTime: 1 }
    const read = schema.safeParse({ ...range, ...times, ...answer })
    if (!read.success) throw new RpcError('unreadable', method, 'another answer')
    return read.data
  }
  return found
}

export const hash = 'a'.repeat(64)
export const transfer = (value = nativeToScVal(5n, { type: 'i128' }), to?: string) => ({
  ledger: 110,
  txHash: hash,
  topic: [
    xdr.ScVal.scvSymbol('transfer').toXdr('base64'),
    nativeToScVal(buyer, { type: 'address' }).toXdr('base64'),
    ...(to === undefined ? [] : [nativeToScVal(to, { type: 'address' }).toXdr('base64')]),
  ],
  value: value.toXdr('base64'),
})

/** The transfer is in this transaction. */
export const applied = (plan: SyntheticPlan | Buffer, meta: MetaPlan | string = {}) => ({
  [hash]: {
    status: 'SUCCESS',
    createdAt: '1045',
    envelopeXdr: Buffer.isBuffer(plan) ? plan.toString('base64') : envelopeOf(plan).toXdr('base64'),
    resultMetaXdr: typeof meta === 'string' ? meta : metaOf(meta),
  },
})
export const signedBy = (address: string, other = nonce) => {
  const credentials = credentialsOf(address)
  return xdr.SorobanCredentials.sorobanCredentialsAddress(
    new xdr.SorobanAddressCredentials({ ...credentials, nonce: other }),
  )
}
