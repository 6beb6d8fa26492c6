import { describe, expect, test } from 'vitest'
import { createLogger } from '../../../src/telemetry/logger.ts'

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
    { object: { config: { secret: 'HIDDEN' } } },
    { object: { settlement: { envelopeXdr: 'HIDDEN' } } },
    { object: { payment: { authorization: 'HIDDEN' } } },
    { object: { payload: { transaction: 'HIDDEN' } } },
    { object: { headers: { authorization: 'HIDDEN', 'x-api-key': 'HIDDEN' } } },
    { object: { req: { headers: { authorization: 'HIDDEN', 'x-api-key': 'HIDDEN' } } } },
  ])('keeps a secret: $object', ({ object }) => {
    const line = logged(object)

    expect(line).not.toContain('HIDDEN')
    expect(line).toContain('[redacted]')
  })

  test('shows the hash of a settlement, which is no secret', () => {
    expect(logged({ transaction: 'c0ffee' })).toContain('c0ffee')
  })

  test('keeps quiet below its level', () => {
    const lines: string[] = []
    const logger = createLogger({
      level: 'warn',
      destination: { write: (line) => lines.push(line) },
    })
    logger.info('Not said')

    expect(lines).toEqual([])
  })
})
