/** Records what the stock seller sends to the facilitator and what it gets back, below the stock packages. */
import type { FacilitatorRequest } from './records.ts'

interface Answer {
  readonly isValid?: boolean
  readonly success?: boolean
  readonly transaction?: string
  readonly invalidReason?: string | null
  readonly errorReason?: string | null
  readonly error?: { readonly code?: string }
}

type Take = (amount: string, request: FacilitatorRequest) => void

/** A `fetch` that hands each request for a payment to `take`, with the amount of the payment. */
export function recordingFetch(facilitatorUrl: string, take: Take): typeof fetch {
  const original = globalThis.fetch
  return async (input, init) => {
    const path = pathOf(String(input), facilitatorUrl)
    if (path === undefined || typeof init?.body !== 'string') return original(input, init)
    const { amount } = JSON.parse(init.body).paymentRequirements
    const begunAt = Date.now()
    const begun = performance.now()
    const record = (rest: Omit<FacilitatorRequest, 'path' | 'begunAt' | 'ms'>) =>
      take(amount, { path, begunAt, ms: performance.now() - begun, ...rest })
    try {
      const response = await original(input, init)
      record({ status: response.status, ...contentOf(path, await response.clone().text()) })
      return response
    } catch (error) {
      record({ isSuccess: false, reason: messageOf(error) })
      throw error
    }
  }
}

function pathOf(url: string, facilitatorUrl: string): FacilitatorRequest['path'] | undefined {
  if (url === `${facilitatorUrl}/verify`) return '/verify'
  if (url === `${facilitatorUrl}/settle`) return '/settle'
  return undefined
}

function contentOf(
  path: FacilitatorRequest['path'],
  text: string,
): Pick<FacilitatorRequest, 'isSuccess' | 'reason' | 'transaction'> {
  const answer = parsed(text)
  const isSuccess = (path === '/verify' ? answer.isValid : answer.success) === true
  const reason = answer.invalidReason ?? answer.errorReason ?? answer.error?.code
  return {
    isSuccess,
    ...(!isSuccess && { reason: reason ?? `an answer that is no verdict: ${text.slice(0, 80)}` }),
    ...(answer.transaction !== undefined && { transaction: answer.transaction }),
  }
}

function parsed(text: string): Answer {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** With the cause, which names the failure of the connection: `fetch failed: ECONNRESET`. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const code = cause instanceof Error ? (Object(cause).code ?? cause.message) : undefined
  return code === undefined ? error.message : `${error.message}: ${code}`
}
