/** The history of an embedded network, recorded once and then shown by endpoints ledger by ledger. */
import { Keypair } from '@stellar/stellar-sdk'
import { usdc } from '../../../src/localnet/genesis/genesis-assets.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { Localnet as Network } from '../../../src/localnet/network.ts'
import { getTransactions } from '../../../src/localnet/rpc/reads/get-transactions.ts'
import { build, bytesOf } from '../../unit/localnet/harness.ts'
import { transferCall } from '../../unit/localnet/soroban-harness.ts'
import { settleCall, settleTransaction } from '../../unit/localnet/upto-call.ts'
import { FakeClock } from '../fake-clock.ts'
import { fundedAccounts } from '../funded.ts'
import type { Json } from '../stale-answers.ts'

/** A payment that the ledger made. */
export interface ChainPayment {
  readonly ledger: number
  /** Unix seconds. */
  readonly closedAt: number
  readonly txHash: string
  readonly buyer: string
  readonly seller: string
  readonly amount: bigint
  /** Of a payment in the scheme `upto`. */
  readonly ceiling?: bigint
}

type SentPayment = Omit<ChainPayment, 'ledger' | 'closedAt' | 'txHash'>

export interface ChainLedger {
  /** Unix seconds. */
  readonly closeTime: number
  /** As `getTransactions` lists them. */
  readonly transactions: readonly Json[]
}

export interface RecordedChain {
  readonly passphrase: string
  /** By sequence; the first one is the genesis. */
  readonly ledgers: ReadonlyMap<number, ChainLedger>
  readonly first: number
  readonly last: number
  readonly payments: readonly ChainPayment[]
}

export interface RecordOptions {
  readonly ledgers: number
  /** When it begins, in milliseconds. */
  readonly startMs: number
  readonly random: () => number
}

const BUYERS = 5
const SELLERS = 4
const SUBMITTERS = 6
/** Ledgers close this far apart, and sometimes an hour, so that the payments lie in many hours. */
const SECONDS_PER_LEDGER = 5
const LONG_PAUSE_SECONDS = 3_600
const PAGE = 200

/**
 * Makes payments as a facilitator does (a call that the buyer signed, in a transaction of another account), some of them
 * settlements of a part of a ceiling, of all or of nothing of it; and transfers that are none, since their sender is the
 * source of the transaction.
 */
export async function recordChain({
  ledgers,
  startMs,
  random,
}: RecordOptions): Promise<RecordedChain> {
  const clock = new FakeClock(startMs)
  const network = new Network({ clock })
  const some = { lumens: 1_000n, usdc: 1_000n }
  const keys = await fundedAccounts(network, [
    ...Array.from({ length: BUYERS + SELLERS }, () => some),
    ...Array.from({ length: SUBMITTERS + 1 }, () => ({ lumens: 1_000n, usdc: 100n })),
  ])
  const buyers = keys.slice(0, BUYERS)
  const sellers = keys.slice(BUYERS, BUYERS + SELLERS)
  const [authority = Keypair.random(), ...submitters] = keys.slice(BUYERS + SELLERS)
  const pick = (among: readonly Keypair[]) =>
    among[Math.floor(random() * among.length)] ?? Keypair.random()
  const sent = new Map<string, SentPayment>()
  let amount = 1_000n
  while (network.latest.sequence < ledgers) {
    // A third of the ledgers are empty.
    const transactions = Math.max(0, Math.floor(random() * (SUBMITTERS + 3)) - 2)
    for (const source of submitters.slice(0, transactions)) {
      amount += 1n
      const kind = random()
      const buyer = pick(buyers)
      const seller = pick(sellers).publicKey()
      if (kind < 0.1) {
        const ceiling = amount
        const used = [0n, ceiling / 3n, ceiling][Math.floor(random() * 3)] ?? 0n
        const plan = { buyer, seller, ceiling, amount: used, nonce: sent.size, source, authority }
        const hash = await submitSettlement(network, plan)
        sent.set(hash, { buyer: buyer.publicKey(), seller, ceiling, amount: used })
        continue
      }
      const isPayment = kind < 0.7
      const from = isPayment ? buyer : source
      const hash = await submit(network, { from, seller, amount, source })
      if (isPayment) sent.set(hash, { buyer: buyer.publicKey(), seller, amount })
    }
    const pause = random() < 0.03 ? LONG_PAUSE_SECONDS : SECONDS_PER_LEDGER
    await clock.advance(pause * 1_000)
    await network.closeLedger()
  }
  return recorded(network, sent)
}

async function submit(
  network: Localnet,
  plan: { from: Keypair; seller: string; amount: bigint; source: Keypair },
): Promise<string> {
  const { from, seller: to, amount, source } = plan
  const call = await transferCall(network, { from, to, amount, source, asset: usdc })
  const fee = String(call.data.resourceFee + 1_000n)
  return send(network, build(network, { source, call, fee }))
}

async function submitSettlement(
  network: Localnet,
  plan: Omit<SentPayment, 'buyer'> & {
    buyer: Keypair
    ceiling: bigint
    nonce: number
    source: Keypair
    authority: Keypair
  },
): Promise<string> {
  const { buyer: payer, seller: payTo, amount: actual, source: channel, ...rest } = plan
  const call = await settleCall(network, { payer, payTo, actual, ...rest })
  return send(network, settleTransaction(network, call, { channel, authority: plan.authority }))
}

function send(network: Localnet, transaction: ReturnType<typeof build>): string {
  const result = network.submit(bytesOf(transaction))
  if (result.status !== 'PENDING') throw new Error(`the ledger refused a payment: ${result.status}`)
  return result.hash
}

function recorded(network: Localnet, sent: ReadonlyMap<string, SentPayment>): RecordedChain {
  const first = network.oldest.sequence
  const last = network.latest.sequence
  const ledgers = new Map<number, ChainLedger>()
  for (let sequence = first; sequence <= last; sequence++) {
    const { closeTime } = network.ledger(sequence) ?? { closeTime: 0 }
    ledgers.set(sequence, { closeTime, transactions: [] })
  }
  for (const transaction of listAll(network, first)) {
    const ledger = ledgers.get(Number(transaction['ledger']))
    if (ledger) Object.assign(ledger, { transactions: [...ledger.transactions, transaction] })
  }
  const payments = [...sent].map(([txHash, payment]): ChainPayment => {
    const applied = network.transaction(txHash)
    if (!applied?.successful) throw new Error('a payment is in no ledger')
    return { ...payment, txHash, ledger: applied.ledger, closedAt: applied.closeTime }
  })
  return { passphrase: network.passphrase, ledgers, first, last, payments }
}

function listAll(network: Localnet, first: number): Json[] {
  const context = {
    network,
    clock: network.clock,
    friendbotUrl: '',
    closeEveryMs: 'manual',
  } as const
  const all: Json[] = []
  for (let cursor = ''; ; ) {
    const page = getTransactions(context, {
      ...(cursor === '' && { startLedger: first }),
      pagination: { limit: PAGE, ...(cursor !== '' && { cursor }) },
    })
    // Through JSON, as over the network.
    all.push(...(JSON.parse(JSON.stringify(page.transactions)) as Json[]))
    if (page.transactions.length < PAGE) return all
    cursor = page.cursor
  }
}
