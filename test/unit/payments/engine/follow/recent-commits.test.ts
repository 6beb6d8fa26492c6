import { expect, it } from 'vitest'
import { RecentCommits } from '../../../../../src/payments/engine/follow/recent-commits.ts'
import type { IdentifiedPayment } from '../../../../../src/payments/store/settlements/claim/identifiers.ts'
import type {
  Restored,
  SucceededSettlement,
} from '../../../../../src/payments/store/settlements/transitions/restore.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../../../src/platform/core/amounts/usd.ts'
import { StoreUnavailable } from '../../../../../src/platform/database/postgres/unavailable.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const success = (nonce: string): SucceededSettlement => ({
  key: { network: 'stellar:testnet', payer: 'GPAYER', nonce },
  ...{ attempt: 1, fingerprint: 'f', sponsor: 'GSPONSOR', ledger: 9 },
  facts: { scheme: 'exact', asset: 'CASSET', payTo: 'GSELLER', amount: 1n },
  metering: { caller: 'public', serviceFee: asUsdUnits(0n) },
  recorded: {
    ...{ channel: 'GCHANNEL', envelopeXdr: 'AAAA', txHash: 'a', innerHash: 'b' },
    ...{ maxTime: 1, recordedAtLedger: 7 },
  },
  response: {},
  feeCharged: asStroops(3n),
})

const identified = (nonce: string): IdentifiedPayment => ({
  key: success(nonce).key,
  identifier: { scopes: ['GSELLER'], identifier: `pay_${nonce}`, payloadHash: nonce },
})

/** A database whose server a test replaces, and whose answers it holds back. */
function world() {
  const server = { start: 'first', isAway: false, refuses: '', has: 'restored' as Restored }
  const restoring: string[] = []
  const clock = new FakeClock()
  let release = () => {}
  let held = Promise.resolve()
  const recent = new RecentCommits({
    serverStart: async () => server.start,
    restore: async ({ key }) => {
      restoring.push(key.nonce)
      await held
      if (server.isAway) throw new StoreUnavailable('no store')
      if (server.refuses === key.nonce) throw new Error('a constraint is broken')
      return server.has
    },
    bind: async (payments) => {
      if (payments.length > 0) restoring.push(`ids of ${payments.map(({ key }) => key.nonce)}`)
      if (server.refuses === 'ids') throw new Error('a constraint is broken')
      return payments.length
    },
    clock,
    log: createLogger({ level: 'silent' }),
  })
  return {
    recent,
    server,
    restoring,
    clock,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      release = resolve
    },
    release: () => release(),
  }
}

it('restores once after another server has taken over, however many ask meanwhile', async () => {
  const { recent, server, restoring, hold, release } = world()
  await recent.restoreLost()
  recent.rememberSuccess(success('1'))
  recent.rememberSuccess(success('2'))
  server.start = 'second'
  hold()
  const rounds = Promise.all([recent.restoreLost(), recent.restoreLost(), recent.restoreLost()])
  await expect.poll(() => restoring).toEqual(['1'])
  const late = recent.restoreLost()
  release()
  await Promise.all([rounds, late])
  await recent.restoreLost()
  expect(restoring).toEqual(['1', '2'])
})

it('begins again for a server that takes over during a round', async () => {
  const { recent, server, restoring, hold, release } = world()
  await recent.restoreLost()
  recent.rememberSuccess(success('1'))
  server.start = 'second'
  hold()
  const round = recent.restoreLost()
  await expect.poll(() => restoring).toEqual(['1'])
  server.start = 'third'
  const later = [recent.restoreLost(), recent.restoreLost()]
  release()
  await Promise.all([round, ...later])
  expect(restoring).toEqual(['1', '1'])
})

it('begins again after a round in which the store went away', async () => {
  const { recent, server, restoring } = world()
  await recent.restoreLost()
  recent.rememberSuccess(success('1'))
  server.start = 'second'
  server.isAway = true
  await expect(recent.restoreLost()).rejects.toThrow('no store')
  server.isAway = false
  await recent.restoreLost()
  expect(restoring).toEqual(['1', '1'])
})

it('restores the others when the store cannot take one, and does not try that one without end', async () => {
  const { recent, server, restoring } = world()
  await recent.restoreLost()
  for (const nonce of ['1', '2', '3']) recent.rememberSuccess(success(nonce))
  server.start = 'second'
  server.refuses = '2'
  await recent.restoreLost()
  await recent.restoreLost()
  expect(restoring).toEqual(['1', '2', '3'])
})

it('reads each server that took over, also when two that follow each other are found during one round', async () => {
  const { recent, server, restoring, hold, release } = world()
  await recent.restoreLost()
  recent.rememberSuccess(success('1'))
  server.start = 'second'
  hold()
  const round = recent.restoreLost()
  await expect.poll(() => restoring).toEqual(['1'])
  server.start = 'third'
  const third = recent.restoreLost()
  server.start = 'fourth'
  const fourth = recent.restoreLost()
  release()
  await Promise.all([round, third, fourth])
  expect(restoring).toEqual(['1', '1', '1'])
})

it('restores one in whose place another envelope is under way once that has ended', async () => {
  const { recent, server, restoring } = world()
  server.has = 'underway'
  expect(await recent.restore(success('1'))).toBe('underway')
  await recent.restoreLost()
  server.has = 'restored'
  await recent.restoreLost()
  await recent.restoreLost()
  expect(restoring).toEqual(['1', '1', '1'])
})

it('binds the ids of payments again before it restores settlements, whether these have ended or not', async () => {
  const { recent, server, restoring } = world()
  await recent.restoreLost()
  recent.rememberSuccess(success('1'))
  for (const nonce of ['1', '2']) recent.rememberIdentifier(identified(nonce))
  server.start = 'second'
  await recent.restoreLost()
  await recent.restoreLost()
  expect(restoring).toEqual(['ids of 1,2', '1'])
})

it('restores settlements when the store cannot take the ids', async () => {
  const { recent, server, restoring } = world()
  await recent.restoreLost()
  recent.rememberSuccess(success('1'))
  recent.rememberIdentifier(identified('1'))
  server.start = 'second'
  server.refuses = 'ids'
  await recent.restoreLost()
  expect(restoring).toEqual(['ids of 1', '1'])
})

it('leaves ids alone that every standby has long had', async () => {
  const { recent, server, restoring, clock } = world()
  await recent.restoreLost()
  recent.rememberIdentifier(identified('1'))
  await clock.advance(600_001)
  server.start = 'second'
  await recent.restoreLost()
  expect(restoring).toEqual([])
})
