/** Runs scenarios under the rules, and runs them again. */
import { FakeClock } from '../../../support/fake-clock.ts'
import { openNetwork } from '../harness.ts'
import { type Rule, readLedger } from './decoded-ledger.ts'
import { openRecordedNetwork, type RecordedNetwork } from './recorded-network.ts'
import { meta } from './rules/meta.ts'
import { movements } from './rules/movements.ts'
import { reserves } from './rules/reserves.ts'
import { sequences } from './rules/sequences.ts'
import { sponsorships } from './rules/sponsorships.ts'
import { supply } from './rules/supply.ts'
import { trustlines } from './rules/trustlines.ts'
import { runStep, type Scenario } from './scenario.ts'

export const rules: readonly Rule[] = [
  ...[supply, movements, reserves, sequences, sponsorships, trustlines],
  meta,
]

/** The violations of the first ledger of a scenario that breaks a rule. */
export async function runScenario(
  scenario: Scenario,
): Promise<{ network: RecordedNetwork; broken: readonly string[] }> {
  const network = await openRecordedNetwork()
  let before = await readLedger(network.net)
  const checks = rules.map((rule) => ({ name: rule.name, check: rule.start(before) }))
  for (const steps of scenario) {
    const previous = network.net.latest
    for (const step of steps) await runStep(network, step)
    const ledger = await network.close()
    const after = await readLedger(network.net)
    const transition = { before, after, ledger, previous }
    const broken = [
      ...checks.flatMap(({ name, check }) =>
        check(transition).map((problem) => `${name}: ${problem}`),
      ),
      // Holds the faults that stellar-core would return as txINTERNAL_ERROR: there are none.
      ...network.log,
    ]
    if (broken.length > 0) return { network, broken }
    before = after
  }
  return { network, broken: [] }
}

/** Submits the same envelopes to a new network at the same times, and returns its ledger hashes. */
export async function replay({ inputs, startedAt }: RecordedNetwork): Promise<string[]> {
  const { net, clock } = openNetwork({}, new FakeClock(startedAt))
  const hashes = [net.latest.hash]
  for (const { closedAt, requests } of inputs) {
    for (const request of requests) {
      if ('envelope' in request) net.submit(request.envelope)
      else net.faucet(request.gift).catch(() => undefined)
    }
    await clock.advance(closedAt - clock.now())
    hashes.push((await net.closeLedger()).hash)
  }
  return hashes
}

export function hashesOf({ net }: RecordedNetwork): string[] {
  const hashes: string[] = []
  for (let sequence = 1; sequence <= net.latest.sequence; sequence++) {
    hashes.push(net.ledger(sequence)?.hash ?? 'missing')
  }
  return hashes
}
