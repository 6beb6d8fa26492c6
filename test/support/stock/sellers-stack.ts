import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { ledgerReader } from '../../../src/demo/observe/ledger-reader.ts'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { type Stack, type StackOptions, startStack } from '../stack.ts'
import { buyers } from './buyers-page.ts'
import { type Line, lines, notInstalled, SellersFolder } from './sellers-folder.ts'
import { files } from './sellers-page.ts'
import { type Account, accountWithUsdc } from './stock-client.ts'

/** A facilitator, a seller and a buyer with USDC, and a reader's folder with the files of the page. */
export interface Market {
  readonly stack: Stack
  readonly folder: SellersFolder
  readonly seller: Account
  readonly buyer: Account
  /** Stops the ledgers, and lets them go on. */
  readonly hold: (isHeld: boolean) => void
  /** In base units of USDC. */
  readonly balanceOf: (address: string) => Promise<bigint>
}

const LEDGER_MS = 1_000

interface MarketOptions extends StackOptions {
  /** Whether the folder has this project beside the stock packages, and the files of docs/buyers.md. @default false */
  readonly withProject?: boolean
  /** @default every line */
  readonly lines?: readonly Line[]
}

/**
 * Registers the same tests for each line, with a folder for each and one facilitator for all. Those of
 * a line whose packages are not installed are skipped.
 */
export function forEachLine(
  { withProject = false, lines: chosen = lines, ...options }: MarketOptions,
  tests: (market: () => Market, line: Line) => void,
): void {
  const opened = new AsyncDisposableStack()
  let stack: Stack
  let seller: Account
  let buyer: Account
  let isHeld = false

  beforeAll(async () => {
    stack = opened.use(await startStack({ closeEveryMs: 'on-send', tls: true, ...options }))
    // The service learns from the ledgers how long one takes. Tests that send nothing for a while would
    // make that so long that a stock client's signature, which assumes 5 s, lasts too many ledgers.
    const closing = setInterval(() => {
      if (!isHeld) void stack.localnet.closeLedger()
    }, LEDGER_MS)
    opened.defer(() => clearInterval(closing))
    seller = await accountWithUsdc(stack.localnet)
    buyer = await accountWithUsdc(stack.localnet)
  })
  afterAll(() => opened.disposeAsync())

  describe.each(chosen)('with the packages of the $line line', (line) => {
    const missing = notInstalled(line)
    let market: Market

    beforeAll(async () => {
      if (missing !== undefined) return
      const variables = {
        FACILITATOR_URL: stack.baseUrl,
        STELLAR_RPC_URL: stack.localnet.rpcUrl,
        NODE_EXTRA_CA_CERTS: stack.localnet.caFile ?? '',
        PAY_TO: seller.address,
        BUYER_SECRET: buyer.secret,
      }
      const create = withProject ? SellersFolder.withProject : SellersFolder.create
      const folder = opened.use(await create(line, variables))
      const saved = [...files, ...(withProject ? buyers.files : [])]
      for (const [name, text] of saved) await folder.save(name, text)
      const { usdc } = ledgerReader(stack.localnet.httpUrl, passphrases['stellar:testnet'])
      const hold = (held: boolean) => {
        isHeld = held
        stack.hold(held)
      }
      market = { stack, folder, seller, buyer, hold, balanceOf: usdc }
    })
    beforeEach(({ skip }) => {
      if (missing !== undefined) skip(missing)
    })

    tests(() => market, line)
  })
}
