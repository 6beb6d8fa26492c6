/** Plays stories under the rules, and plays them again. */
import { Localnet } from '../../../../src/localnet/network.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { type Rule, readBook } from './book.ts'
import { meta } from './rules/meta.ts'
import { movements } from './rules/movements.ts'
import { reserves } from './rules/reserves.ts'
import { sequences } from './rules/sequences.ts'
import { sponsorships } from './rules/sponsorships.ts'
import { supply } from './rules/supply.ts'
import { trustlines } from './rules/trustlines.ts'
import { perform, type Story } from './story.ts'
import { openTown, type Town } from './town.ts'

export const rules: readonly Rule[] = [
  ...[supply, movements, reserves, sequences, sponsorships, trustlines],
  meta,
]

/** What a story breaks, ledger by ledger; it ends with the first ledger that breaks something. */
export async function play(story: Story): Promise<{ town: Town; broken: readonly string[] }> {
  const town = await openTown()
  let before = await readBook(town.net)
  const checks = rules.map((rule) => ({ says: rule.says, check: rule.start(before) }))
  for (const acts of story) {
    const previous = town.net.latest
    for (const act of acts) await perform(town, act)
    const ledger = await town.close()
    const after = await readBook(town.net)
    const chapter = { before, after, ledger, previous }
    const broken = [
      ...checks.flatMap(({ says, check }) =>
        check(chapter).map((problem) => `${says}: ${problem}`),
      ),
      // What stellar-core would answer with txINTERNAL_ERROR never happens.
      ...town.log,
    ]
    if (broken.length > 0) return { town, broken }
    before = after
  }
  return { town, broken: [] }
}

/** Hands the same envelopes to a new network at the same times, and returns its ledger hashes. */
export async function replay({ pages, startedAt }: Town): Promise<string[]> {
  const clock = new FakeClock(startedAt)
  const net = new Localnet({ clock })
  const hashes = [net.latest.hash]
  for (const { closedAt, entered } of pages) {
    for (const one of entered) {
      if ('envelope' in one) net.submit(one.envelope)
      else net.faucet(one.gift).catch(() => undefined)
    }
    await clock.advance(closedAt - clock.now())
    hashes.push((await net.closeLedger()).hash)
  }
  return hashes
}

export function hashesOf({ net }: Town): string[] {
  const hashes: string[] = []
  for (let sequence = 1; sequence <= net.latest.sequence; sequence++) {
    hashes.push(net.ledger(sequence)?.hash ?? 'forgotten')
  }
  return hashes
}
