import { pubnet, testnet, who } from './small-ledger.ts'
import { type ExplorerWorld, fillPayments, openWorld, registerSeller } from './world.ts'

/** The payments of the small ledger, a seller that was paid and one that was not. */
export const openInterfaceWorld = (): Promise<ExplorerWorld> =>
  openWorld(async (store) => {
    await fillPayments(store, { 'stellar:testnet': testnet, 'stellar:pubnet': pubnet })
    await registerSeller(store, 'stellar:testnet', { address: who.shop, name: 'Shop' })
    await registerSeller(store, 'stellar:testnet', { address: who.listed, name: 'Listed' })
  })
