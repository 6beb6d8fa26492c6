import type { ChannelPoolReason } from '../../kubernetes/crd/channel-pool/conditions.ts'
import type { NetworkFacts } from '../facts/facts.ts'
import type { WarningCode } from './names.ts'

/** The problem, for a person. It never holds a secret. */
export interface Finding {
  /** The finding and its consequence, in one clause. */
  readonly says: string
  readonly todo: string
  /** Alias of the watched contract that it is about. */
  readonly contract?: string
}

/** An entry of a list of sentences: what is wrong, and what to do. */
export const sentenceOf = ({ says, todo }: Finding): string => `${says}; ${todo}`

/** The message of a condition, which is sentences. */
export const messageOf = ({ says, todo }: Finding): string =>
  `${says.charAt(0).toUpperCase()}${says.slice(1)}: ${todo}.`

export type Found = Finding | readonly Finding[] | undefined

export const findingsOf = (found: Found): readonly Finding[] =>
  found === undefined ? [] : 'says' in found ? [found] : found

/** The failed reads that a surface overlooks, because the next one may succeed. */
export interface Patience {
  /** With so many reads in a row that failed, it is a problem. */
  readonly polls: number
  /** While the sponsor's balance is unknown for at most so long, it is none. */
  readonly unknownMs: number
}

/** The first failure counts. */
export const noPatience: Patience = { polls: 1, unknownMs: -1 }

interface Row {
  /** Unique; for tests. */
  readonly name: string
  /** The reasons of a ChannelPool that say the same of its network. */
  readonly pool?: readonly ChannelPoolReason[]
}

/** A problem that every surface can find: what a service polls suffices. */
export interface Problem extends Row {
  readonly find: (facts: NetworkFacts, patience: Patience) => Found
  /** How `svc doctor` counts it; absent where it does not read what is needed. */
  readonly doctor?: 'problem' | 'warning'
  /** The code under which `/health` warns of it. */
  readonly health?: WarningCode
  /** The check of `/ready` that it fails. */
  readonly ready?: 'rpc' | 'sponsor' | 'channels'
  /** Whether no payment of the network can be settled meanwhile: `/readyz` is 503 until it once was not so. */
  readonly stopsSettling?: true
}

/** A problem that is found only in what `svc doctor` reads. @template Value what its check has read */
export interface ReadProblem<Value, Facts> extends Row {
  readonly findIn: (value: Value, facts: Facts) => Found
  readonly doctor: 'problem' | 'warning'
}

/** The warnings of `/health` about the catalog; no other surface reads it. */
export interface ServiceProblem<Facts> extends Row {
  readonly find: (facts: Facts) => Found
  readonly health: WarningCode
}
