import { z } from 'zod'
import { SignerError, type SignerProblem } from '../../stellar/accounts/envelope-signer.ts'
import type { VaultAnswer } from './vault-api.ts'

const Errors = z.object({ errors: z.array(z.string()) })

/** A sentence or two of Vault's; its answers to errors hold no more. */
const MAX_QUOTE_CHARS = 200

/** What a status says whatever was asked for; the sentences continue one that starts with the address. */
const byStatus: Readonly<Record<number, readonly [SignerProblem, string]>> = {
  403: ['denied', 'denies it'],
  404: ['no_key', 'has nothing at that path'],
  412: ['unreachable', 'has not replicated what this token depends on yet'],
  429: ['unreachable', 'is a standby or limits the rate of requests'],
  472: ['unreachable', 'is a disaster recovery secondary'],
  473: ['unreachable', 'is a performance standby'],
  503: ['unreachable', 'is sealed or in maintenance'],
}

/** Vault has these two with status 400, as it has every mistake in a request. */
const noKey = /key not found|does not support signing/

export interface FailedCall {
  readonly address: string
  /** Completes "asked to …". */
  readonly to: string
  readonly answer: VaultAnswer
  /** Never shown, even if the answer has them. */
  readonly secrets: readonly string[]
}

/** Why a call that Vault answered gave no result. */
export function problemOf({ address, to, answer, secrets }: FailedCall): SignerError {
  const quote = quoteOf(answer.body, secrets)
  const [problem, says] = whyFailed(answer, quote)
  const quoted = quote === '' ? '' : `: ${quote}`
  return new SignerError(problem, `Vault at ${address}, asked to ${to}, ${says}${quoted}`)
}

function whyFailed(
  { status, location }: VaultAnswer,
  quote: string,
): readonly [SignerProblem, string] {
  const known = byStatus[status]
  if (known) return known
  if (status >= 300 && status < 400) {
    const host = location && URL.canParse(location) ? new URL(location).host : 'another address'
    return ['unreachable', `redirects to ${host}, which is not followed; it may be a standby`]
  }
  if (status >= 500) return ['unreachable', `fails with status ${status}`]
  if (noKey.test(quote)) return ['no_key', 'has no key that can sign']
  return ['invalid', `answers with status ${status}`]
}

/** What Vault says of an error, made fit for a log. */
function quoteOf(body: unknown, secrets: readonly string[]): string {
  const parsed = Errors.safeParse(body)
  return parsed.success ? safeText(parsed.data.errors.join('; '), secrets) : ''
}

/** One short line without control characters; empty when it has one of the secrets. */
export function safeText(text: string, secrets: readonly string[]): string {
  if (secrets.some((secret) => text.includes(secret))) return ''
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  return line.length > MAX_QUOTE_CHARS ? `${line.slice(0, MAX_QUOTE_CHARS)}…` : line
}
