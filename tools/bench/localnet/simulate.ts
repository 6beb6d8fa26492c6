/** Time of a transfer's simulation over HTTP. */
import {
  Account,
  Address,
  Contract,
  Keypair,
  Networks,
  nativeToScVal,
  TransactionBuilder,
} from '@stellar/stellar-sdk'
import { usdc } from '../../../src/localnet/genesis/genesis-assets.ts'
import { median, quantile } from '../statistics.ts'
import { type Measure, milliseconds } from './measure.ts'
import { localnetProgram } from './start.ts'

const WARM_UP = 300
const REQUESTS = 1_000
const TARGET_MS = 2

export async function measureSimulate(): Promise<Measure[]> {
  await using localnet = await localnetProgram()
  const url = String(localnet.ready['rpcUrl'])
  const [payer, seller] = [Keypair.random().publicKey(), Keypair.random().publicKey()]
  for (const address of [payer, seller]) await fetch(`${url}/faucet?addr=${address}&amount=1000`)
  const body = simulation(payer, seller)
  const times: number[] = []
  for (let request = 0; request < WARM_UP + REQUESTS; request++) {
    const before = performance.now()
    const response = await fetch(url, { method: 'POST', body })
    const answer = await response.text()
    if (request >= WARM_UP) times.push(performance.now() - before)
    if (!answer.includes('minResourceFee')) throw new Error(`no simulation: ${answer}`)
  }
  const p50 = median(times)
  return [
    {
      what: `simulateTransaction of a transfer over HTTP, p50 (p95 ${milliseconds(quantile(times, 0.95))})`,
      target: '2 ms',
      figure: milliseconds(p50),
      met: p50 < TARGET_MS,
    },
  ]
}

function simulation(from: string, to: string): string {
  const [sender, receiver] = [from, to].map((it) => Address.fromString(it).toScVal())
  if (!sender || !receiver) throw new TypeError('a transfer needs a sender and a receiver')
  const contract = new Contract(usdc.contractId(Networks.TESTNET))
  const amount = nativeToScVal(1_000n, { type: 'i128' })
  const transaction = new TransactionBuilder(new Account(Keypair.random().publicKey(), '1'), {
    fee: '100',
    networkPassphrase: Networks.TESTNET,
  })
    .addOperation(contract.call('transfer', sender, receiver, amount))
    .setTimeout(0)
    .build()
  const params = { transaction: transaction.toEnvelope().toXdr('base64') }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'simulateTransaction', params })
}
