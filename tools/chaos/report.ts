import { moments, type RoundResult, type Tally } from '../../test/support/crash-round.ts'

type Sums = { -readonly [Count in keyof Omit<Tally, 'moment' | 'lastAnswer'>]: number }

interface Whole {
  rounds: number
  channels: number
  channelsUsed: number
  /** Rounds after which the budget said something else than the ledger took. */
  budgetOff: number
  expected: number
  seen: number
}

const noSums = (): Sums => ({
  expected: 0,
  seen: 0,
  lost: 0,
  doubled: 0,
  untrue: 0,
  stuck: 0,
})

const noWhole = (): Whole => ({
  rounds: 0,
  channels: 0,
  channelsUsed: 0,
  budgetOff: 0,
  expected: 0,
  seen: 0,
})

/** What all rounds came to, by disaster and moment; Markdown. */
export class Report {
  readonly #sums = new Map<string, Sums>()
  readonly #wholes = new Map<string, Whole>()

  add(disaster: string, { tallies, channelsUsed, budget }: RoundResult, channels: number): void {
    for (const { moment, ...tally } of tallies) {
      const sums = this.#sumsOf(disaster, moment)
      for (const name of ['expected', 'seen', 'lost', 'doubled', 'untrue', 'stuck'] as const) {
        sums[name] += tally[name]
      }
    }
    const whole = this.#wholeOf(disaster)
    whole.rounds += 1
    whole.channels += channels
    whole.channelsUsed += channelsUsed
    whole.budgetOff += budget.told === budget.taken ? 0 : 1
  }

  /** Counted once over all ledgers of a disaster's lane, at its end. */
  addWhole(disaster: string, { expected, seen }: Pick<Whole, 'expected' | 'seen'>): void {
    Object.assign(this.#wholeOf(disaster), { expected, seen })
  }

  get rounds(): number {
    return [...this.#wholes.values()].reduce((sum, { rounds }) => sum + rounds, 0)
  }

  get isClean(): boolean {
    const cells = [...this.#sums.values()].every(
      ({ expected, seen, lost, doubled, untrue, stuck }) =>
        expected === seen && lost + doubled + untrue + stuck === 0,
    )
    const lanes = [...this.#wholes.values()].every(
      ({ channels, channelsUsed, budgetOff, expected, seen }) =>
        channels === channelsUsed && budgetOff === 0 && expected === seen,
    )
    return cells && lanes
  }

  get lines(): readonly string[] {
    const cells = [...this.#wholes].flatMap(([disaster, { rounds }]) =>
      moments.map((moment) => {
        const sums = this.#sumsOf(disaster, moment)
        const { expected, seen, lost, doubled, untrue, stuck } = sums
        return row(moment, disaster, rounds, expected, seen, lost, doubled, untrue, stuck)
      }),
    )
    const lanes = [...this.#wholes].map(([disaster, whole]) => {
      const { rounds, channels, channelsUsed, budgetOff, expected, seen } = whole
      return row(disaster, rounds, `${channelsUsed} of ${channels}`, budgetOff, expected, seen)
    })
    return [
      row('Point', 'Disaster', 'Rounds', 'Transfers expected', 'seen', ...faults),
      row('-', '-', '-:', '-:', '-:', '-:', '-:', '-:', '-:'),
      ...cells,
      '',
      row('Disaster', 'Rounds', 'Channels paid over afterwards', ...wholeFaults),
      row('-', '-:', '-:', '-:', '-:', '-:'),
      ...lanes,
    ]
  }

  #sumsOf(disaster: string, moment: string): Sums {
    return entry(this.#sums, `${disaster}: ${moment}`, noSums)
  }

  #wholeOf(disaster: string): Whole {
    return entry(this.#wholes, disaster, noWhole)
  }
}

const faults = ['lost', 'doubled', 'untrue answers', 'stuck channels']
const wholeFaults = ['rounds with a wrong budget', 'all transfers expected', 'seen']

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

function entry<T>(entries: Map<string, T>, name: string, make: () => T): T {
  const known = entries.get(name) ?? make()
  entries.set(name, known)
  return known
}
