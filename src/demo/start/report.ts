import type { StepName } from '../../buying/pay/timed-call.ts'
import { decimalAmount } from '../../platform/core/amounts/decimal.ts'
import { formatXlm } from '../../platform/core/amounts/stroops.ts'
import type { ObservedPayment } from '../observe/observed-payment.ts'
import { seconds } from '../progress.ts'
import { usageOf } from '../seller/metered-route.ts'

/** Decimals of USDC and XLM. */
const DECIMALS = 7

const usdc = (units: bigint) => `${decimalAmount(units, DECIMALS)} USDC`

const stepLabels: Readonly<Record<StepName, string>> = {
  '402': 'asked, answered 402',
  sign: 'signed',
  verify: 'verified',
  settle: 'settled',
  answer: 'answered 200',
}

/** A payment as lines of text: who paid what to whom, who paid the fee, and what took how long. */
export function paymentReport(payment: ObservedPayment): string {
  const { call, parties, before, after, landed } = payment
  const moved = (from: string, to: string) => `${from.padStart(18)}  →  ${to}`
  const facts: [string, string][] = [
    ...priceFacts(payment),
    ['paid to', call.accepted.payTo],
    ['buyer', `${short(parties.buyer)} ${moved(usdc(before.buyer), usdc(after.buyer))}`],
    ['seller', `${short(parties.seller)} ${moved(usdc(before.seller), usdc(after.seller))}`],
    [
      'sponsor',
      `${short(parties.sponsor)} ${moved(formatXlm(before.sponsor), formatXlm(after.sponsor))}`,
    ],
    [
      'network fee',
      `${formatXlm(landed.feeCharged)} (${grouped(landed.feeCharged)} stroops), paid by the sponsor`,
    ],
    ['transaction', call.settlement.transaction],
    ['ledger', String(landed.ledger)],
    ['answer', call.body],
  ]
  const total = call.stages.reduce((sum, { ms }) => sum + ms, 0)
  const times = call.stages.map(({ name, ms }) => [stepLabels[name], duration(ms)] as const)
  return [
    `One ${call.metered ? 'metered' : 'paid'} call: ${call.method} ${call.url}`,
    '',
    ...facts.map(([label, value]) => `  ${label.padEnd(13)}${value}`),
    '',
    ...times.map(([label, value]) => `  ${label.padEnd(22)}${value.padStart(9)}`),
    `  ${'in all'.padEnd(22)}${duration(total).padStart(9)}`,
    '',
  ].join('\n')
}

/** The price, or for a metered call the signed ceiling, the amount used, and the amount paid on the ledger. */
function priceFacts({ call, before, after }: ObservedPayment): [string, string][] {
  const { accepted, metered, body } = call
  if (!metered) return [['price', usdc(BigInt(accepted.amount))]]
  const { bytes, perByte, amount } = usageOf(body)
  return [
    ['ceiling', `${usdc(metered.ceiling)}, signed by the buyer`],
    ['used', `${usdc(amount)}: ${bytes} bytes of answer at ${usdc(perByte)}`],
    ['paid', usdc(before.buyer - after.buyer)],
  ]
}

/** Groups the digits of a number by three: `33,029`. */
const grouped = (value: bigint): string => value.toLocaleString('en-US')

const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : seconds(ms))

/** Shortens an address: `GABC…WXYZ`. */
const short = (address: string): string => `${address.slice(0, 4)}…${address.slice(-4)}`
