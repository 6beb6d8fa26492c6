import { createHash } from 'node:crypto'
import { StrKey } from '@stellar/stellar-sdk'
import type { RawDeclaration } from '../../../src/catalog/listing.ts'
import { type NetworkId, usdcContracts } from '../../../src/platform/core/caip2.ts'
import type { Seed } from './seed.ts'
import { descriptionOf, memberDescription } from './vendor-text.ts'

/** One entry of `accepts`. */
type Option = Readonly<{
  scheme: string
  network: NetworkId
  asset: string
  payTo: string
  amount: string
  maxTimeoutSeconds: number
}>

const DECIMALS = 7
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
const contract = (text: string): string => StrKey.encodeContract(digest(text))

/** Contracts of the assets that are no USDC; any other contract would do. */
const contractOf = (symbol: string, network: NetworkId): string =>
  symbol === 'USDC' ? usdcContracts[network] : contract(`${symbol} ${network}`)

/** The assets of the evaluation, as the ledger would name them. */
export function factsOf(network: string, asset: string) {
  const symbol = ['USDC', 'EURC', 'XLM'].find(
    (each) => contractOf(each, network as NetworkId) === asset,
  )
  return symbol === undefined ? undefined : { symbol, decimals: DECIMALS }
}

const PRICE = /^(?<network>[tp])(?<asset>[EX]?)(?<amount>[\d.]+)(?<upto>u?)$/

/** The payment options of a seller, who has one account. */
export const optionsOf = ({ prices, url }: Seed): Option[] =>
  prices.split(',').map((price) => {
    const { network: net, asset, amount, upto } = PRICE.exec(price)?.groups ?? {}
    const network: NetworkId = net === 't' ? 'stellar:testnet' : 'stellar:pubnet'
    const symbol = asset === 'E' ? 'EURC' : asset === 'X' ? 'XLM' : 'USDC'
    return {
      scheme: upto === 'u' ? 'upto' : 'exact',
      network,
      asset: contractOf(symbol, network),
      payTo: StrKey.encodeEd25519PublicKey(digest(url.split('/')[0] ?? '')),
      amount: String(Math.round(Number(amount) * 10 ** DECIMALS)),
      maxTimeoutSeconds: 60,
    }
  })

/** What the seller declares in a payment of these options: the extension with `info`, examples and a schema, as stock servers write it. */
export function declarationOfSeed(seed: Seed, accepts: readonly Option[]): RawDeclaration {
  const { kind, name, tags, url } = seed
  const description = descriptionOf(
    seed,
    fieldsOf(seed).map((field) => field.name),
  )
  const resource = {
    url: `https://${url.replace(/:(\w+)/g, (_, param) => exampleOf(seed, param))}`,
    ...(description !== undefined && { description }),
    mimeType: 'application/json',
    ...(name !== undefined && kind !== 'mcp' && { serviceName: name }),
    ...(tags !== undefined && { tags }),
  }
  return {
    resource,
    bazaar: { ...bazaarOf(seed), ...(url.includes('/:') && { routeTemplate: pathOf(url) }) },
    extensionKeys: ['bazaar'],
    accepts,
  }
}

const pathOf = (url: string): string => url.slice(url.indexOf('/'))

type Field = Readonly<{ name: string; example: unknown; description?: string | undefined }>

const INPUT = /^(?<name>\w+)=(?<example>.*?)(?:\((?<description>[^)]*)\))?$/s

const fieldsOf = (seed: Seed): Field[] =>
  (seed.input === undefined ? [] : seed.input.split(/,(?=\w+=)/)).map((text) => {
    const { name = '', example = '', description } = INPUT.exec(text)?.groups ?? {}
    return {
      name,
      example: exampleValue(example),
      description: description ?? memberDescription(seed, name),
    }
  })

const exampleOf = (seed: Seed, name: string): string =>
  String(fieldsOf(seed).find((field) => field.name === name)?.example ?? 'x')

/** Numbers and JSON as such, all else as text. */
function exampleValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value

const objectSchema = (fields: readonly Field[]) => ({
  type: 'object',
  properties: Object.fromEntries(
    fields.map(({ name, example, description }) => [
      name,
      { type: typeOf(example), ...(description !== undefined && { description }) },
    ]),
  ),
  required: fields.slice(0, 1).map(({ name }) => name),
})

const exampleObject = (fields: readonly Field[]) =>
  Object.fromEntries(fields.map(({ name, example }) => [name, example]))

function bazaarOf(seed: Seed) {
  const fields = fieldsOf(seed)
  const answer = (seed.output ?? '').split(',').filter((name) => name !== '')
  const output = {
    type: 'json',
    example: Object.fromEntries(answer.map((name) => [name, `an example of ${name}`])),
  }
  const input = inputOf(seed, fields)
  const isShort = (digest(seed.id)[0] ?? 0) % 4 === 0
  const members = { input: { type: 'object', properties: input.schema } }
  const outputSchema = {
    type: 'object',
    properties: {
      type: { type: 'string' },
      example: {
        type: 'object',
        properties: Object.fromEntries(
          answer.map((name) => {
            const about = memberDescription(seed, name)
            return [name, { type: 'string', ...(about !== undefined && { description: about }) }]
          }),
        ),
      },
    },
  }
  return {
    // A quarter of the sellers declare no answer, as the extension allows.
    info: isShort ? { input: input.info } : { input: input.info, output },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: isShort ? members : { ...members, output: outputSchema },
      required: ['input'],
    },
  }
}

function inputOf({ kind, name = '', description }: Seed, fields: readonly Field[]) {
  if (kind === 'mcp')
    return {
      info: {
        type: 'mcp',
        toolName: name,
        ...(description !== undefined && { description }),
        inputSchema: objectSchema(fields),
        example: exampleObject(fields),
      },
      schema: {
        type: { type: 'string', const: 'mcp' },
        toolName: { type: 'string' },
        inputSchema: { type: 'object' },
        example: { type: 'object' },
      },
    }
  const member = kind === 'GET' ? 'queryParams' : 'body'
  return {
    info: {
      type: 'http',
      method: kind,
      ...(kind === 'POST' && { bodyType: 'json' }),
      [member]: exampleObject(fields),
    },
    schema: {
      type: { type: 'string', const: 'http' },
      method: { type: 'string', enum: [kind] },
      ...(kind === 'POST' && { bodyType: { type: 'string' } }),
      [member]: objectSchema(fields),
    },
  }
}
