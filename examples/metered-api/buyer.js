/** Buys one call with a metered price. `node buyer.js URL` */
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createEd25519Signer } from '@x402/stellar'
import { UptoStellarScheme } from 'stellar-x402/upto/client'

const { BUYER_SECRET, STELLAR_RPC_URL = 'http://127.0.0.1:8000' } = process.env
const [url = 'http://127.0.0.1:4030/rates.csv?days=365'] = process.argv.slice(2)
if (!BUYER_SECRET) throw new Error('Set BUYER_SECRET to the seed of an account with USDC.')

const network = 'stellar:testnet'
const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'
/** Base units: this buyer authorizes no more than 0.1 USDC for a call. */
const LIMIT = 1_000_000n

const signer = createEd25519Signer(BUYER_SECRET.trim(), network)
const upto = new UptoStellarScheme(signer, { url: STELLAR_RPC_URL, maxAmounts: { [USDC]: LIMIT } })
const client = new x402Client().register(network, upto)
let authorized = 0n
client.onAfterPaymentCreation(async ({ selectedRequirements }) => {
  authorized = BigInt(selectedRequirements.amount)
})

const response = await wrapFetchWithPayment(fetch, client)(url)
const body = await response.text()
const receipt = response.headers.get('payment-response')
const paid = receipt ? JSON.parse(Buffer.from(receipt, 'base64').toString()) : undefined

console.log(`${response.status}, ${body.length} bytes: ${body.split('\n')[0]}`)
console.log(`authorized  ${usdc(authorized)} USDC`)
console.log(`paid        ${usdc(BigInt(paid?.amount ?? 0))} USDC`)
if (paid) console.log(`transaction ${paid.transaction}`)

function usdc(units) {
  return Number(units) / 10_000_000
}
