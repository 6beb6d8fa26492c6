/** One way to pay for a resource, as search filters it. */
export type SearchOption = Readonly<{
  network: string
  scheme: string
  payTo: string
  /** The `G...` account of a muxed `payTo`. */
  baseAccount?: string
  /** Contract of the asset. */
  asset: string
  /** Null until it was read from the ledger. */
  symbol: string | null
  decimals: number | null
  /** Base units of the asset. */
  amount: bigint
}>

/** What search knows of one resource: an item of the catalog, which may be listed on several networks. */
export type SearchDocument = Readonly<{
  /** The listing that stands for the item. */
  id: string
  /** `http`, `mcp` or another type. */
  type: string
  /** Service or tool name. */
  name: string
  host: string
  /** Path of the URL, or its template. */
  path: string
  tags: readonly string[]
  description: string
  /** Names and descriptions of inputs and outputs. */
  schema: string
  extensions: readonly string[]
  options: readonly SearchOption[]
}>
