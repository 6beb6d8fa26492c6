/**
 * Makes the contract account of an agent: its owner may do everything, the agent may transfer USDC up to a limit a day. Then the
 * owner puts one USDC into it. `node deploy.js`
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  Address,
  hash,
  Keypair,
  nativeToScVal,
  Operation,
  rpc,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'

const { STELLAR_RPC_URL = 'https://soroban-testnet.stellar.org' } = process.env
const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'
/** Base units of USDC a day: 0.02, two calls of the demo. */
const LIMIT = 200_000n
const LEDGERS_OF_A_DAY = 17_280

const server = new rpc.Server(STELLAR_RPC_URL, { allowHttp: true })
const { passphrase } = await server.getNetwork()
const owner = Keypair.fromSecret(readFileSync('owner.seed', 'utf8').trim())
const agent = Keypair.fromSecret(readFileSync('agent.seed', 'utf8').trim())

const limit = await create('limit.wasm', [])
const params = { period_ledgers: LEDGERS_OF_A_DAY, spending_limit: LIMIT }
const account = await create('account.wasm', [
  delegated(owner),
  delegated(agent),
  new Address(USDC).toScVal(),
  xdr.ScVal.scvMap([
    new xdr.ScMapEntry({
      key: new Address(limit).toScVal(),
      val: nativeToScVal(params, {
        type: { period_ledgers: ['symbol', 'u32'], spending_limit: ['symbol', 'i128'] },
      }),
    }),
  ]),
  // The last ledger of the agent's rule; without one it does not expire.
  xdr.ScVal.scvVoid(),
])
await send(
  Operation.invokeContractFunction({
    contract: USDC,
    function: 'transfer',
    args: [
      new Address(owner.publicKey()).toScVal(),
      new Address(account).toScVal(),
      nativeToScVal(10_000_000n, { type: 'i128' }),
    ],
  }),
)
console.log(account)

/** The account's own authorization counts. */
function delegated(key) {
  return xdr.ScVal.scvVec([
    xdr.ScVal.scvSymbol('Delegated'),
    new Address(key.publicKey()).toScVal(),
  ])
}

async function create(file, constructorArgs) {
  const wasm = readFileSync(new URL(file, import.meta.url))
  await send(Operation.uploadContractWasm({ wasm }))
  const address = new Address(owner.publicKey())
  const created = await send(
    Operation.createCustomContract({
      ...{ address, wasmHash: hash(wasm), salt: randomBytes(32), constructorArgs },
    }),
  )
  return Address.fromScVal(created).toString()
}

/** Waits until it is on the ledger, and answers what it returned. */
async function send(operation) {
  const source = await server.getAccount(owner.publicKey())
  const built = new TransactionBuilder(source, { fee: '100000', networkPassphrase: passphrase })
    .addOperation(operation)
    .setTimeout(60)
    .build()
  const prepared = await server.prepareTransaction(built)
  prepared.sign(owner)
  const { hash: sent } = await server.sendTransaction(prepared)
  const applied = await server.pollTransaction(sent, { attempts: 60 })
  if (applied.status !== 'SUCCESS') throw new Error(`transaction ${sent}: ${applied.status}`)
  return applied.returnValue
}
