/* Listings of a catalog for a person. What the sellers say is marked line by line. */

import type { ListingFacts } from '../../../buying/listings/listing-facts.ts'
import { isMetered } from '../../../payments/protocol/schemes.ts'
import { EXAMPLE_RPC, SEED_FILE } from '../../../platform/core/text/pay-placeholders.ts'
import { personTable, type Row } from '../../command-line/person-table.ts'
import { wrap } from '../../command-line/wrap.ts'

const COLUMNS = 96

/** @param number in a list, from 1; absent for a single listing */
export function shownListing(facts: ListingFacts, number?: number): string {
  const { resource, type, method, toolName, prices, trust, settlements, listings, state } = facts
  const what = type === 'mcp' ? `the MCP tool ${toolName ?? '?'}` : (method ?? 'GET')
  const rows: Row[] = [
    ...(state === null ? [] : [['state', state] as const]),
    ...prices.map(
      ({ scheme, price, network }): Row => [
        isMetered(scheme) ? 'at most' : 'price',
        `${price}, ${scheme} on ${network}`,
      ],
    ),
    ...[...new Set(prices.map(({ payTo }) => payTo))].map((payTo): Row => ['pay to', payTo]),
    ['trust', `${trust}, ${settlements} settled`],
    ...listings.map((id): Row => ['listing', id]),
    ...(facts.pay === null ? [] : [['pay', facts.pay] as const, ...needs(facts.pay)]),
  ]
  const title = `${number === undefined ? '' : `${number}. `}${what} ${resource}`
  return personTable(title, rows) + words(facts)
}

/** What a reader has to have or to replace before the command can run. */
const needs = (command: string): readonly Row[] => [
  ...(command.includes(EXAMPLE_RPC)
    ? [['needs', `your Stellar RPC in place of ${EXAMPLE_RPC}, or in PUBNET_RPC_URL`] as const]
    : []),
  ...(command.includes(SEED_FILE)
    ? [['needs', `the seed of the payer: svc wallet new --out ${SEED_FILE}`] as const]
    : []),
]

function words({ name, description, tags, call }: ListingFacts): string {
  const lines = [
    ...(name === null ? [] : [name]),
    ...(description ?? '').split('\n'),
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`]),
    ...(call === null ? [] : ['input:', ...call.split('\n')]),
  ]
  return lines
    .filter((line) => line.trim() !== '')
    .flatMap((line) => (line.length > COLUMNS ? wrap(line, COLUMNS) : [line]))
    .map((line) => `  | ${line}\n`)
    .join('')
}
