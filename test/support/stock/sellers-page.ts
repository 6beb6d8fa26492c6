import { type Change, StockPage } from './stock-page.ts'

/** docs/sellers.md. */
const sellers = new StockPage('sellers.md')

export const { text: page, blocks, files } = sellers
export const commandsUnder = (words: string): readonly string[] => sellers.commandsUnder(words)
export const change = (words: string): Change => sellers.change(words)
export const file = (name: string, ...wanted: readonly Change[]): string =>
  sellers.file(name, ...wanted)
