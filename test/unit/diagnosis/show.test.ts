import { describe, expect, test } from 'vitest'
import { ok, problem, warning } from '../../../src/diagnosis/checks/diagnosis.ts'
import { asLines, asTable } from '../../../src/diagnosis/show.ts'

describe('the output', () => {
  const sections = [
    { network: undefined, results: [{ check: 'store' as const, ...ok('Postgres 18') }] },
    {
      network: 'stellar:testnet',
      results: [
        { check: 'rpc' as const, ...problem('no answer\u001b[2J', 'do this') },
        { check: 'clock' as const, ...warning('late', 'set it') },
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
