import { z } from 'zod'
import { schemeNames } from '../../payments/protocol/schemes.ts'
import { clampedInteger, type Parameters } from '../../platform/http/server/query.ts'
import { type AddressKind, addressKind } from '../../stellar/accounts/strkey.ts'

const token = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/)
const MAX_OFFSET = 1_000_000

/** Matches a text that has the shape of a strkey of Stellar, in either case. */
const STRKEY_SHAPE = /^([A-Z2-7]{56}|M[A-Z2-7]{68})$/i

/** Whether a text is no mistyped strkey: one of the given kinds with its checksum, or of another shape. */
const isStrkeyOrOther = (text: string, kinds: readonly AddressKind[]): boolean => {
  const kind = addressKind(text)
  return kind === undefined ? !STRKEY_SHAPE.test(text) : kinds.includes(kind)
}

/*
 * A filter is refused when its value is malformed, and matches nothing when its value is well-formed but belongs to
 * another chain: the rules that x402 proposes in specs/extensions/bazaar_discovery_conformance.md. The patterns take what
 * CAIP-10 and CAIP-19 allow as an address, and the `_` and `:` of TON. Shorter ones, and words without a digit or a dot,
 * are an address of no chain.
 */
const payee = /^([A-Z2-7]{56}|M[A-Z2-7]{68}|(?=.*[0-9.])[-.%:_a-zA-Z0-9]{5,128})$/
const assetName = /^([A-Za-z0-9]{1,12}|C[A-Z2-7]{55}|(?=.*[0-9.])[-.%:_a-zA-Z0-9]{5,128})$/

/** A price that Postgres and JavaScript both hold exactly: at most 15 digits before the point and 18 behind it. */
const price = z.string().regex(/^\d{1,15}(\.\d{1,18})?$/)

/** Filter parameters of the list and of search. */
const filterParameters = {
  type: {
    schema: token.meta({ examples: ['http', 'mcp'] }),
    rule: 'a type of resource: a small letter and at most 31 of a-z, 0-9, _ and -; an unknown type matches nothing',
  },
  payTo: {
    schema: z
      .string()
      .regex(payee)
      .refine((text) => isStrkeyOrOther(text, ['account', 'contract', 'muxed'])),
    rule: 'the address that is paid, of Stellar with a valid checksum; a G... address also matches muxed addresses on it, and an address of another chain matches nothing',
  },
  scheme: {
    schema: token.meta({ examples: schemeNames.slice(0, 1) }),
    rule: 'a payment scheme: a small letter and at most 31 of a-z, 0-9, _ and -; only payment options in it are shown, and one that nothing here has matches nothing',
  },
  network: {
    schema: z
      .string()
      .regex(/^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,64}$/)
      .meta({ examples: ['stellar:testnet', 'stellar:pubnet'] }),
    rule: 'a CAIP-2 network id; only payment options on it are shown, and another chain matches nothing',
  },
  extensions: {
    schema: z.array(z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)).max(10),
    reads: 'list',
    rule: 'at most 10 keys of extensions, separated by commas, each at most 64 of a-z, A-Z, 0-9, _ and -; the resource declares every one of them',
  },
  asset: {
    schema: z
      .string()
      .regex(assetName)
      .refine((text) => isStrkeyOrOther(text, ['contract'])),
    rule: 'the C... address of a contract with a valid checksum, or a symbol of 1 to 12 letters and digits; an asset of another chain matches nothing',
  },
  maxPrice: {
    schema: price,
    rule: 'a decimal of at most 15 digits and 18 behind the point: units of asset where that is given, else US dollars',
  },
  trust: {
    schema: token.meta({ examples: ['settled', 'origin_verified', 'domain_verified'] }),
    rule: 'the least trust of a listing: a small letter and at most 31 of a-z, 0-9, _ and -; an unknown level matches nothing',
  },
} as const satisfies Parameters

export const listParameters = {
  ...filterParameters,
  limit: {
    schema: clampedInteger(1, 100),
    reads: 'integer',
    rule: 'a whole number from 1 on, the items of a page; 20 without it, and above 100 counts as 100',
  },
  offset: {
    schema: z.int().min(0).max(MAX_OFFSET),
    reads: 'integer',
    rule: 'a whole number from 0 to 1000000, the items before the page; 0 without it',
  },
  asOf: {
    schema: z.iso.datetime({ offset: true }),
    rule: 'an ISO 8601 time with a zone; only listings first published by then are shown. Pass back pagination.asOf for pages that fit together',
  },
} as const satisfies Parameters

export const searchParameters = {
  query: {
    // A text that is too long and a blank query have codes of their own.
    schema: z.string().max(2_000),
    rule: 'what is wanted, in words, 1 to 500 characters',
    isRequired: true,
  },
  ...filterParameters,
  limit: {
    schema: clampedInteger(1, 50),
    reads: 'integer',
    rule: 'a whole number from 1 on, the items of a page; 10 without it, and above 50 counts as 50',
  },
  cursor: {
    schema: z.string().max(512),
    rule: 'the pagination.cursor of the page before, at most 512 characters, with the same query and filters',
  },
} as const satisfies Parameters
