/**
 * Something that the service depends on cannot answer at present: the caller may try again. A request that ends with
 * one is answered with the fault `service_unavailable`.
 */
export abstract class Outage extends Error {
  /** One clause for callers; names no host, user or database. */
  abstract readonly publicReason: string
}
