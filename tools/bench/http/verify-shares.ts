import { checkPayment } from '../../../src/payments/checks/check-payment.ts'
import { checkSignature } from '../../../src/payments/checks/check-signature.ts'
import type { PaymentPolicy } from '../../../src/payments/protocol/policy.ts'
import { type PaymentRequest, readPaymentRequest } from '../../../src/payments/protocol/protocol.ts'
import type { Payment } from '../../../src/payments/schemes/scheme.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { passphrases, usdcContracts } from '../../../src/platform/core/caip2.ts'
import type { StellarRpc } from '../../../src/stellar/rpc/rpc.ts'
import { readClientEnvelope } from '../../../src/stellar/transactions/client-envelope.ts'
import { simulationEnvelope } from '../../../src/stellar/transactions/settlement-envelope.ts'
import { monotonicMs } from '../monotonic.ts'
import type { PaymentBody } from '../payment-maker.ts'
import { median } from '../statistics.ts'

/** Medians in milliseconds, one verification at a time. */
export interface VerifyShares {
  readonly whole: number
  /** JSON to request, and XDR to envelope. */
  readonly decode: number
  /** The checks that need no ledger. */
  readonly checks: number
  readonly signature: number
  readonly simulation: number
}

const REPEATS = 100

const policy: PaymentPolicy = {
  network: 'stellar:testnet',
  passphrase: passphrases['stellar:testnet'],
  assets: new Map([
    [
      usdcContracts['stellar:testnet'],
      { contract: usdcContracts['stellar:testnet'], symbol: 'USDC', decimals: 7 },
    ],
  ]),
  isOwnAccount: () => false,
  maxTxFeeStroops: asStroops(300_000n),
  expirationMarginLedgers: 1,
  timeoutMinSeconds: 10,
  timeoutMaxSeconds: 300,
}

/** Times the parts in this process, with the service's code, and the whole over HTTP. */
export async function verifyShares(
  url: string,
  rpc: StellarRpc,
  body: PaymentBody,
): Promise<VerifyShares> {
  const text = JSON.stringify(body)
  const request = read(text)
  const transaction = String(request.paymentPayload.payload['transaction'])
  const payment = checkedPayment(request)
  const json = await timed(() => read(text))
  const xdr = await timed(() => readClientEnvelope(transaction))
  const opened = await timed(() => checkedPayment(request))
  const signature = await timed(() => checkSignature(payment, policy.passphrase))
  const simulation = await timed(() => rpc.simulate(simulationEnvelope(payment.invocation)))
  const whole = await timed(() => requestVerify(url, text))
  return {
    ...{ whole, signature, simulation },
    decode: json + xdr,
    checks: Math.max(0, opened - xdr),
  }
}

function read(text: string): PaymentRequest {
  const reading = readPaymentRequest(JSON.parse(text))
  if (!reading.ok) throw new Error(reading.problem)
  return reading.request
}

function checkedPayment(request: PaymentRequest): Payment {
  const verdict = checkPayment(request, policy, 'settle')
  if (!verdict.ok) throw new Error(verdict.refusal.message)
  return verdict.payment
}

async function requestVerify(url: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/verify`, { method: 'POST', headers, body })
  const answer = (await response.json()) as { isValid?: boolean }
  if (!answer.isValid) throw new Error(`not valid: ${JSON.stringify(answer)}`)
}

async function timed(work: () => unknown): Promise<number> {
  for (let i = 0; i < REPEATS; i += 1) await work()
  const times: number[] = []
  for (let i = 0; i < REPEATS; i += 1) {
    const start = monotonicMs()
    await work()
    times.push(monotonicMs() - start)
  }
  return median(times)
}
