/** The contracts of USDC. A symbol alone proves nothing: anybody can issue a token with any symbol. */
const usdc = {
  'stellar:pubnet': 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75',
  'stellar:testnet': 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
}

const names = { 'stellar:pubnet': 'Stellar', 'stellar:testnet': 'Stellar testnet' }

export const networkName = (network) => names[network] ?? network

export const plural = (count, noun) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/** `0.01 USDC`; with the scheme `upto` the amount is a ceiling. */
export function priceOf({ scheme, network, asset, amount }, { decimals } = {}) {
  const isUsdc = usdc[network] === asset
  const unit = isUsdc ? 'USDC' : `of token ${asset.slice(0, 4)}…${asset.slice(-4)}`
  const number = decimals === undefined ? `${amount} base units` : decimal(amount, decimals)
  return `${scheme === 'upto' ? 'up to ' : ''}${number} ${unit}`
}

/** Exact: amounts are larger than the numbers of JavaScript. */
function decimal(amount, decimals) {
  const digits = amount.padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return part === '' ? whole : `${whole}.${part}`
}

export function daysAgo(time) {
  const days = Math.floor((Date.now() - Date.parse(time)) / 86_400_000)
  if (days < 1) return 'today'
  return `${plural(days, 'day')} ago`
}
