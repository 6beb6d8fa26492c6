/** Whether a transaction is one that the facilitator makes, and what it costs and moves. */
import type { xdr } from '@stellar/stellar-sdk'
import type { Policy } from '../config.ts'
import { accountOf, readEnvelope } from './envelope.ts'
import { partOf } from './operations.ts'
import type { Part, Step } from './part.ts'
import { checkPreconditions } from './preconditions.ts'
import { refuse } from './refusal.ts'

/** What a signature stands for. Sums are in stroops. */
export interface Effects {
  readonly hash: Uint8Array
  /** The most that the sponsor is charged. */
  readonly fee: bigint
  /** XLM that may go to a recipient; `all` for the whole balance. */
  readonly xlm: bigint | 'all'
  /** Accounts whose reserve the sponsor pays from then on. */
  readonly accounts: number
}

export interface Terms {
  readonly policy: Policy
  /** `G...`: the account of the key. */
  readonly sponsor: string
  readonly passphrase: string
  /** Unix ms. */
  readonly now: number
}

/**
 * Which parts stand together, each with a space after it, as the functions of the facilitator build them. The first line holds what is
 * alone in its transaction. An envelope has room for the signatures of 18 channels.
 */
const shapes: readonly RegExp[] = [
  /^(call|deploy|footprint|hand_over|sweep) $/,
  /^(mark )?(create ){0,18}$/,
  /^(merge ){0,18}(mark )?(pay )?$/,
]
const withSorobanData = /^(call|deploy|footprint) $/

/** Throws `Refusal`. */
export function examineTransaction(envelopeXdr: string, terms: Terms): Effects {
  const { policy, sponsor, passphrase, now } = terms
  const envelope = readEnvelope(envelopeXdr, passphrase, sponsor)
  const { hash, fee, isFeeBump, tx, txSource } = envelope
  checkPreconditions(tx, now)
  const steps = tx.operations.map((operation) => ({
    operation,
    source: operation.sourceAccount ? accountOf(operation.sourceAccount) : txSource,
  }))
  const isAsked = isFeeBump || [txSource, ...steps.map(({ source }) => source)].includes(sponsor)
  if (!isAsked) refuse('not_ours', 'the sponsor neither pays nor is a source')
  const parts = partsOf(steps, { policy, sponsor, txSource })
  checkShape(parts, tx)
  // A negative one, which no network accepts, would lower the sums.
  if (fee < 0n || fee > policy.maxFeeStroops) {
    refuse('fee_ceiling', `the fee is ${fee} stroops, the ceiling ${policy.maxFeeStroops}`)
  }
  // A fee bump alone moves nothing: the sponsor signs the transaction inside, too, where that one needs its consent.
  return isFeeBump ? { hash, fee, xlm: 0n, accounts: 0 } : { hash, fee, ...sumOf(parts) }
}

function partsOf(
  steps: readonly Step[],
  given: Pick<Terms, 'policy' | 'sponsor'> & { readonly txSource: string },
): readonly Part[] {
  const parts: Part[] = []
  for (let at = 0; at < steps.length; ) {
    const step = steps[at]
    if (!step) break
    const part = partOf({ ...given, step, next: [steps[at + 1], steps[at + 2]] })
    parts.push(part)
    at += part.operations ?? 1
  }
  return parts
}

function checkShape(parts: readonly Part[], { ext }: xdr.Transaction): void {
  const kinds = parts.map(({ kind }) => `${kind} `).join('')
  if (kinds === '' || !shapes.some((shape) => shape.test(kinds))) {
    refuse('shape', `no transaction of the facilitator is: ${kinds || 'without operations'}`)
  }
  if (withSorobanData.test(kinds) !== (ext.type === 'sorobanData')) {
    refuse('soroban_data', `Soroban data is ${ext.type === 'sorobanData' ? 'there' : 'missing'}`)
  }
}

const sumOf = (parts: readonly Part[]): Pick<Effects, 'xlm' | 'accounts'> => ({
  xlm: parts.some(({ xlm }) => xlm === 'all')
    ? 'all'
    : parts.reduce((sum, { xlm }) => sum + (typeof xlm === 'bigint' ? xlm : 0n), 0n),
  accounts: parts.reduce((sum, { accounts = 0 }) => sum + accounts, 0),
})
