/**
 * An endpoint that answers `getTransactions` with payments alone, in the size that Stellar RPC gives them: number of
 * transactions, of payments that the population is made for, and close time of the first ledger. Prints its URL as JSON.
 */
import { createServer } from 'node:http'
import { Address, Asset, decodeAddressToMuxedAccount, xdr } from '@stellar/stellar-sdk'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { envelopeHash } from '../../../src/stellar/rpc/pages/envelope-hash.ts'
import { cursorAfter, readCursor } from '../../../src/stellar/rpc/pages/transaction-position.ts'
import { addressValue, i128, invocationOf } from '../../../test/support/payments.ts'
import { type Population, populationOf } from './population.ts'

const [transactions = 0, payments = 0, firstClose = 0] = process.argv.slice(2).map(Number)
const passphrase = passphrases['stellar:testnet']
const FIRST_LEDGER = 1_000
const A_LEDGER = 100
const LEDGER_SECONDS = 5
/** Stands for the meta and diagnostics that Stellar RPC also lists; they are read only when there are no events. */
const PADDING = 'A'.repeat(8_000)

const listed = Array.from({ length: transactions }, (_, at) => list(populationOf(payments), at))
const latestLedger = FIRST_LEDGER + Math.ceil(transactions / A_LEDGER) - 1
const closeOf = (ledger: number) => firstClose + (ledger - FIRST_LEDGER) * LEDGER_SECONDS

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  const { id, method, params } = JSON.parse(body)
  const result =
    method === 'getTransactions' ? pageOf(params.pagination) : { passphrase, protocolVersion: '23' }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })}\n`)
})
process.once('SIGTERM', () => process.exit())

function pageOf({ cursor, limit }: { readonly cursor: string; readonly limit: number }) {
  const position = readCursor(cursor)
  if (!position) throw new Error(`not a cursor: ${cursor}`)
  const from = Math.max(0, (position.ledger - FIRST_LEDGER) * A_LEDGER + position.applicationOrder)
  const page = listed.slice(from, from + limit)
  const last = page.at(-1) ?? { ledger: latestLedger, applicationOrder: A_LEDGER }
  return {
    transactions: page,
    latestLedger,
    latestLedgerCloseTimestamp: closeOf(latestLedger),
    oldestLedger: FIRST_LEDGER,
    oldestLedgerCloseTimestamp: firstClose,
    cursor: cursorAfter(last),
  }
}

function list(population: Population, at: number) {
  const rank = (count: number, step: number) =>
    Math.floor(Math.exp((((at * step) % 9_973) / 9_973) * Math.log(count)))
  const seller = population.seller(rank(population.sellers, 7_919))
  const buyer = population.buyer(rank(population.buyers, 104_729))
  const amount = i128(BigInt(100 + at))
  // The contract of a classic asset: a transfer in another one needs its meta too.
  const contract = Address.fromString(
    new Asset('USDC', population.sponsor(0)).contractId(passphrase),
  ).toScAddress()
  if (contract.type !== 'scAddressTypeContract') throw new Error('the asset is no contract')
  const call = new xdr.InvokeContractArgs({
    contractAddress: contract,
    functionName: 'transfer',
    args: [addressValue(buyer), addressValue(seller), amount],
  })
  const credentials = new xdr.SorobanAddressCredentials({
    address: Address.fromString(buyer).toScAddress(),
    nonce: BigInt(at),
    signatureExpirationLedger: 2_000_000,
    signature: xdr.ScVal.scvVec([xdr.ScVal.scvBytes(new Uint8Array(64))]),
  })
  const operation = new xdr.Operation({
    sourceAccount: null,
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({
        hostFunction: xdr.HostFunction.hostFunctionTypeInvokeContract(call),
        auth: [
          new xdr.SorobanAuthorizationEntry({
            credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(credentials),
            rootInvocation: invocationOf(call),
          }),
        ],
      }),
    ),
  })
  const tx = new xdr.Transaction({
    sourceAccount: decodeAddressToMuxedAccount(population.channel(at % 10)),
    fee: 100,
    seqNum: BigInt(at),
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [operation],
    ext: xdr.TransactionExt.v0(),
  })
  const signature = new xdr.DecoratedSignature({
    hint: new Uint8Array(4),
    signature: new Uint8Array(64),
  })
  const envelope = Buffer.from(
    xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({ tx, signatures: [signature] }),
    ).toXdr(),
  )
  const event = new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: contract.contractId,
    type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(
      new xdr.ContractEventV0({
        topics: [
          xdr.ScVal.scvSymbol('transfer'),
          addressValue(buyer),
          addressValue(seller),
          xdr.ScVal.scvString(`USDC:${population.sponsor(0)}`),
        ],
        data: amount,
      }),
    ),
  })
  const result = new xdr.TransactionResult({
    feeCharged: 100_000n,
    result: xdr.TransactionResultResult.txSuccess([]),
    ext: xdr.TransactionResultExt.v0(),
  })
  const ledger = FIRST_LEDGER + Math.floor(at / A_LEDGER)
  return {
    status: 'SUCCESS',
    txHash: envelopeHash(envelope, passphrase),
    ledger,
    createdAt: firstClose + (ledger - FIRST_LEDGER) * LEDGER_SECONDS,
    applicationOrder: 1 + (at % A_LEDGER),
    envelopeXdr: envelope.toString('base64'),
    resultXdr: result.toXdr('base64'),
    resultMetaXdr: PADDING,
    events: { contractEventsXdr: [[event.toXdr('base64')]] },
  }
}
