/**
 * The modules that other programs import, and the file of each: `stellar-x402/kube` is `./kube`. `exports` of package.json names
 * the same in the clone, where Node runs the sources.
 */
export const entries = {
  './accounts': 'src/package/accounts.ts',
  './bazaar': 'src/package/bazaar.ts',
  './client': 'src/package/client.ts',
  './delivery': 'src/package/delivery.ts',
  './facilitator': 'src/package/facilitator.ts',
  './kube': 'src/package/kube.ts',
  './localnet': 'src/package/localnet.ts',
  './mcp/server': 'src/package/mcp-server.ts',
  './receipts': 'src/package/receipts.ts',
  './upto': 'src/package/upto.ts',
  './upto/client': 'src/package/upto-client.ts',
  './upto/server': 'src/package/upto-server.ts',
} as const satisfies Readonly<Record<`./${string}`, `src/${string}.ts`>>

/** The folder of the compiled code in the package: as deep as src, because files there find others by relative URL. */
export const COMPILED = 'lib'

/** The path in the package of the file compiled from a source file. */
export const compiledPath = (source: string, extension: '.js' | '.d.ts'): string =>
  source.replace(/^src\//, `${COMPILED}/`).replace(/\.ts$/, extension)
