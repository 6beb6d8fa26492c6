import { type Address, PortUnavailable } from '../../platform/http/server/listen.ts'

interface Listener {
  listen(at: { readonly host: string; readonly port: number }): Promise<Address>
}

/** The variables that an address comes from. */
interface Setting {
  readonly host: string
  readonly port: number
  /** The variable that sets the port. */
  readonly variable: string
}

/** Opens the port of a setting. Throws `PortUnavailable` with the name of the variable, and what to do. */
export async function listenOn(
  server: Listener,
  { host, port, variable }: Setting,
): Promise<Address> {
  try {
    return await server.listen({ host, port })
  } catch (error) {
    if (!(error instanceof PortUnavailable)) throw error
    throw new PortUnavailable(`${variable}: ${error.message}. ${todoOf(error, variable)}`, {
      cause: error,
    })
  }
}

/** By the code of the system's error. */
function todoOf({ cause }: PortUnavailable, variable: string): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : ''
  if (code === 'EACCES') return `Set ${variable} to a port above 1023.`
  if (code === 'EADDRNOTAVAIL') return 'Set HOST to an address of this machine, such as 127.0.0.1.'
  return `Stop that program, or set ${variable} to another port; 0 takes any free one.`
}
