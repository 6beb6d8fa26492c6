import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { oldestNode } from '../support/runtimes.ts'
import { contractTests } from './localnet-node-test.ts'

contractTests(oldestNode)

it('uses the contract whose source its page names', () => {
  const source = readFileSync('test/fixtures/contracts/trick-token/trick-token.wasm')
  expect(source.equals(readFileSync('examples/localnet-node-test/token.wasm'))).toBe(true)
})
