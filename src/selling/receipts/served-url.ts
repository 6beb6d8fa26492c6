/** What was sold, as a stock server passes it on to its extensions. */
export interface ToolTransport {
  readonly tool: { readonly url: string }
  /** The extension of `@x402/extensions` reads the URL here. */
  readonly request: { readonly adapter: { readonly getUrl: () => string } }
}

/** @param url of the tool's price, as the seller wrote it */
export const toolTransport = (url: string): ToolTransport => ({
  tool: { url },
  request: { adapter: { getUrl: () => url } },
})

/**
 * The URL for which the seller signs: of a tool as it is, of a resource over HTTP with this origin. Undefined when the server does not
 * say what was asked for. Throws TypeError for a resource over HTTP without an origin.
 */
export function servedUrl(site: string | undefined, transport: unknown): string | undefined {
  const { tool, request } = Object(transport) as Partial<ToolTransport>
  if (tool !== undefined) return tool.url
  const url = request?.adapter?.getUrl?.()
  if (url === undefined) return undefined
  if (site === undefined) throw new TypeError('receipts of resources over HTTP need an origin')
  const parsed = URL.parse(url, site)
  return parsed === null ? undefined : `${site}${parsed.pathname}${parsed.search}`
}
