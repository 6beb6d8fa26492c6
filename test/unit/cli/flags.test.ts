import { describe, expect, test } from 'vitest'
import { duration, port, UsageError } from '../../../src/cli/flags.ts'

describe('port', () => {
  test.each([
    ['0', 0],
    ['8080', 8080],
    ['65535', 65_535],
  ])('reads %s', (text, value) => {
    expect(port('--port', text)).toBe(value)
  })

  test.each(['65536', '-1', '8080.5', '', 'http'])('refuses "%s"', (text) => {
    expect(() => port('--port', text)).toThrow(UsageError)
  })
})

describe('duration', () => {
  test.each([
    ['5s', 5_000],
    ['250ms', 250],
  ])('reads %s', (text, ms) => {
    expect(duration('--close-every', text)).toBe(ms)
  })

  test.each(['0s', '5', 's', '1.5s', '-1s', 'manual'])('refuses "%s"', (text) => {
    expect(() => duration('--close-every', text)).toThrow(UsageError)
  })
})
