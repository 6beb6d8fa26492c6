import { contract, Keypair } from '@stellar/stellar-sdk'

/*
 * Pays over https with the SDK's contract client, in its own process: Node reads
 * NODE_EXTRA_CA_CERTS only when it starts. Prints the result as JSON.
 */
const [rpcUrl = '', networkPassphrase = '', contractId = '', secret = '', payTo = ''] =
  process.argv.slice(2)

interface Token {
  transfer(args: {
    from: string
    to: string
    amount: bigint
  }): Promise<contract.AssembledTransaction<null>>
  balance(args: { id: string }): Promise<contract.AssembledTransaction<bigint>>
}

const payer = Keypair.fromSecret(secret)
const publicKey = payer.publicKey()
const token = await contract.Client.from<Token>({
  contractId,
  networkPassphrase,
  rpcUrl,
  publicKey,
  ...contract.basicNodeSigner(payer, networkPassphrase),
})
const assembled = await token.transfer({ from: publicKey, to: payTo, amount: 3_0000000n })
const sent = await assembled.signAndSend()
const balance = await token.balance({ id: payTo })
process.stdout.write(
  JSON.stringify({
    status: sent.getTransactionResponse?.status,
    balance: String(balance.result),
  }),
)
