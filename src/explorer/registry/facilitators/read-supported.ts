import { factsOfScheme, isSchemeName } from '../../../payments/protocol/schemes.ts'
import { isNetworkId, type NetworkId, networkIds } from '../../../platform/core/caip2.ts'
import { cleanLine, cutTo } from '../../../platform/core/text/hostile-text.ts'
import { storableText } from '../../../platform/database/storable-text.ts'
import { addressKind } from '../../../stellar/accounts/strkey.ts'
import type { SignerKey } from '../../store/registry/signers-replace.ts'

/** A facilitator's answer to `/supported`: its own statements, unproven. */
export interface SupportedFacts {
  readonly name?: string
  /** CAIP-2 ids of any chain, in the order of its kinds. */
  readonly networks: readonly string[]
  /** Shown only: a payment is never recognised by a contract that a facilitator named. */
  readonly uptoContracts: readonly string[]
  readonly signers: readonly SignerKey[]
}

/** Limit on the signers that another facilitator may name. A signer on two networks counts once. */
const MAX_SIGNERS = 64
const MAX_CONTRACTS = 16
const MAX_NETWORKS = 32
const MAX_NAME = 64

const CAIP2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9*]{1,32}$/
const EVERY_STELLAR_NETWORK = 'stellar:*'

/** Reads an answer; undefined when it is none of x402. Entries that do not follow their rule are left out. */
export function readSupported(body: Uint8Array): SupportedFacts | undefined {
  const answer = parse(body)
  if (!isObject(answer) || !Array.isArray(answer['kinds'])) return undefined
  const kinds = answer['kinds'].filter(isKind)
  const networks = distinct(kinds.map(({ network }) => network)).filter((id) => CAIP2.test(id))
  const name = nameIn(answer)
  return {
    ...(name !== '' && { name }),
    networks: networks.slice(0, MAX_NETWORKS),
    uptoContracts: distinct(kinds.flatMap(contractsOf)).slice(0, MAX_CONTRACTS),
    signers: signersIn(answer['signers'], stellarNetworks(networks)),
  }
}

type JsonObject = Readonly<Record<string, unknown>>
type Kind = JsonObject & { readonly scheme: string; readonly network: string }

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isKind = (value: unknown): value is Kind =>
  isObject(value) && typeof value['scheme'] === 'string' && typeof value['network'] === 'string'

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

/** Neither member is part of x402, so few facilitators have one. */
function nameIn(answer: JsonObject): string {
  const name = [answer['displayName'], answer['name']].find((value) => typeof value === 'string')
  return typeof name === 'string'
    ? storableText(cutTo(MAX_NAME, cleanLine(name.slice(0, 4 * MAX_NAME))), MAX_NAME).trim()
    : ''
}

const contractsOf = ({ scheme, network, extra }: Kind): string[] =>
  isSchemeName(scheme) && network.startsWith('stellar:') && isObject(extra)
    ? factsOfScheme(scheme)
        .contractMembers.map((member) => extra[member])
        .filter((value) => typeof value === 'string')
        .filter((value) => addressKind(value) === 'contract')
    : []

/** The networks that signers under `stellar:*` sign on: those that the facilitator serves. */
const stellarNetworks = (served: readonly string[]): readonly NetworkId[] =>
  served.includes(EVERY_STELLAR_NETWORK) ? networkIds : served.filter(isNetworkId)

function signersIn(signers: unknown, served: readonly NetworkId[]): readonly SignerKey[] {
  if (!isObject(signers)) return []
  const found = Object.entries(signers).flatMap(([pattern, addresses]) => {
    const networks = isNetworkId(pattern)
      ? [pattern]
      : pattern === EVERY_STELLAR_NETWORK
        ? served
        : []
    return Array.isArray(addresses) ? networks.flatMap((network) => keys(network, addresses)) : []
  })
  const kept = new Set(distinct(found.map(({ address }) => address)).slice(0, MAX_SIGNERS))
  const byName = new Map(found.map((key) => [`${key.network} ${key.address}`, key]))
  return [...byName.values()].filter(({ address }) => kept.has(address))
}

const keys = (network: NetworkId, addresses: readonly unknown[]): SignerKey[] =>
  addresses
    .filter((address) => typeof address === 'string')
    .filter((address) => addressKind(address) === 'account')
    .map((address) => ({ network, address }))
