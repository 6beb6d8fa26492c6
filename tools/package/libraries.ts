/**
 * Packages whose code the tarball brings along, without what nothing uses: programs that import an entry point would
 * install them whole for commands that they never run. Of 300 MB, 12 are used. docs/package.md weighs that.
 */
export const bundledPackages = [
  '@kubernetes/client-node',
  '@modelcontextprotocol/server',
  '@opentelemetry/api',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@x402/core',
  '@x402/express',
  '@x402/extensions',
  '@x402/stellar',
  'express',
  'js-yaml',
  'preact',
  'preact-render-to-string',
  'selfsigned',
  'smol-toml',
  'snowball-stemmers',
] as const

export type BundledPackage = (typeof bundledPackages)[number]
