import { parseArgs } from 'node:util'
import type { NetworkLimits } from '../localnet/network-limits.ts'
import type { MetaVersion } from '../localnet/transactions/meta.ts'
import { duration, port as readPort, UsageError } from './flags.ts'

export interface LocalnetSettings {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly tlsPort: number
  readonly closeEveryMs: number | 'manual'
  readonly limits: NetworkLimits
  /** Operations of classic transactions in a ledger; undefined leaves it to the limits. */
  readonly maxOperations: number | undefined
  /** Ledgers of history. */
  readonly retainLedgers: number
  readonly metaVersion: MetaVersion
  readonly statePath: string | undefined
  readonly help: boolean
}

const flags = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '8000' },
  tls: { type: 'boolean', default: false },
  'tls-port': { type: 'string', default: '8443' },
  'close-every': { type: 'string', default: '5s' },
  limits: { type: 'string', default: 'testnet' },
  'max-operations': { type: 'string' },
  retention: { type: 'string', default: '17280' },
  'protocol-meta': { type: 'string', default: 'v4' },
  state: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Every problem of a command line at once, one sentence each. */
export class BadSettings extends Error {
  override readonly name = 'BadSettings'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

/** Reads the flags of `svc localnet`. Throws BadSettings. */
export function readLocalnetSettings(argv: readonly string[]): LocalnetSettings {
  const { values, tokens } = parseArgs({
    args: [...argv],
    options: flags,
    strict: false,
    tokens: true,
  })
  const problems = tokens.flatMap(problemOf)
  // A flag whose value is missing is on the list already.
  const read = <T>(text: unknown, parse: (text: string) => T, fallback: T): T => {
    if (typeof text !== 'string') return fallback
    try {
      return parse(text)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      problems.push(error.message)
      return fallback
    }
  }
  const port = read(values.port, (text) => readPort('--port', text), 0)
  const tlsPort = read(values['tls-port'], (text) => readPort('--tls-port', text), 0)
  const closeEveryMs = read<number | 'manual'>(values['close-every'], readPace, 'manual')
  const limits = read(values.limits, (text) => oneOf('--limits', limitNames, text), 'testnet')
  const meta = read(values['protocol-meta'], (text) => oneOf('--protocol-meta', metas, text), 'v4')
  const retainLedgers = read(values.retention, (text) => count('--retention', 'ledgers', text), 1)
  const maxOperations = read<number | undefined>(
    values['max-operations'],
    (text) => count('--max-operations', 'operations', text),
    undefined,
  )
  if (values.tls && port !== 0 && port === tlsPort) {
    problems.push('--port and --tls-port must differ')
  }
  if (problems.length > 0) throw new BadSettings(problems)
  return {
    host: String(values.host),
    port,
    tls: values.tls === true,
    tlsPort,
    closeEveryMs,
    limits,
    maxOperations,
    retainLedgers,
    metaVersion: meta === 'v3' ? 3 : 4,
    statePath: values.state === undefined ? undefined : String(values.state),
    help: values.help === true,
  }
}

const limitNames = ['testnet', 'none'] as const
const metas = ['v3', 'v4'] as const

function oneOf<const T extends string>(flag: string, choices: readonly T[], text: string): T {
  const choice = choices.find((it) => it === text)
  if (choice === undefined) throw new UsageError(`${flag} is ${choices.join(' or ')}, not ${text}`)
  return choice
}

function count(flag: string, what: string, text: string): number {
  const number = Number(text)
  if (/^\d{1,9}$/.test(text) && number > 0) return number
  throw new UsageError(`${flag} is a number of ${what}, not ${text}`)
}

const readPace = (text: string): number | 'manual' =>
  text === 'manual' ? 'manual' : duration('--close-every', text)

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

function problemOf(token: Token): string[] {
  if (token.kind === 'positional') return [`${token.value} is not a flag`]
  if (token.kind !== 'option') return []
  const known = Object.entries(flags).find(([name]) => name === token.name)?.[1]
  if (!known) return [`${token.rawName} is not a flag of this command`]
  const hasValue = token.value !== undefined
  if (known.type === 'string' && !hasValue) return [`${token.rawName} needs a value`]
  return known.type === 'boolean' && hasValue ? [`${token.rawName} takes no value`] : []
}
