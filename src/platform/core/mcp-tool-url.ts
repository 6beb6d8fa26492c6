/**
 * One tool of an MCP server in one word: `mcp+https://host/path#tool` of a server over Streamable HTTP, `mcp+http:` for one on this machine,
 * and `mcp+stdio://name#tool` of a program that the configuration names.
 */
export type McpTool =
  | { readonly kind: 'http'; readonly server: URL; readonly tool: string }
  | { readonly kind: 'stdio'; readonly name: string; readonly tool: string }

const PREFIX = 'mcp+'

/** @param server http or https URL without a fragment */
export const mcpToolUrl = (server: string, tool: string): string =>
  `${PREFIX}${server}#${encodeURIComponent(tool.toWellFormed())}`

export const isMcpToolUrl = (url: string): boolean => url.startsWith(PREFIX)

/** Undefined for anything but such a URL: without a tool, with a user name, over plain http to another machine. */
export function readMcpToolUrl(text: string): McpTool | undefined {
  const url = isMcpToolUrl(text) ? URL.parse(text.slice(PREFIX.length)) : null
  const tool = decoded(url?.hash.slice(1) ?? '')
  if (!url || !tool || url.username !== '' || url.password !== '') return undefined
  if (url.protocol === 'stdio:') {
    const name = url.host
    return /^[\w.-]+$/.test(name) && url.pathname === '' ? { kind: 'stdio', name, tool } : undefined
  }
  url.hash = ''
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  return isSafe ? { kind: 'http', server: url, tool } : undefined
}

/**
 * The spelling that all equal URLs to pay have: host in lower case, no default port, `/` for an empty path, no fragment but that of a tool.
 * Octets that are escaped without need (`%7E`), and the order of a query, stay as they are.
 */
export function canonicalUrl(url: string): string {
  const called = readMcpToolUrl(url)
  if (!called) {
    const read = new URL(url)
    read.hash = ''
    return read.href
  }
  if (called.kind === 'http') return mcpToolUrl(called.server.href, called.tool)
  return mcpToolUrl(`stdio://${called.name}`, called.tool)
}

/** Where a URL to pay leads, without its path: `https://host`, `mcp+https://host`, `mcp+stdio://name`. */
export function originOf(url: string): string {
  const called = readMcpToolUrl(url)
  if (!called) return new URL(url).origin
  return PREFIX + (called.kind === 'stdio' ? `stdio://${called.name}` : called.server.origin)
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
