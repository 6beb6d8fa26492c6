import type { UptoStatus } from '../../../diagnosis/read/status-ledger.ts'
import type { Row } from '../../command-line/person-table.ts'

/** The members of the JSON line that this table shows; null is unknown. */
interface StatusFacts {
  readonly sponsor: string
  readonly ledger: number | null
  readonly balanceXlm: string | null
  readonly movableXlm: string | null
  readonly channels: Readonly<Record<'configured', number>> &
    Readonly<Record<'onLedger' | ChannelState | 'sequenceUnknown' | 'leased', number | null>>
  readonly settlements: Readonly<
    Record<'unfinished' | 'claimed' | 'lapsed' | 'submitted' | 'unresolvable', number>
  > | null
  /** Absent where the scheme `upto` is not served. */
  readonly upto?: UptoFacts | undefined
}

interface UptoFacts {
  readonly contract: string
  readonly ledger: UptoStatus | null
  readonly keeper: { readonly enabled: boolean; readonly error: string | null }
}

type ChannelState = 'active' | 'draining' | 'retired' | 'quarantined'

const UNKNOWN = 'unknown'

/** The facts of one network for a person. @param schema of the database, in a few words */
export const statusRows = (facts: StatusFacts, schema: string): readonly Row[] => [
  ['sponsor', facts.sponsor],
  ['balance', balance(facts)],
  ['channels', channels(facts)],
  [
    'leased',
    facts.channels.leased === null ? UNKNOWN : `${facts.channels.leased} in use by payments`,
  ],
  ['settlements', settlements(facts)],
  ...(facts.upto ? uptoRows(facts.upto) : []),
  ['schema', schema],
  ['ledger', facts.ledger === null ? UNKNOWN : String(facts.ledger)],
]

const balance = ({ balanceXlm, movableXlm }: StatusFacts): string =>
  balanceXlm === null ? UNKNOWN : `${balanceXlm} XLM, of which ${movableXlm} may be withdrawn`

function channels({ channels: { configured, onLedger, ...states } }: StatusFacts): string {
  const existing =
    onLedger === null ? `${configured} configured` : `${onLedger} of ${configured} on the ledger`
  const named = (['active', 'draining', 'retired', 'quarantined'] as const).flatMap((state) =>
    states[state] !== null && (states[state] > 0 || state === 'active')
      ? [`${states[state]} ${state}`]
      : [],
  )
  return [existing, ...named].join(', ')
}

function settlements({ settlements: counts }: StatusFacts): string {
  if (!counts) return UNKNOWN
  const { unfinished, claimed, submitted, lapsed, unresolvable } = counts
  const parts = [
    unfinished === 0
      ? 'none unfinished'
      : `${unfinished} unfinished (${claimed} claimed, ${submitted} submitted)`,
    ...(lapsed > 0 ? [`${lapsed} of a replica that died`] : []),
    ...(unresolvable > 0
      ? [`${unresolvable} to be resolved by you: svc settlements list --only unresolvable`]
      : []),
  ]
  return parts.join(', ')
}

function uptoRows({ contract, ledger, keeper }: UptoFacts): readonly Row[] {
  const { error, enabled } = keeper
  const keeperState = error === null ? (enabled ? 'no error' : 'off') : error
  return [
    ['authority', ledger ? authority(ledger) : UNKNOWN],
    ['upto', `${contract}, ${ledger ? contractState(ledger) : UNKNOWN}; keeper: ${keeperState}`],
  ]
}

function authority({ authority: address, ...state }: UptoStatus): string {
  if (!state.authorityOnLedger) return `${address}, not on the ledger: svc provision creates it`
  const { authoritySpendableXlm: spendable } = state
  return `${address}, ${spendable === '0' ? 'empty' : `can spend ${spendable} XLM and should not`}`
}

function contractState(state: UptoStatus): string {
  if (!state.contractOnLedger) return 'not on the ledger'
  const { hasKnownCode, instanceTtlLedgers, codeTtlLedgers } = state
  const code = hasKnownCode ? 'code of this version' : 'other code than this version knows'
  const ttls = [instanceTtlLedgers ?? -1, codeTtlLedgers ?? -1]
  const least = Math.min(...ttls)
  return `${code}, ${least < 0 ? 'archived: svc upto restore' : `${least} ledgers to live`}`
}
