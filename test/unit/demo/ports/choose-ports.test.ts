import { describe, expect, it, onTestFinished } from 'vitest'
import { choosePorts, type WantedPorts } from '../../../../src/demo/ports/choose-ports.ts'
import { claimPort } from '../../../../src/demo/ports/claimed-port.ts'

/** A port that another program holds until the test ends. */
async function takenPort(): Promise<number> {
  const claimed = await claimPort(0)
  if (typeof claimed === 'string') throw new Error(claimed)
  onTestFinished(() => claimed[Symbol.asyncDispose]())
  return claimed.port
}

const usual = (port: number) => ({ port, flag: undefined })
const chosen = (port: number, flag: string) => ({ port, flag })

const anyPorts: WantedPorts = {
  api: usual(0),
  facilitator: usual(0),
  explorer: usual(0),
  network: usual(0),
  networkTls: usual(0),
}

describe('choosePorts', () => {
  it('claims five different ports, and says nothing about those that are free', async () => {
    await using ports = await choosePorts(anyPorts)
    const numbers = Object.values(ports.claimed).map(({ port }) => port)
    expect(new Set(numbers).size).toBe(5)
    expect(ports.replaced).toEqual([])
  })

  it('takes a free port in place of each usual one that is taken, and says so', async () => {
    const [api, network] = [await takenPort(), await takenPort()]
    await using ports = await choosePorts({
      ...anyPorts,
      api: usual(api),
      network: usual(network),
    })
    expect(ports.replaced).toEqual([
      `paid API          ${ports.claimed.api.port}, as ${api} is taken`,
      `Stellar RPC       ${ports.claimed.network.port}, as ${network} is taken`,
    ])
    expect(ports.claimed.api.port).not.toBe(api)
  })

  it('gives a chosen port to the part it was chosen for, before a usual one', async () => {
    const free = await claimPort(0)
    if (typeof free === 'string') throw new Error(free)
    await free[Symbol.asyncDispose]()
    await using ports = await choosePorts({
      ...anyPorts,
      api: usual(free.port),
      networkTls: chosen(free.port, '--network-tls-port'),
    })
    expect(ports.claimed.networkTls.port).toBe(free.port)
    expect(ports.replaced).toEqual([
      `paid API          ${ports.claimed.api.port}, as ${free.port} is taken`,
    ])
  })

  it('refuses all chosen ports that are taken at once, and holds none', async () => {
    const [api, network] = [await takenPort(), await takenPort()]
    const wanted = {
      ...anyPorts,
      api: chosen(api, '--port'),
      network: chosen(network, '--network-port'),
    }
    await expect(choosePorts(wanted)).rejects.toThrow(
      `port ${api} (--port) is taken by another program, and the paid API needs it
port ${network} (--network-port) is taken by another program, and the Stellar RPC needs it`,
    )
  })
})
