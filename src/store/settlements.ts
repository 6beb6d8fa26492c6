import type { Kysely } from 'kysely'
import type { NetworkId } from '../core/caip2.ts'
import type { Database } from './schema.ts'
import {
  type ClaimOutcome,
  type ClaimRequest,
  claimWithChannel,
} from './settlements/claim-with-channel.ts'
import { countUnfinished, type UnfinishedCounts } from './settlements/count-unfinished.ts'
import { type DueRequest, flagUnresolvable, stillFollowed, takeDue } from './settlements/due.ts'
import { find } from './settlements/find.ts'
import {
  type FinishOutcome,
  type FinishRequest,
  finish,
  finishFresh,
} from './settlements/finish.ts'
import { type HourFigures, hourFigures } from './settlements/hour-figures.ts'
import { type LeaseOutcome, type LeaseRequest, leaseChannel } from './settlements/lease-channel.ts'
import { findByHash, type ListRequest, list } from './settlements/list.ts'
import { type Recording, record } from './settlements/record.ts'
import { type ClaimFence, release } from './settlements/release.ts'
import { type DeadClaims, releaseDeadClaims } from './settlements/release-dead-claims.ts'
import type { Settlement, SettlementKey } from './settlements/settlement.ts'
import { unfinished } from './settlements/unfinished.ts'

/**
 * The settlement ledger. Words:
 * claim: a row that says which process tries to settle an authorization, and until when;
 * attempt: how often the authorization was claimed; with the owner it fences every transition;
 * lease: a channel account set aside for one claim, and held by its envelope once recorded.
 *
 *     claimed --record--> submitted --finish--> succeeded | failed | expired
 *        |  \--release--> released      (its owner gave up before recording)
 *        \--(owner died)-> abandoned    released and abandoned rows are claimed again, attempt + 1
 */
export interface SettlementRepository {
  find(key: SettlementKey): Promise<Settlement | undefined>
  claimWithChannel(request: ClaimRequest): Promise<ClaimOutcome>
  leaseChannel(request: LeaseRequest): Promise<LeaseOutcome>
  record(recording: Recording): Promise<boolean>
  finish(request: FinishRequest): Promise<FinishOutcome>
  finishFresh(request: FinishRequest, recordedWithinMs: number): Promise<FinishOutcome | undefined>
  release(fence: ClaimFence): Promise<boolean>
  takeDue(request: DueRequest): Promise<readonly Settlement[]>
  stillFollowed(key: SettlementKey, forMs: number): Promise<Settlement | undefined>
  flagUnresolvable(key: SettlementKey, because: string): Promise<void>
  list(request: ListRequest): Promise<readonly Settlement[]>
  findByHash(hash: string): Promise<Settlement | undefined>
  unfinished(network: NetworkId): Promise<readonly Settlement[]>
  countUnfinished(network: NetworkId): Promise<UnfinishedCounts>
  hourFigures(network: NetworkId, sponsor: string): Promise<HourFigures>
  releaseDeadClaims(dead?: DeadClaims): Promise<number>
}

export const settlementRepository = (db: Kysely<Database>): SettlementRepository => ({
  find: (key) => find(db, key),
  claimWithChannel: (request) => claimWithChannel(db, request),
  leaseChannel: (request) => leaseChannel(db, request),
  record: (recording) => record(db, recording),
  finish: (request) => finish(db, request),
  finishFresh: (request, recordedWithinMs) => finishFresh(db, request, recordedWithinMs),
  release: (fence) => release(db, fence),
  takeDue: (request) => takeDue(db, request),
  stillFollowed: (key, forMs) => stillFollowed(db, key, forMs),
  flagUnresolvable: (key, because) => flagUnresolvable(db, key, because),
  list: (request) => list(db, request),
  findByHash: (hash) => findByHash(db, hash),
  unfinished: (network) => unfinished(db, network),
  countUnfinished: (network) => countUnfinished(db, network),
  hourFigures: (network, sponsor) => hourFigures(db, network, sponsor),
  releaseDeadClaims: (dead) => releaseDeadClaims(db, dead),
})
