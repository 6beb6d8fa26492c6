import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { putChannels } from '../../../../src/payments/store/channels/channel.ts'
import { countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { abandonExpiredClaims } from '../../../../src/payments/store/settlements/claim/abandon-expired-claims.ts'
import type {
  ClaimOutcome,
  ClaimRequest,
} from '../../../../src/payments/store/settlements/claim/claim-request.ts'
import {
  claimBatch,
  claimWithChannel,
} from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import type { LeasedChannel } from '../../../../src/payments/store/settlements/claim/leased-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { listUnfinished } from '../../../../src/payments/store/settlements/list.ts'
import {
  type FinishOutcome,
  type FinishRequest,
  finishBatch,
  finishSettlement,
} from '../../../../src/payments/store/settlements/transitions/finish.ts'
import {
  type Recording,
  recordBatch,
  recordEnvelope,
} from '../../../../src/payments/store/settlements/transitions/record.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { databaseRoutes, missingFor, reachedBy } from '../../../support/database-routes.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import {
  claimRequest,
  ending,
  fence,
  leaseOne,
  NO_TIME,
  network,
  recording,
  sha256,
  sponsor,
} from '../../payments/store/builders.ts'

const CHANNELS = 5
const PAYMENTS = 120
/** For each payment: on both replicas, two on each. */
const COMPETITORS = 4
const PAYMENTS_AT_ONCE = 8

/** What the claiming process does next. Most finish; the others leave work to the next process. */
const fates = ['finishes', 'finishes', 'finishes', 'gives back', 'dies', 'stops after recording']

interface Writer {
  readonly claim: (request: ClaimRequest) => Promise<ClaimOutcome>
  readonly record: (recording: Recording) => Promise<boolean>
  readonly finish: (request: FinishRequest) => Promise<FinishOutcome>
}

const alone = ({ db }: Store): Writer => ({
  claim: (request) => claimWithChannel(db, request),
  record: (envelope) => recordEnvelope(db, envelope),
  finish: (request) => finishSettlement(db, request),
})

function together({ db }: Store): Writer {
  const [claims, records, finishes] = [claimBatch(db), recordBatch(db), finishBatch(db)]
  return {
    claim: (request) => claims.write(request),
    record: (envelope) => records.write(envelope),
    finish: (request) => finishes.write(request),
  }
}

describe.each(databaseRoutes)(
  'two replicas that reach one Postgres %s, under everything at once',
  (route) => {
    let database: TestDatabase
    let stores: readonly [Store, Store]
    beforeAll(async () => {
      database = await reachedBy(route, freshDatabase())
      const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 10 })
      stores = [await open(), await open()]
      await provision(stores[0])
      writers = [alone(stores[0]), alone(stores[1]), together(stores[0]), together(stores[1])]
    })
    afterAll(async () => {
      await Promise.all(stores.map((store) => store.close()))
      await database[Symbol.asyncDispose]()
    })

    /** The sequence number of each channel account on the ledger. */
    const ledger = new Map<string, bigint>()
    /** The settlement that uses each channel at present, by the store's answers. */
    const users = new Map<string, string>()
    /** The answers to every finish of a payment, first or not. */
    const answersOf = new Map<string, string[]>()
    const firstEnds: string[] = []
    /** How each competitor writes: the first two each statement alone, the others together what meets. */
    let writers: readonly Writer[]

    /** As a starting replica: writes the channels that it has just read from the ledger. */
    const provision = (store: Store) =>
      putChannels(
        store.db,
        Array.from({ length: CHANNELS }, (_, index) => {
          const account = `GCHANNEL${index}`
          return { network, sponsor, index, account, sequence: ledger.get(account) ?? 0n }
        }),
      )

    function take(channel: LeasedChannel, user: string): void {
      const other = users.get(channel.account)
      if (other !== undefined) throw new Error(`${user} was given the channel of ${other}`)
      users.set(channel.account, user)
    }

    async function finish(nonce: string, attempt: number, by: number): Promise<void> {
      const end = ending(nonce, { attempt, state: 'failed', response: { by } })
      const { settlement, isNew } = await writers[by]!.finish(end)
      if (isNew) firstEnds.push(nonce)
      const answer = JSON.stringify(settlement.outcome?.response)
      answersOf.set(nonce, [...(answersOf.get(nonce) ?? []), answer])
    }

    /** Waits for a channel, as a claim that got none. */
    async function leased(store: Store, claim: ReturnType<typeof fence>): Promise<LeasedChannel> {
      for (;;) {
        const outcome = await leaseOne(store, claim)
        if (outcome.kind === 'leased') return outcome.channel
        if (outcome.kind === 'claim_lost')
          throw new Error(`${claim.owner} lost a claim in its time`)
        await systemClock.sleep(3)
      }
    }

    /** One attempt of one process at a payment; returns whether the payment is final. */
    async function attemptPayment(nonce: string, competitor: number, fate: string) {
      const store = stores[competitor % 2]!
      const writer = writers[competitor]!
      const owner = `${competitor}`
      const isDying = fate === 'dies'
      const ttl = isDying ? { claimTtlMs: NO_TIME, leaseTtlMs: NO_TIME } : {}
      const claim = await writer.claim(claimRequest(nonce, { owner, ...ttl }))
      if (claim.kind === 'existing') {
        const { state, attempt } = claim.settlement
        if (state === 'claimed') return false
        if (state === 'submitted') users.delete(claim.settlement.recorded?.channel ?? '')
        await finish(nonce, attempt, competitor)
        return true
      }
      if (isDying || claim.kind !== 'claimed') return false
      const { attempt } = claim
      const mine = fence(nonce, { owner, attempt })
      const channel = claim.channel ?? (await leased(store, mine))
      const user = `${nonce} of ${owner}`
      take(channel, user)
      if (fate === 'gives back') {
        users.delete(channel.account)
        expect(await releaseClaim(store.db, mine)).toBe(true)
        return false
      }
      const { account } = channel
      const known = ledger.get(account) ?? 0n
      expect(channel.sequence ?? known, `sequence number of ${account}`).toBe(known)
      const txHash = sha256(`${nonce}/${attempt}`)
      const envelope = { ...mine, channel: account, sequenceUsed: known + 1n, txHash }
      ledger.set(account, known + 1n)
      expect(await writer.record(recording(nonce, envelope))).toBe(true)
      if (fate === 'stops after recording') return false
      if (users.get(account) === user) users.delete(account)
      await finish(nonce, attempt, competitor)
      return true
    }

    /** Repeats until the payment is final, each attempt with another fate. */
    async function compete(payment: number, competitor: number): Promise<void> {
      for (let round = 0; ; round++) {
        const fate = fates[(payment * 7 + competitor * 3 + round) % fates.length] ?? 'finishes'
        if (await attemptPayment(`${payment}`, competitor, fate)) return
        await systemClock.sleep(2)
      }
    }

    /** On both replicas, repeats the other work of a replica: sweeps, provisioning, counts. */
    async function disturb(signal: AbortSignal): Promise<void> {
      const gone = { owner: 'gone', claimTtlMs: NO_TIME, leaseTtlMs: NO_TIME }
      for (let round = 0; !signal.aborted; round++) {
        const store = stores[round % 2]!
        await claimWithChannel(store.db, claimRequest(`stray ${round}`, gone))
        const [some, others] = await Promise.all([
          abandonExpiredClaims(store.db),
          abandonExpiredClaims(store.db),
          provision(store),
          listUnfinished(store.db, network),
          countChannelUse(store.db, network, sponsor),
        ])
        expect(some + others, 'expired claims abandoned').toBeGreaterThan(0)
        await systemClock.sleep(5)
      }
    }

    it('settle every payment once, over a few channels, without a deadlock', async ({ skip }) => {
      const missing = missingFor(route)
      if (missing !== undefined) return skip(missing)
      const done = new AbortController()
      const disturbing = disturb(done.signal)
      const payments = Array.from({ length: PAYMENTS }, (_, index) => index)
      const line = async () => {
        for (let next = payments.shift(); next !== undefined; next = payments.shift()) {
          const payment = next
          await Promise.all(
            Array.from({ length: COMPETITORS }, (_, competitor) => compete(payment, competitor)),
          )
        }
      }
      try {
        await Promise.all(Array.from({ length: PAYMENTS_AT_ONCE }, line))
      } finally {
        done.abort()
      }
      await disturbing

      expect(firstEnds.toSorted()).toEqual([...answersOf.keys()].toSorted())
      expect(firstEnds).toHaveLength(PAYMENTS)
      for (const answers of answersOf.values()) {
        expect(answers).toHaveLength(COMPETITORS)
        expect(new Set(answers).size).toBe(1)
      }
      expect(await listUnfinished(stores[0].db, network)).toEqual([])
      expect(await countChannelUse(stores[0].db, network, sponsor)).toEqual({
        active: CHANNELS,
        inUse: 0,
      })
      const spent = [...ledger.values()].reduce((sum, sequence) => sum + sequence, 0n)
      expect(spent).toBe(BigInt(PAYMENTS))
    })
  },
)
