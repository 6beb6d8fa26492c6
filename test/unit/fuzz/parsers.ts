/** The code that reads a stranger's bytes, each with something valid to begin from and the errors that it declares. */

import { xdr } from '@stellar/stellar-sdk'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import { PayFailure } from '../../../src/buying/outcome/pay-failure.ts'
import { quote } from '../../../src/buying/quote/quote.ts'
import { readStellarToml } from '../../../src/catalog/domain/stellar-toml.ts'
import { PageRefusal } from '../../../src/explorer/web/page.ts'
import { readFilters } from '../../../src/explorer/web/views/feed/filters.ts'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { scanEnvelope } from '../../../src/stellar/history/scan/scan-envelope.ts'
import {
  scanContractEvent,
  scanDiagnosticEvent,
} from '../../../src/stellar/history/scan/scan-event.ts'
import { scanScValue } from '../../../src/stellar/history/scan/scan-sc-value.ts'
import { UnknownXdr, XdrCursor } from '../../../src/stellar/history/scan/xdr-cursor.ts'
import {
  asset,
  buyer,
  mapData,
  seller,
  sponsor,
  synthetic,
  transferEvent,
} from '../../support/explorer/synthetic-transaction.ts'

export interface Parser {
  readonly name: string
  readonly valid: Buffer
  /** Throws only what `declares` knows. */
  readonly read: (bytes: Buffer) => unknown
  readonly declares: (error: unknown) => boolean
}

const bufferOf = (value: { toXdr(): Uint8Array }): Buffer => Buffer.from(value.toXdr())
const isXdrError = (error: unknown) => error instanceof RangeError || error instanceof UnknownXdr
const declaresNothing = () => false

const network = 'stellar:testnet'
const required = encodePaymentRequiredHeader({
  x402Version: 2,
  resource: { url: 'https://seller.example/joke', description: 'A joke', mimeType: 'text/plain' },
  accepts: [
    {
      scheme: 'exact',
      network,
      asset: usdcContracts[network],
      amount: '100000',
      payTo: seller,
      maxTimeoutSeconds: 60,
      extra: { areFeesSponsored: true },
    },
  ],
})

/** The price of a seller that answers with these bytes as its header. */
const quoteOf = (header: Buffer) =>
  quote(
    {
      send: async () => ({
        status: 402,
        headers: new Headers({ 'payment-required': header.toString('latin1') }),
        body: Buffer.alloc(0),
        cut: null,
      }),
      [Symbol.asyncDispose]: async () => {},
    },
    { url: 'https://seller.example/joke' },
    { network },
  )

const toml = `NETWORK_PASSPHRASE = "Test SDF Network ; September 2015"
ACCOUNTS = ["${buyer}", "${seller}"]
[DOCUMENTATION]
ORG_NAME = "A shop"
[[CURRENCIES]]
code = "USDC"
issuer = "${asset.getIssuer()}"
`

export const parsers: readonly Parser[] = [
  {
    name: 'an envelope',
    valid: Buffer.from(String(synthetic({ feeSource: sponsor }).raw['envelopeXdr']), 'base64'),
    read: scanEnvelope,
    declares: isXdrError,
  },
  {
    name: 'an event',
    valid: bufferOf(transferEvent(mapData(xdr.ScVal.scvU64(7n)))),
    read: scanContractEvent,
    declares: isXdrError,
  },
  {
    name: 'a diagnostic event',
    valid: bufferOf(
      new xdr.DiagnosticEvent({ inSuccessfulContractCall: true, event: transferEvent() }),
    ),
    read: scanDiagnosticEvent,
    declares: isXdrError,
  },
  {
    name: 'a value of a contract',
    valid: bufferOf(mapData(xdr.ScVal.scvString('id'))),
    read: (bytes) => scanScValue(new XdrCursor(bytes)),
    declares: isXdrError,
  },
  {
    name: 'a stellar.toml',
    valid: Buffer.from(toml),
    read: readStellarToml,
    declares: declaresNothing,
  },
  {
    name: 'the price in a 402',
    valid: Buffer.from(required),
    read: quoteOf,
    declares: (error) => error instanceof PayFailure || isHeaderError(error),
  },
  {
    name: 'the filters of a list of payments as CSV',
    valid: Buffer.from(`network=${network}&seller=${seller}&scheme=exact&confidence=svc`),
    read: (bytes) => readFilters(Object.fromEntries(new URLSearchParams(bytes.toString('latin1')))),
    declares: (error) => error instanceof PageRefusal,
  },
]

/** HTTP itself lets no such byte through. */
const isHeaderError = (error: unknown) =>
  error instanceof TypeError && /invalid header value|Invalid header value/.test(error.message)
