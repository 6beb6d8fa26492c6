import { moments, type RoundResult, type Tally } from '../../test/support/crash-round.ts'

type Sums = { -readonly [Count in keyof Omit<Tally, 'moment' | 'lastAnswer'>]: number }

interface Totals {
  rounds: number
  channels: number
  channelsUsed: number
  /** Rounds after which the budget's sum was not the fees that the ledger charged. */
  budgetOff: number
  /** Rounds in which hostile payers wasted more than the rules for each payer allow. */
  overWaste: number
  expected: number
  found: number
}

const noSums = (): Sums => ({
  expected: 0,
  found: 0,
  lost: 0,
  doubled: 0,
  untrue: 0,
  stuck: 0,
  uncataloged: 0,
})

const noTotals = (): Totals => ({
  rounds: 0,
  channels: 0,
  channelsUsed: 0,
  budgetOff: 0,
  overWaste: 0,
  expected: 0,
  found: 0,
})

/** The counts of all rounds, by disaster and moment, as Markdown. */
export class Report {
  readonly #sums = new Map<string, Sums>()
  readonly #byDisaster = new Map<string, Totals>()

  add(
    disaster: string,
    { tallies, channelsUsed, budget, attack }: RoundResult,
    channels: number,
  ): void {
    for (const { moment, ...tally } of tallies) {
      const sums = this.#sumsOf(disaster, moment)
      for (const name of Object.keys(tally) as (keyof typeof tally)[]) {
        if (name !== 'lastAnswer') sums[name] += tally[name]
      }
    }
    const totals = this.#totalsOf(disaster)
    totals.rounds += 1
    totals.channels += channels
    totals.channelsUsed += channelsUsed
    totals.budgetOff += budget.counted === budget.charged ? 0 : 1
    totals.overWaste += attack && attack.failures > attack.bound ? 1 : 0
  }

  /** Counted once over all ledgers of a disaster's lane, at its end. */
  addTotals(disaster: string, { expected, found }: Pick<Totals, 'expected' | 'found'>): void {
    Object.assign(this.#totalsOf(disaster), { expected, found })
  }

  get rounds(): number {
    return [...this.#byDisaster.values()].reduce((sum, { rounds }) => sum + rounds, 0)
  }

  get isClean(): boolean {
    const cells = [...this.#sums.values()].every(
      ({ expected, found, ...faults }) =>
        expected === found && Object.values(faults).every((count) => count === 0),
    )
    const lanes = [...this.#byDisaster.values()].every(
      ({ channels, channelsUsed, budgetOff, overWaste, expected, found }) =>
        channels === channelsUsed && budgetOff + overWaste === 0 && expected === found,
    )
    return cells && lanes
  }

  get lines(): readonly string[] {
    const cells = [...this.#byDisaster].flatMap(([disaster, { rounds }]) =>
      moments.map((moment) => {
        const sums = this.#sumsOf(disaster, moment)
        const { expected, found, lost, doubled, untrue, stuck, uncataloged } = sums
        const faults = [lost, doubled, untrue, stuck, uncataloged]
        return row(moment, disaster, rounds, expected, found, ...faults)
      }),
    )
    const lanes = [...this.#byDisaster].map(([disaster, totals]) => {
      const { rounds, channels, channelsUsed, budgetOff, overWaste, expected, found } = totals
      const used = `${channelsUsed} of ${channels}`
      return row(disaster, rounds, used, budgetOff, overWaste, expected, found)
    })
    return [
      row('Point', 'Disaster', 'Rounds', 'Transfers expected', 'found', ...faults),
      row('-', '-', '-:', '-:', '-:', '-:', '-:', '-:', '-:', '-:'),
      ...cells,
      '',
      row('Disaster', 'Rounds', 'Channels used afterwards', ...totalColumns),
      row('-', '-:', '-:', '-:', '-:', '-:', '-:'),
      ...lanes,
    ]
  }

  #sumsOf(disaster: string, moment: string): Sums {
    return entry(this.#sums, `${disaster}: ${moment}`, noSums)
  }

  #totalsOf(disaster: string): Totals {
    return entry(this.#byDisaster, disaster, noTotals)
  }
}

const faults = ['lost', 'doubled', 'untrue answers', 'stuck channels', 'not in the catalog']
const totalColumns = [
  'rounds with a wrong budget',
  'with too many wasted fees',
  'all transfers expected',
  'found',
]

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

function entry<T>(entries: Map<string, T>, name: string, make: () => T): T {
  const known = entries.get(name) ?? make()
  entries.set(name, known)
  return known
}
