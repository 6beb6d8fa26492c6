import { BlockList } from 'node:net'
import { Environment } from '@marcbachmann/cel-js'
import { channelPool } from '../../../../src/kubernetes/crd/channel-pool.ts'
import { customResourceDefinition } from '../../../../src/kubernetes/crd/definitions/crd.ts'
import type { StructuralSchema } from '../../../../src/kubernetes/crd/definitions/structural.ts'
import { facilitator } from '../../../../src/kubernetes/crd/facilitator.ts'
import type { KindName } from '../../../../src/kubernetes/crd/names/group.ts'
import type { Manifest } from '../../../support/api/manifests.ts'
import type { Write } from '../../../support/api/rule-cases.ts'

interface Quantity {
  readonly amount: number
}

const suffixes: Readonly<Record<string, number>> = {
  m: 1e-3,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Ei: 2 ** 60,
}

/** As the API server parses it: the number of a port may have any size. */
class ParsedUrl {
  readonly host: string
  readonly port: string
  constructor(text: string) {
    const [, host = '', port = ''] =
      /^\w+:\/\/(?:[^/@]*@)?(\[.*\]|[^/:?#]*)(?::(\d*))?/.exec(text) ?? []
    this.host = host
    this.port = port
  }
}

const isUrl = (text: string): boolean => URL.canParse(text.replace(/:\d+(?=[/?#]|$)/, ''))

class Amount implements Quantity {
  readonly amount: number
  constructor(text: string) {
    const suffix = /[a-zA-Z]*$/.exec(text)?.[0] ?? ''
    this.amount = Number(text.slice(0, text.length - suffix.length)) * (suffixes[suffix] ?? 1)
  }
}

const isQuantity = (text: string): boolean =>
  /^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/.test(text)

function isRange(text: string): boolean {
  const [address = '', length = ''] = text.split('/')
  try {
    new BlockList().addSubnet(address, Number(length), address.includes(':') ? 'ipv6' : 'ipv4')
    return /^[0-9]+$/.test(length)
  } catch {
    return false
  }
}

/** CEL with the extensions of Kubernetes that the rules use. */
const cel = new Environment()
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerType('Amount', Amount)
  .registerFunction('quantity(string): Amount', (text: string) => new Amount(text))
  .registerType('ParsedUrl', ParsedUrl)
  .registerFunction('isQuantity(string): bool', isQuantity)
  .registerFunction('isCIDR(string): bool', isRange)
  .registerFunction('isURL(string): bool', isUrl)
  .registerFunction('url(string): ParsedUrl', (text: string) => new ParsedUrl(text))
  .registerFunction('ParsedUrl.getHost(): string', ({ host }: ParsedUrl) => host)
  .registerFunction('ParsedUrl.getPort(): string', ({ port }: ParsedUrl) => port)
  .registerFunction('Amount.compareTo(Amount): int', (one: Amount, other: Amount) =>
    BigInt(Math.sign(one.amount - other.amount)),
  )

/** A rule is parsed once for all of its cases. */
const programs = new Map<string, ReturnType<typeof cel.parse>>()
function holds(rule: string, variables: Readonly<Record<'self' | 'oldSelf', unknown>>): boolean {
  const evaluate = programs.get(rule) ?? cel.parse(rule)
  programs.set(rule, evaluate)
  return evaluate(variables) === true
}

const schemas = { Facilitator: facilitator, ChannelPool: channelPool }

const made = new Map<KindName, StructuralSchema>()

export const schemaOf = (kind: KindName): StructuralSchema => {
  const known = made.get(kind)
  if (known) return known
  const schema = customResourceDefinition(kind).spec.versions[0]?.schema.openAPIV3Schema
  if (!schema) throw new Error(`${kind} has no schema`)
  made.set(kind, schema)
  return schema
}

/** Messages of the rules that refuse a write, with their paths. */
export function refusals({ before, after }: Write): string[] {
  const self = stored(after)
  const oldSelf = before && stored(before)
  return broken(schemaOf(after.kind), '', self, oldSelf)
}

/** With defaults filled in, as the API server evaluates it. CEL integers are bigints. */
function stored({ kind, metadata, ...rest }: Manifest): unknown {
  return withIntegers({ metadata, ...schemas[kind].parse(rest) })
}

function withIntegers(value: unknown): unknown {
  if (Number.isInteger(value)) return BigInt(Number(value))
  if (Array.isArray(value)) return value.map(withIntegers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [[name, withIntegers(member)]],
    ),
  )
}

function broken(schema: StructuralSchema, at: string, self: unknown, oldSelf: unknown): string[] {
  if (self === undefined) return []
  const own = rulesOf(schema)
    .filter(({ rule }) => !rule.includes('oldSelf') || oldSelf !== undefined)
    .filter(({ rule }) => !holds(rule, { self, oldSelf }))
    .map(({ message }) => `${at}: ${message}`)
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    broken(
      property,
      at === '' ? name : `${at}.${name}`,
      memberOf(self, name),
      memberOf(oldSelf, name),
    ),
  )
  const items = schema.items
  const inItems =
    items && Array.isArray(self)
      ? self.flatMap((item) => broken(items, `${at}[]`, item, undefined))
      : []
  return [...own, ...inner, ...inItems]
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

export interface Rule {
  readonly reason?: string
  readonly rule: string
  readonly message: string
  readonly fieldPath?: string
}

export function rulesOf(schema: StructuralSchema): readonly Rule[] {
  const rules = schema['x-kubernetes-validations']
  return Array.isArray(rules) ? rules : []
}
