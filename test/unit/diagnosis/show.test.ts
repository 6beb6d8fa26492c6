import { describe, expect, test } from 'vitest'
import { asLines, asTable } from '../../../src/diagnosis/doctor/show.ts'

describe('the output', () => {
  const sections = [
    {
      network: undefined,
      results: [{ check: 'store' as const, status: 'ok' as const, says: 'Postgres 18' }],
    },
    {
      network: 'stellar:testnet',
      results: [
        {
          check: 'rpc' as const,
          status: 'problem' as const,
          says: 'no answer\u001b[2J',
          todo: 'do this',
        },
        { check: 'clock' as const, status: 'warning' as const, says: 'late', todo: 'set it' },
      ],
    },
  ]

  test('is a table with what to do below each problem', () => {
    expect(asTable(sections)).toBe(
      [
        'The service',
        '  ok       store  Postgres 18',
        '',
        'stellar:testnet',
        '  problem  rpc    no answer [2J',
        '                  -> do this',
        '  warning  clock  late',
        '                  -> set it',
        '',
        '1 problem, 1 warning.',
        '',
      ].join('\n'),
    )
    expect(asTable(sections.slice(0, 1))).toContain('No problems.')
  })

  test('is a line of JSON for each check', () => {
    expect(asLines(sections).split('\n')[1]).toBe(
      '{"network":"stellar:testnet","check":"rpc","status":"problem","says":"no answer\\u001b[2J","todo":"do this"}',
    )
  })
})
