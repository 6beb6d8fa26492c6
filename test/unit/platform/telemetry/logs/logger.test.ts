import { describe, expect, test } from 'vitest'
import {
  addToLogScope,
  inLogScope,
  outsideLogScope,
} from '../../../../../src/platform/telemetry/logs/log-scope.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'

/** What is written for one call, as text. */
function logged(object: object): string {
  const lines: string[] = []
  createLogger({ destination: { write: (line) => lines.push(line) } }).info(object, 'Logged')
  return lines.join('')
}

describe('the logger', () => {
  test('writes one JSON line with level, time and sentence', () => {
    const line = logged({ network: 'stellar:testnet' })

    expect(line).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      network: 'stellar:testnet',
      msg: 'Logged',
    })
  })

  test.each<{ object: object }>([
    { object: { sponsorSecret: 'HIDDEN' } },
    { object: { secret: 'HIDDEN' } },
    { object: { envelopeXdr: 'HIDDEN' } },
    { object: { authorization: 'HIDDEN' } },
    { object: { config: { sponsorSecret: 'HIDDEN' } } },
    { object: { previousSponsorSecret: 'HIDDEN' } },
    { object: { nextSponsorSecret: 'HIDDEN' } },
    { object: { config: { secret: 'HIDDEN' } } },
    { object: { settlement: { envelopeXdr: 'HIDDEN' } } },
    { object: { payment: { authorization: 'HIDDEN' } } },
    { object: { payload: { transaction: 'HIDDEN' } } },
    { object: { 'x-api-key': 'HIDDEN' } },
    { object: { headers: { authorization: 'HIDDEN', 'x-api-key': 'HIDDEN' } } },
    { object: { req: { headers: { authorization: 'HIDDEN', 'x-api-key': 'HIDDEN' } } } },
  ])('removes a secret: $object', ({ object }) => {
    const line = logged(object)

    expect(line).not.toContain('HIDDEN')
    expect(line).toContain('[redacted]')
  })

  test.each([
    Object.assign(new Error('refused row'), { detail: 'Failing row contains (HIDDEN)' }),
    Object.assign(new TypeError('Invalid URL'), { input: 'postgres://svc:HIDDEN@db/svc' }),
  ])('removes the input that an error quotes: $message', (err) => {
    const line = logged({ err })

    expect(line).not.toContain('HIDDEN')
    expect(line).toContain(err.message)
  })

  test('names the request on every line, but not on lines of shared work', async () => {
    const lines: string[] = []
    const logger = createLogger({ destination: { write: (line) => lines.push(line) } })
    await inLogScope({ requestId: 'one' }, async () => {
      await Promise.resolve()
      addToLogScope({ settlement: 'the settlement' })
      logger.info('Inside')
      outsideLogScope(() => logger.info('For all'))
    })
    logger.info('Outside')

    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ msg: 'Inside', requestId: 'one', settlement: 'the settlement' }),
      expect.not.objectContaining({ requestId: expect.anything() }),
      expect.not.objectContaining({ requestId: expect.anything() }),
    ])
  })

  test('shows the hash of a settlement, which is no secret', () => {
    expect(logged({ transaction: 'c0ffee' })).toContain('c0ffee')
  })

  test('writes nothing below its level', () => {
    const lines: string[] = []
    const logger = createLogger({
      level: 'warn',
      destination: { write: (line) => lines.push(line) },
    })
    logger.info('Not said')

    expect(lines).toEqual([])
  })
})
