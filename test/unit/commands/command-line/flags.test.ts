import { describe, expect, test } from 'vitest'
import {
  choice,
  choiceOr,
  duration,
  type Flag,
  flag,
  networkId,
  number,
  numberOr,
  port,
  textOr,
} from '../../../../src/commands/command-line/flags.ts'
import { UsageError } from '../../../../src/commands/command-line/usage-error.ts'

const of1To9 = number('N', '', { min: 1, max: 9 })

describe('a flag', () => {
  test.each<[Flag<unknown>, string | undefined, unknown]>([
    [flag(''), undefined, false],
    [flag(''), '', true],
    [port(8080, ''), undefined, 8080],
    [port(8080, ''), '0', 0],
    [port(8080, ''), '65535', 65_535],
    [duration('1s', ''), undefined, 1_000],
    [duration('1s', ''), '5s', 5_000],
    [duration('1s', ''), '250ms', 250],
    [networkId(''), undefined, undefined],
    [networkId(''), 'stellar:testnet', 'stellar:testnet'],
    [of1To9, undefined, undefined],
    [of1To9, '9', 9],
    [numberOr(7, ''), undefined, 7],
    [choice(['a', 'b'], ''), undefined, undefined],
    [choice(['a', 'b'], ''), 'b', 'b'],
    [choiceOr(['a', 'b'], 'a', ''), undefined, 'a'],
    [textOr('here', 'PATH', ''), undefined, 'here'],
    [textOr('here', 'PATH', ''), '', ''],
  ])('%# reads %s', (declared, text, value) => {
    expect(declared.read(text, '--it')).toBe(value)
  })

  test.each<[Flag<unknown>, string, string[]]>([
    [
      port(0, ''),
      '--it is a port from 0 to 65535, not ',
      ['65536', '-1', '8080.5', '', 'http', '1e3'],
    ],
    [
      duration('1s', ''),
      '--it is a time such as 5s or 250ms, not ',
      ['0s', '5', 's', '1.5s', '-1s', 'manual'],
    ],
    [networkId(''), '--it is one of stellar:testnet, stellar:pubnet, not ', ['stellar:moon', '']],
    [of1To9, '--it is a whole number from 1 to 9, not ', ['0', '10', 'many', '1.0', '']],
    [number('N', ''), '--it is a whole number, not ', ['-1', '1'.repeat(16)]],
    [choice(['a', 'b', 'c'], ''), '--it is a, b or c, not ', ['d', '']],
  ])('%# refuses what is no value of its kind', (declared, sentence, texts) => {
    for (const text of texts) {
      expect(() => declared.read(text, '--it')).toThrow(new UsageError(`${sentence}${text}`))
    }
  })

  test.each<[Flag<unknown>, string, string]>([
    [networkId(''), 'stellar:testnett', 'stellar:testnet'],
    [choice(['testnet', 'none'], ''), 'tesnet', 'testnet'],
  ])('%# names the nearest of its values', (declared, text, nearest) => {
    expect(() => declared.read(text, '--it')).toThrow(`, not ${text}. Did you mean ${nearest}?`)
  })
})
