import { xdr } from '@stellar/stellar-sdk'
import { z } from 'zod'
import type { RpcContext } from './context.ts'
import { readFormat, readParams, xdrFormat } from './params.ts'
import { fromBase64, xdrFields } from './reads/xdr-fields.ts'
import { invalidParams } from './rpc-fault.ts'

const Request = z.object({ transaction: z.string().nullish(), xdrFormat })

export function sendTransaction({ network }: RpcContext, params: unknown) {
  const request = readParams(Request, params)
  const fields = xdrFields(readFormat(request.xdrFormat))
  const envelope = fromBase64(request.transaction ?? '')
  if (!envelope || !xdr.TransactionEnvelope.validateXdr(envelope)) {
    throw invalidParams('invalid_xdr')
  }
  const { latest } = network
  const { status, hash, resultXdr, diagnosticEvents = [] } = network.submit(envelope)
  return {
    ...(resultXdr
      ? fields.one(['errorResultXdr', 'errorResultJson'], xdr.TransactionResult, resultXdr)
      : {}),
    ...(diagnosticEvents.length === 0
      ? {}
      : fields.list(
          ['diagnosticEventsXdr', 'diagnosticEventsJson'],
          xdr.DiagnosticEvent,
          diagnosticEvents,
        )),
    status,
    hash,
    latestLedger: latest.sequence,
    latestLedgerCloseTime: String(latest.closeTime),
  }
}
