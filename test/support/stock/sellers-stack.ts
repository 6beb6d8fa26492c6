import { passphrases } from '../../../src/core/caip2.ts'
import { ledgerReader } from '../../../src/demo/ledger-reader.ts'
import { type Stack, type StackOptions, startStack } from '../stack.ts'
import { type Line, SellersFolder } from './sellers-folder.ts'
import { file, files } from './sellers-page.ts'
import { type Account, accountWithUsdc } from './stock-client.ts'

/** A facilitator, a seller and a buyer with USDC, and a reader's folder with the files of the page. */
export interface SellersStack extends AsyncDisposable {
  readonly stack: Stack
  readonly folder: SellersFolder
  readonly seller: Account
  readonly buyer: Account
  /** In base units of USDC. */
  readonly balanceOf: (address: string) => Promise<bigint>
}

export async function startSellersStack(
  line: Line,
  options: StackOptions = {},
): Promise<SellersStack> {
  await using opened = new AsyncDisposableStack()
  const stack = opened.use(await startStack({ closeEveryMs: 'on-send', tls: true, ...options }))
  const seller = await accountWithUsdc(stack.localnet)
  const buyer = await accountWithUsdc(stack.localnet)
  const folder = opened.use(
    await SellersFolder.create(line, {
      FACILITATOR_URL: stack.baseUrl,
      STELLAR_RPC_URL: stack.localnet.rpcUrl,
      NODE_EXTRA_CA_CERTS: stack.localnet.caFile ?? '',
      PAY_TO: seller.address,
      BUYER_SECRET: buyer.secret,
    }),
  )
  for (const name of files.keys()) await folder.save(name, file(name))
  const { usdc } = ledgerReader(stack.localnet.httpUrl, passphrases['stellar:testnet'])
  const resources = opened.move()
  return {
    stack,
    folder,
    seller,
    buyer,
    balanceOf: usdc,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
