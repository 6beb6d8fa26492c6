import { expect, test } from 'vitest'
import { startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { newPaymentIdentifier } from '../../../src/payments/protocol/payment-identifier.ts'
import { settleUntilFinal } from '../../support/crash-client.ts'
import { type LanePayment, openLane, rowOf } from '../../support/crash-lane.ts'
import { startPostgresPair } from '../../support/postgres-pair.ts'

const TIMEOUT_MS = 150_000

test('commits that a promoted standby lacks: true first answers, the same to repeats, no second transfer, none under their ids', {
  timeout: 180_000,
}, async () => {
  await using localnet = await startLocalnetServer({ closeEveryMs: 250 })
  await using pair = await startPostgresPair()
  await using lane = await openLane({
    localnet,
    databaseUrl: pair.url,
    channels: 3,
    replicas: 1,
    timings: { confirmWindowMs: 18_000 },
  })
  const [replica] = lane.replicas
  if (!replica) throw new Error('no replica runs')
  const { sequence } = localnet.network.latest
  const ids = [newPaymentIdentifier(), newPaymentIdentifier()]
  const [finished, recorded] = [await lane.newPayment(ids[0]), await lane.newPayment(ids[1])]
  await pair.cutReplication()

  const first = await replica.settle(finished.body)
  const beforeFinish = 'after the ledger closed, before finish'
  const [started] = await replica.settleUpTo(beforeFinish, [recorded.body])
  expect(started?.isHeld).toBe(true)
  await pair.killPrimary()
  replica.resume()
  await pair.failOver()

  const answers = [first, await started?.answer]
  expect(first?.body).toMatchObject({ success: true })
  // Of the second payment it is also `success`, unless the failover took longer than a request waits.
  expect(lane.transfersAfter(sequence)).toMatchObject(
    [finished, recorded].map(({ amount }, index) => ({
      amount,
      hash: answers[index]?.body.transaction,
    })),
  )
  const hashes = lane.transfersAfter(sequence).map(({ hash }) => hash)
  // Before a repeat of the first payments: nothing but the id tells that their purchases are paid.
  for (const id of ids) {
    const another = await lane.newPayment(id)
    const { final } = await settleUntilFinal(() => replica.settle(another.body), TIMEOUT_MS)
    expect(final).toMatchObject({
      status: 409,
      body: { errorReason: 'payment_identifier_conflict' },
    })
  }
  const repeat = async (payment: LanePayment) =>
    (await settleUntilFinal(() => replica.settle(payment.body), TIMEOUT_MS)).final?.body
  for (const [index, payment] of [finished, recorded].entries()) {
    expect(await repeat(payment)).toMatchObject({ success: true, transaction: hashes[index] })
    expect((await rowOf(lane, payment))?.recorded?.txHash).toBe(hashes[index])
  }
  expect(lane.transfersAfter(sequence)).toHaveLength(2)
})

test('a record that no standby confirms is not sent, until one does', {
  timeout: 180_000,
}, async () => {
  await using localnet = await startLocalnetServer({ closeEveryMs: 250 })
  await using pair = await startPostgresPair()
  await using lane = await openLane({ localnet, databaseUrl: pair.url, channels: 3, replicas: 1 })
  const [replica] = lane.replicas
  if (!replica) throw new Error('no replica runs')
  const { sequence } = localnet.network.latest
  const payment = await lane.newPayment()
  const [started] = await replica.settleUpTo('after signing, before record', [payment.body])
  await pair.killStandby()
  replica.resume()
  expect((await started?.answer)?.status).toBe(503)
  const twoLedgersLater = localnet.network.latest.sequence + 2
  await expect
    .poll(() => localnet.network.latest.sequence, { timeout: TIMEOUT_MS })
    .toBeGreaterThan(twoLedgersLater)
  expect(lane.transfersAfter(sequence)).toEqual([])

  await pair.addStandby()
  const { final } = await settleUntilFinal(() => replica.settle(payment.body), TIMEOUT_MS)
  expect(final?.body).toMatchObject({ success: true })
  expect(lane.transfersAfter(sequence)).toMatchObject([{ hash: final?.body.transaction }])
})
