import { createHash } from 'node:crypto'
import type { Seed } from './seed.ts'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
const wordsOf = (name: string): string => name.replaceAll('_', ' ')
const listOf = (names: readonly string[]): string => names.map(wordsOf).join(', ')

/** What sellers write around the facts. Most say how to pay, many list what goes in and comes out again. */
const AROUND: readonly ((facts: string, inputs: string, outputs: string) => string)[] = [
  (facts) => facts,
  (facts) => facts,
  (facts) => facts,
  (facts) => facts,
  (facts, inputs, outputs) => `${facts} Returns ${outputs}. Parameters: ${inputs}.`,
  (facts) =>
    `${facts} Pay per request with USDC on Stellar via x402. No API key, no account, no subscription.`,
  (facts, inputs, outputs) =>
    `${facts} Send ${inputs} and get ${outputs} as JSON. Built for AI agents: one call, one payment, no signup. Payment is settled on Stellar in seconds.`,
  (facts, _, outputs) =>
    `x402-enabled endpoint. ${facts} Response fields: ${outputs}. Average response time below 400 ms. Support: see our website.`,
  (facts, inputs) =>
    `${facts} WHY US? Reliable data, simple pricing, fast responses. HOW? 1. Send a request with ${inputs}. 2. Pay the 402. 3. Get the data. WHO? Developers, agents and data teams trust our data API. Questions? Write to us, we answer every request within a day.`,
]

/** The description of a seed as its seller publishes it: alone, or among what sellers say of themselves. Always the same. */
export function descriptionOf({ id, description, output = '' }: Seed, inputs: readonly string[]) {
  if (description === undefined) return undefined
  const around = AROUND[(digest(id)[1] ?? 0) % AROUND.length]
  return (
    around?.(description, listOf(inputs) || 'nothing', listOf(output.split(','))) ?? description
  )
}

/** Every second seller describes each member of the schema, most of them with the same words again. */
export function memberDescription({ id, tags = [] }: Seed, member: string): string | undefined {
  const style = (digest(id)[2] ?? 0) % 6
  const subject = tags[0] ?? 'resource'
  if (style === 0) return `The ${wordsOf(member)} of the ${subject}`
  if (style === 1)
    return `${wordsOf(member)} (required), for example see the documentation of ${subject}`
  if (style === 2) return `${subject} ${wordsOf(member)}`
  return undefined
}
