import { StockPage } from './stock-page.ts'

/** docs/buyers.md. */
export const buyers = new StockPage('buyers.md')
