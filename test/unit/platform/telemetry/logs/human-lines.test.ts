import { describe, expect, test } from 'vitest'
import { humanLine } from '../../../../../src/platform/telemetry/logs/human-lines.ts'

const base = { level: 'warn', time: '2026-01-02T03:04:05.678Z', msg: 'Could not read' }

describe('a line for people', () => {
  test('has time, level and message first, then the other members by name', () => {
    const line = JSON.stringify({
      ...base,
      network: 'stellar:testnet',
      count: 3,
      text: 'two words',
    })

    expect(humanLine(line)).toBe(
      '03:04:05.678 WARN  Could not read network=stellar:testnet count=3 text="two words"\n',
    )
  })

  test('shows the stack of an error below', () => {
    const line = JSON.stringify({ ...base, err: { type: 'Error', stack: 'Error: no\n    at x' } })

    expect(humanLine(line)).toBe('03:04:05.678 WARN  Could not read\n    Error: no\n        at x\n')
  })

  test('replaces control characters', () => {
    const text = '\u001b[2J'
    const line = JSON.stringify({ ...base, msg: text, name: text, err: { stack: text } })

    expect(humanLine(line)).not.toContain('\u001b')
  })
})
