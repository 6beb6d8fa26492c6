import { isMcpToolUrl } from '../../platform/core/mcp-tool-url.ts'

/** A sentence on what the seller did; a tool of an MCP server has no HTTP status. */
const ofTools: Readonly<Record<number, string>> = {
  200: 'answered',
  402: 'asked for a payment',
  500: 'answered with an error',
}

/** Continues a sentence that starts with the URL: the status of the answer, or what a tool did. */
export const answeredWith = (url: string, status: number): string =>
  (isMcpToolUrl(url) ? ofTools[status] : undefined) ?? `answered ${status}`
