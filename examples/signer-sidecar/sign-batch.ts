/** One batch after the other: the rules first, then the log, and only then the key. */
import type { Config } from './config.ts'
import { type NetworkId, passphrases } from './config.ts'
import type { Key } from './key.ts'
import type { Entry } from './log/line.ts'
import type { SigningLog } from './log/signing-log.ts'
import { examineAnnouncement } from './policy/announcement.ts'
import { Refusal, refuse } from './policy/refusal.ts'
import { type Effects, examineTransaction } from './policy/transaction.ts'
import type { SigningAnswer, SigningRequest } from './protocol.ts'

export interface SigningDeps {
  readonly config: Pick<Config, 'networks' | 'policy'>
  readonly key: Key
  readonly log: SigningLog
  /** Unix ms. */
  readonly now: () => number
  /** Told of each refusal. */
  readonly refused: (request: SigningRequest, refusal: Refusal) => void
}

/** So many batches wait at most; the next one is told to come again. */
const MAX_WAITING = 16

/** More than `MAX_WAITING` batches wait. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

export type SignBatch = (requests: readonly SigningRequest[]) => Promise<readonly SigningAnswer[]>

/** Signs batches, one at a time, so that the sums are those of the log. The function throws `Busy`, `LogFailure`, and what the key throws. */
export function batchSigner(deps: SigningDeps): SignBatch {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return (requests) => {
    if (waiting >= MAX_WAITING) return Promise.reject(new Busy('too many batches wait'))
    waiting += 1
    const result = last.then(() => signOne(deps, requests))
    const settled = () => {
      waiting -= 1
    }
    last = result.then(settled, settled)
    return result
  }
}

type Decision = { readonly hash: Uint8Array; readonly entry: Entry } | Refusal

async function signOne(
  deps: SigningDeps,
  requests: readonly SigningRequest[],
): Promise<readonly SigningAnswer[]> {
  const { key, log } = deps
  const time = log.timeAt(deps.now())
  const decisions = decide(deps, requests, time)
  const signed = decisions.flatMap((decision) =>
    decision instanceof Refusal ? [] : [decision.entry],
  )
  if (signed.length > 0) await log.append(signed, time)
  return await Promise.all(
    decisions.map(async (decision) => {
      if (decision instanceof Refusal) {
        return { refused: { code: decision.code, reason: decision.message } }
      }
      const signature = await key.sign(decision.hash)
      return { signature: Buffer.from(signature).toString('base64') }
    }),
  )
}

/** In order: each counts what the batch signs before it. */
function decide(
  { config, key, log, refused }: SigningDeps,
  requests: readonly SigningRequest[],
  time: number,
): readonly Decision[] {
  const { policy } = config
  const inBatch = new Map<string, Entry>()
  const sums = { fees: log.usage.feesOfHour(time), accounts: log.usage.accountsOfDay(time) }

  const decideOne = (request: SigningRequest): Decision => {
    const { network, purpose } = request
    const { hash: bytes, ...effects } = examine(config, request, {
      sponsor: key.address,
      now: time,
    })
    const hash = Buffer.from(bytes).toString('hex')
    const entry = { network, purpose, hash, ...effects }
    if (inBatch.has(hash) || log.usage.isRepeat(hash, time)) return { hash: bytes, entry }
    const fees = sums.fees + entry.fee
    const accounts = sums.accounts + BigInt(entry.accounts)
    if (fees > policy.maxXlmPerHour) {
      refuse(
        'fees_per_hour',
        `the fees of an hour would be ${fees} of ${policy.maxXlmPerHour} stroops`,
      )
    }
    if (accounts > policy.channels.maxPerDay) {
      refuse(
        'accounts_per_day',
        `a day would have ${accounts} of ${policy.channels.maxPerDay} new accounts`,
      )
    }
    Object.assign(sums, { fees, accounts })
    inBatch.set(hash, entry)
    return { hash: bytes, entry }
  }

  return requests.map((request) => {
    try {
      return decideOne(request)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused(request, error)
      return error
    }
  })
}

function examine(
  { networks, policy }: SigningDeps['config'],
  request: SigningRequest,
  account: { readonly sponsor: string; readonly now: number },
): Effects {
  const network = networks.find((each): each is NetworkId => each === request.network)
  if (!network) return refuse('network', `${request.network} is not in networks`)
  switch (request.kind) {
    case 'transaction':
      return examineTransaction(request.envelope, {
        ...account,
        policy,
        passphrase: passphrases[network],
      })
    case 'message': {
      const hash = examineAnnouncement(request.message, { ...account, policy, network })
      return { hash, fee: 0n, xlm: 0n, accounts: 0 }
    }
  }
}
