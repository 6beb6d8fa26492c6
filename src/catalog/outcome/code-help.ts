import type { DeclarationOutcome } from '../listing.ts'
import type { RejectionCode, ResultCode } from './codes.ts'

interface CodeHelp {
  readonly status: DeclarationOutcome['status']
  /** The event, in words without a full stop. */
  readonly meaning: string
  /** The advice to the seller, without a full stop. */
  readonly remedy: string
}

const processing = (meaning: string, remedy: string): CodeHelp => ({
  status: 'processing',
  meaning,
  remedy,
})
const success = (meaning: string, remedy: string): CodeHelp => ({
  status: 'success',
  meaning,
  remedy,
})
const rejected = (meaning: string, remedy: string): CodeHelp => ({
  status: 'rejected',
  meaning,
  remedy,
})

/** Every outcome of a declaration: docs/errors.md is made from it. */
export const codeHelp: Readonly<Record<ResultCode | RejectionCode, CodeHelp>> = {
  awaiting_settlement: processing(
    'only of `/verify`: the declaration can be listed once its payment is settled',
    'nothing',
  ),
  cataloging_in_progress: processing(
    'the declaration is stored, and no catalog process has recorded it within two seconds',
    'nothing; when it stays so, the administrator looks at `catalog.outboxPending` of `/health`',
  ),
  awaiting_origin_verification: processing(
    "the resource is listed as pending: the catalog asks it for its own 402 response, and publishes it when that names the payment's payTo",
    'nothing, as long as the resource answers from the internet; `GET /discovery/resources/{id}` shows the result',
  ),
  cataloged: success('an MCP tool is listed and published', 'nothing'),
  recorded: success(
    'the resource is published already; something new in the declaration is published once the resource itself confirms it',
    'nothing',
  ),
  bazaar_extension_malformed: rejected(
    '`extensions.bazaar` is not an object with `info` and `schema`, is too large or too deep, or no payment option of it can be read',
    'declare with the stock packages; keep the declaration under 64 KiB and 32 levels',
  ),
  bazaar_schema_invalid: rejected(
    '`schema` is no JSON Schema 2020-12',
    'correct it; `$schema` of an older draft is refused too',
  ),
  bazaar_schema_external_reference: rejected(
    '`schema` has a `$ref`, `$id`, `$dynamicRef` or `$recursiveRef` that does not start with `#`',
    'copy what it refers to into `$defs`',
  ),
  bazaar_schema_too_large: rejected(
    '`schema` exceeds 32 KiB or 32 levels',
    'declare what a caller needs, not every field',
  ),
  bazaar_schema_timeout: rejected(
    '`schema` takes more than 250 ms, or too much memory, to compile and to validate `info`',
    'simplify patterns and references; a schema of ordinary size takes a few milliseconds',
  ),
  bazaar_info_invalid: rejected(
    '`info` does not match `schema`',
    'register `bazaarResourceServerExtension` on the server, which completes `info`; correct the examples',
  ),
  bazaar_info_unsupported: rejected(
    '`info.input` is neither a call by HTTP with a method nor an MCP tool with `toolName` and `inputSchema`',
    'register `bazaarResourceServerExtension` on the server; correct the member that the reason names',
  ),
  bazaar_resource_invalid: rejected(
    'the payment names no resource, or its URL is not absolute, not http or https, or over 2,048 characters',
    'let the stock server make the URL; behind a proxy, let it know its public host',
  ),
  bazaar_resource_unsafe: rejected(
    'the URL has a private address, a user name or invisible characters; or its name leads to a private address',
    'serve the resource under a public name',
  ),
  bazaar_owner_conflict: rejected(
    'the resource is listed for another payee',
    'of an HTTP resource: let its own 402 response name only you, and the listing moves; of an MCP tool: the first payee keeps it',
  ),
  bazaar_self_payment: rejected(
    'the payer paid itself, or payer or payee is an account of the facilitator',
    'let a buyer pay',
  ),
  bazaar_settlement_reused: rejected(
    'the transaction of the payment was recorded for another resource',
    'let a buyer pay for this one',
  ),
  bazaar_unsupported_version: rejected(
    'the declaration is of another version of x402',
    'use packages of x402 version 2',
  ),
  bazaar_rate_limited: rejected(
    'the listing would exceed a quota of new listings in an hour',
    'wait; the next paid call after it lists the resource',
  ),
  bazaar_catalog_unavailable: rejected(
    'the catalog was too busy to check the declaration, or has failed',
    'nothing; the next paid call lists the resource',
  ),
}
