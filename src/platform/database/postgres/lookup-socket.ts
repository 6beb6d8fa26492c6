import { type LookupFunction, Socket } from 'node:net'

/** A socket for `pg`, which connects by port and host alone and has no option for the look-up of the host. */
export function socketWithLookup(lookup: LookupFunction): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  const connectTo = (port: number, host: string) => connect({ port, host, lookup })
  socket.connect = connectTo as typeof socket.connect
  return socket
}
