/**
 * The process of the buyers and the seller. It begins payments at a constant rate: the next one starts on time
 * even if those before it have no answer. Its parent process starts and stops it, and gets a record of each payment.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { signerFromSecret } from '../../../../src/stellar/accounts/signer.ts'
import { buy } from './buyer.ts'
import { recordingFetch } from './facilitator-requests.ts'
import { httpsFront } from './https-front.ts'
import type { FacilitatorRequest, FromMarket, MarketSettings, ToMarket } from './records.ts'
import { startSeller } from './seller.ts'
import { stockPackages } from './stock-packages.ts'

/** More payments than this are not in progress at once: a turn then passes without one. */
const MOST_IN_PROGRESS = 100
const FIRST_AMOUNT = 10_000

const settings: MarketSettings = JSON.parse(String(process.argv[2]))
const { facilitatorUrl, perSecond, signedAheadMs } = settings
const payers = settings.payers.map((secret) => ({
  secret,
  address: signerFromSecret(secret).address,
}))
const requestsOf = new Map<string, FacilitatorRequest[]>()
const inProgress = new Set<Promise<void>>()
let apiKey = settings.apiKey
let isStopped = false
let begun = 0

const { url: rpcUrl, authority } = await httpsFront(settings.rpcUrl)
tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), authority])
globalThis.fetch = recordingFetch(facilitatorUrl, (amount, request) => {
  requestsOf.get(amount)?.push(request)
})
const packages = stockPackages(settings.packages)
const goods = await startSeller(packages, { ...settings, apiKey: () => apiKey })

/** Without an error when the parent process has ended: this one ends then too. */
const send = (message: FromMarket) => process.send?.(message, undefined, undefined, () => undefined)

async function payment(payer: (typeof payers)[number], turnAt: number): Promise<void> {
  const amount = String(FIRST_AMOUNT + begun++)
  const requests: FacilitatorRequest[] = []
  requestsOf.set(amount, requests)
  let begunAt = Date.now()
  const turn = async () => {
    await sleep(Math.max(0, turnAt - performance.now()))
    begunAt = Date.now()
  }
  const url = `${goods}?amount=${amount}`
  const { secret, address } = payer
  const bought = await buy(packages, { url, secret, rpcUrl, turn, requests })
  send({ paid: { payer: address, amount, begunAt, requests, ...bought } })
}

async function run(): Promise<void> {
  const start = performance.now()
  for (let count = 0; !isStopped; count++) {
    const at = start + (count * 1_000) / perSecond
    await sleep(Math.max(0, at - performance.now()))
    const payer = payers[count % payers.length]
    if (isStopped || payer === undefined || inProgress.size >= MOST_IN_PROGRESS) continue
    const one = payment(payer, at + signedAheadMs).finally(() => inProgress.delete(one))
    inProgress.add(one)
  }
  await Promise.all(inProgress)
  send('ended')
}

process.on('message', (message: ToMarket) => {
  if (message === 'stop') isStopped = true
  else if (message === 'start') void run()
  else apiKey = message.apiKey
})
process.on('disconnect', () => process.exit())
send('ready')
