import { Keypair } from '@stellar/stellar-sdk'
import { expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { lines } from '../../../support/stock/sellers-folder.ts'
import { page } from '../../../support/stock/sellers-page.ts'
import { forEachLine, type Market } from '../../../support/stock/sellers-stack.ts'

interface Mistake {
  readonly mistake: string
  /** As in the page's table. */
  readonly message: string
  readonly server?: (market: Market) => Promise<Record<string, string>>
  readonly client?: (market: Market) => Promise<Record<string, string>>
}

const mistakes: readonly Mistake[] = [
  {
    mistake: 'a buyer without USDC',
    message: 'Error(Contract, #10)',
    client: async ({ folder }) => {
      const { output } = await folder.run('account.mjs', ['POOR'])
      return { BUYER_SECRET: /POOR_SECRET=(\S+)/.exec(output)?.[1] ?? '' }
    },
  },
  {
    mistake: 'a seller that does not exist',
    message: 'Error(Contract, #13)',
    server: async () => ({ PAY_TO: Keypair.random().publicKey() }),
  },
  {
    mistake: 'a seller without a trustline',
    message: 'Error(Contract, #13)',
    server: async ({ stack }) => {
      const address = Keypair.random().publicKey()
      await stack.localnet.pay({ address, asset: 'XLM', amount: 100_000_000n })
      return { PAY_TO: address }
    },
  },
  {
    mistake: 'a certificate authority that Node does not know',
    message: 'unable to verify the first certificate',
    client: async () => ({ NODE_EXTRA_CA_CERTS: '' }),
  },
  {
    mistake: 'an RPC server on plain http',
    message: 'Cannot connect to insecure Soroban RPC server',
    client: async ({ stack }) => ({ STELLAR_RPC_URL: stack.localnet.httpUrl }),
  },
]

const [newest] = lines

forEachLine({ lines: [newest] }, (market) => {
  it.each(mistakes)('says to the buyer what the page says about $mistake', async (tried) => {
    const { message, server = async () => ({}), client = async () => ({}) } = tried
    const { folder } = market()
    const own = await server(market())
    await using selling = await folder.serve('express.mjs', await freePort(), own)

    const { code, output } = await folder.run('client.mjs', [selling.url], await client(market()))

    expect(code).toBe(1)
    expect(output).toMatch(/^Error: Failed to create payment payload: /m)
    expect(output).toContain(message)
    expect(page).toContain(`| \`${message}\` |`)
  })
})
