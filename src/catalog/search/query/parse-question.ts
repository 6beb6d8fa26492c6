import type { NetworkId } from '../../../core/caip2.ts'
import { type Constraints, NO_CONSTRAINTS } from './constraints.ts'
import { readPrice } from './money-words.ts'

/** What a question asks for: constraints that its words name, and the words that are left. */
export type Question = Readonly<{ constraints: Constraints; rest: string }>

const NETWORKS: Readonly<Record<string, NetworkId>> = {
  testnet: 'stellar:testnet',
  'test network': 'stellar:testnet',
  pubnet: 'stellar:pubnet',
  mainnet: 'stellar:pubnet',
  'public network': 'stellar:pubnet',
  'main network': 'stellar:pubnet',
  'live network': 'stellar:pubnet',
}
const NOT = String.raw`(?<not>(?:but )?(?:not|no|never|without|except(?: for)?|excluding|other than|nothing)(?: (?:on|in|an?|any|the|via|with|as))*\s+)?`
const LEAD = String.raw`(?:\b(?:only )?(?:on|in|for|via|over|from|at|as|using)(?: the)?(?: stellar)? )?`
const name = String.raw`(?<name>${Object.keys(NETWORKS).join('|')})`

const BOTH =
  /\b(?:on |in |for )?(?:both (?:the )?(?:stellar )?networks|both (?:the )?(?:testnet|test network|pubnet|mainnet|public network) and (?:the )?(?:testnet|test network|pubnet|mainnet|public network)|(?:either|each|every) network|testnet and (?:also )?(?:pubnet|mainnet)|(?:pubnet|mainnet) and (?:also )?testnet)\b/
const NETWORK = new RegExp(String.raw`${NOT}${LEAD}\b${name}\b(?: only)?`, 'g')
const TYPE = new RegExp(
  String.raw`${NOT}${LEAD}\b(?<name>mcp|model context protocol|https?|rest(?:ful)?)(?: (?:tools?|servers?|apis?|endpoints?|resources?|services?))?\b(?: only)?`,
  'g',
)
const SCHEME = new RegExp(
  String.raw`${NOT}${LEAD}\b(?:the )?(?<name>exact|upto) (?:payment )?scheme\b`,
  'g',
)
const PAY = String.raw`(?:paid|pay(?:able|ing|ment|s)?|price[ds]?|settle[ds]?|charge[ds]?|charging|billed|accept(?:s|ing|ed)?|costs?|take[s]?|that takes)`
const CEILING =
  /(?:\b(?:for |costs? |costing |priced |price |at )*(?:under|below|less than|cheaper than|lower than|at most|no more than|not more than|not over|up to|within|max(?:imum)?(?: of| price)?|for at most|for only|budget(?: of| is)?)|(?:<=|<|≤))\s*/g

/**
 * Reads the constraints that a question names: networks, both networks, type, scheme, asset, a price ceiling, and their
 * negations. The words that name them are taken out of `rest`; a question that names nothing is left as it is.
 * `symbols` are the assets of the catalog, in upper case.
 */
export function parseQuestion(query: string, symbols: readonly string[] = []): Question {
  const state: { constraints: Constraints; rest: string } = {
    constraints: NO_CONSTRAINTS,
    rest: query.toLowerCase().replace(/\s+/g, ' ').trim(),
  }
  takePrice(state, symbols)
  takeAssets(state, symbols)
  takeBothNetworks(state)
  takeNamed(state, NETWORK, (constraints, word, negated) => {
    const network = NETWORKS[word]
    if (network === undefined) return constraints
    return negated
      ? { ...constraints, exceptNetworks: [...constraints.exceptNetworks, network] }
      : { ...constraints, networks: [network] }
  })
  takeNamed(state, TYPE, (constraints, word, negated) => {
    const type = /^m/.test(word) ? 'mcp' : 'http'
    return negated
      ? { ...constraints, exceptTypes: [...constraints.exceptTypes, type] }
      : { ...constraints, types: [type] }
  })
  takeNamed(state, SCHEME, (constraints, scheme, negated) =>
    negated
      ? { ...constraints, exceptSchemes: [...constraints.exceptSchemes, scheme] }
      : { ...constraints, schemes: [scheme] },
  )
  return { constraints: state.constraints, rest: state.rest.replace(/\s+/g, ' ').trim() }
}

type State = { constraints: Constraints; rest: string }

function takePrice(state: State, symbols: readonly string[]): void {
  for (const match of state.rest.matchAll(CEILING)) {
    const end = match.index + match[0].length
    const found = readPrice(state.rest.slice(end), symbols)
    if (!found) continue
    const after = state.rest
      .slice(end + found.length)
      .replace(/^ (?:or less|each|per (?:call|request|query|use)|a (?:call|request|query))\b/, '')
    state.rest = `${state.rest.slice(0, match.index)} ${after}`
    state.constraints = { ...state.constraints, maxPrices: [found.price] }
    return
  }
}

function takeAssets(state: State, symbols: readonly string[]): void {
  if (symbols.length === 0) return
  const symbol = String.raw`(?<name>${symbols.map((one) => one.toLowerCase()).join('|')})`
  const asset = new RegExp(
    String.raw`\b(?<not>(?:but )?(?:not|never|without) )?${PAY}(?: only)?(?: (?:in|with|by|using|for))?(?: only)? ${symbol}\b(?: only)?(?:,? (?:not|and not|never)(?: in)? (?<other>${symbols.map((one) => one.toLowerCase()).join('|')}))?`,
    'g',
  )
  takeNamed(state, asset, (constraints, word, negated, other) => {
    const named = negated
      ? { ...constraints, exceptAssets: [...constraints.exceptAssets, word.toUpperCase()] }
      : { ...constraints, assets: [word.toUpperCase()] }
    return other ? { ...named, exceptAssets: [...named.exceptAssets, other.toUpperCase()] } : named
  })
}

function takeBothNetworks(state: State): void {
  if (!BOTH.test(state.rest)) return
  state.rest = state.rest.replace(BOTH, ' ')
  state.constraints = { ...state.constraints, everyNetwork: ['stellar:testnet', 'stellar:pubnet'] }
}

function takeNamed(
  state: State,
  pattern: RegExp,
  apply: (
    constraints: Constraints,
    name: string,
    negated: boolean,
    other: string | undefined,
  ) => Constraints,
): void {
  state.rest = state.rest.replace(pattern, (...found) => {
    const {
      name: word,
      not,
      other,
    } = found.at(-1) as Readonly<{ name?: string; not?: string; other?: string }>
    state.constraints = apply(state.constraints, word ?? '', not !== undefined, other)
    return ' '
  })
}
