/**
 * Where things are in the world of the tests on a real node. The addresses may be fixed: each run has network namespaces of its
 * own. They are from the range that the API server leaves to those who choose an address for a Service.
 */
export const places = {
  /** Ledger and database: what an administrator has outside the cluster, or runs beside it. */
  infra: 'infra',
  operator: 'x402-system',
  shop: 'shop',
  sellers: 'sellers',
  buyers: 'buyers',
} as const

/** Names of objects in docs/install.md. */
export const names = { facilitator: 'payments', pool: 'testnet', release: 'stellar-x402' } as const

export const ledger = {
  name: 'localnet',
  http: 8000,
  /** The stock client insists on https. */
  https: 8443,
} as const

export const postgres = { name: 'postgres', port: 5432 } as const

/** A ledger and a Postgres, in a namespace of their own. */
export interface Infra {
  readonly namespace: string
  /** Of the Services. */
  readonly ledgerAddress: string
  readonly postgresAddress: string
}

/** That of the first shop, and of each shop that has none of its own. */
export const sharedInfra: Infra = {
  namespace: places.infra,
  ledgerAddress: '10.96.0.80',
  postgresAddress: '10.96.0.54',
}

/** Stellar RPC, for the test process. */
export const rpcUrlOf = ({ ledgerAddress }: Infra): string =>
  `http://${ledgerAddress}:${ledger.http}`

export interface Database {
  readonly user: string
  readonly password: string
  readonly database: string
}

/** That of docs/install.md. */
export const database: Database = { user: 'user', password: 'password', database: 'x402' }

/** It has the password of the owner of the first database. */
export const postgresSuperuser: Database = { ...database, user: 'postgres', database: 'postgres' }

/** For the test process. */
export const databaseUrlOf = (
  { postgresAddress }: Infra,
  { user, password, database: name }: Database,
): string => `postgres://${user}:${password}@${postgresAddress}:${postgres.port}/${name}`

/** The URL for pods: they reach the database by its name, as the policies of a cluster may demand. */
export function inCluster(databaseUrl: string, { namespace }: Infra): string {
  const url = new URL(databaseUrl)
  url.hostname = `${postgres.name}.${namespace}`
  return url.href
}

/**
 * The seller's public address: an external address of its Service, since the catalog lists no seller with a private one.
 * Nothing in the namespaces leads to the internet, so the address needs only to be none that the catalog refuses.
 */
export const seller = { name: 'jokes', address: '11.0.0.10', port: 80 } as const

/** Images that are on the nodes beside the project's own, under names that no registry has. */
export const images = {
  postgres: 'registry.example/e2e-postgres:1',
  tools: 'registry.example/e2e-tools:1',
} as const
