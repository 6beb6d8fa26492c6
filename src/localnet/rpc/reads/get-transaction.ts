import { z } from 'zod'
import type { RpcContext } from '../context.ts'
import { ledgerRangeAsText } from '../context.ts'
import { readFormat, readParams, xdrFormat } from '../params.ts'
import { invalidParams } from '../rpc-fault.ts'
import { transactionDetails } from './transaction-details.ts'
import { xdrFields } from './xdr-fields.ts'

const HASH_BYTES = 32

const Request = z.object({ hash: z.string().nullish(), xdrFormat })

export function getTransaction(context: RpcContext, params: unknown) {
  const request = readParams(Request, params)
  const fields = xdrFields(readFormat(request.xdrFormat))
  const hash = readHash(request.hash ?? '')
  const range = ledgerRangeAsText(context)
  const found = context.network.transaction(hash.toLowerCase())
  if (!found) return { ...range, ...absent(hash) }
  return {
    ...range,
    ...transactionDetails(found, fields),
    // A fee bump is also found by its inner hash; the answer repeats the requested hash.
    txHash: hash,
    createdAt: String(found.closeTime),
  }
}

/** Stellar RPC answers with zero values. */
const absent = (txHash: string) => ({
  status: 'NOT_FOUND',
  txHash,
  applicationOrder: 0,
  feeBump: false,
  events: {},
  ledger: 0,
  createdAt: '0',
})

function readHash(hash: string): string {
  if (hash.length >> 1 !== HASH_BYTES) {
    throw invalidParams(`unexpected hash length (${hash.length})`)
  }
  const invalidCharacter = /[^0-9a-fA-F]/u.exec(hash)
  if (invalidCharacter)
    throw invalidParams(
      `incorrect hash: encoding/hex: invalid byte: ${describe(invalidCharacter[0])}`,
    )
  if (hash.length % 2 === 1)
    throw invalidParams('incorrect hash: encoding/hex: odd length hex string')
  return hash
}

const describe = (character: string): string =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')} '${character}'`
