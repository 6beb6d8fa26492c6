import { inflateSync } from 'node:zlib'
import { Resvg } from '@resvg/resvg-js'
import { describe, expect, test } from 'vitest'
import { cardSize } from '../../../../../../src/explorer/web/views/card/card-size.ts'
import { cardSvg } from '../../../../../../src/explorer/web/views/card/card-svg.ts'
import { CardDrawer, fonts } from '../../../../../../src/explorer/web/views/card/draw-cards.ts'
import { encodePng } from '../../../../../../src/explorer/web/views/card/encode-png.ts'
import { hostileTexts, paymentRecord } from '../../../../../support/explorer/payment-records.ts'

/** What the texts of a card cover: without the shapes behind them. */
function boxOfTexts(svg: string) {
  const texts = svg.replaceAll(/<(?:rect|circle|path)[^>]*(?:\/>|><\/\w+>)/g, '')
  const box = new Resvg(texts, { font: fonts() }).getBBox()
  if (!box) throw new Error('the card has no text')
  return box
}

const longest = { amountDecimal: `${'9'.repeat(15)}.9999999`, assetCode: 'WWWWWWWWWWWW' }

describe('a card', () => {
  test.each(hostileTexts)('keeps within its margins what others named %j', (text) => {
    const facilitator = { id: text, displayName: text }
    const ceilingDecimal = '9'.repeat(39)
    const longer = { assetCode: text, amountDecimal: ceilingDecimal, ceilingDecimal }
    for (const changes of [{}, longest, longer]) {
      const payment = paymentRecord({ ...changes, serviceName: text, facilitator })
      const box = boxOfTexts(cardSvg(payment))
      expect(box.x).toBeGreaterThanOrEqual(70)
      expect(box.x + box.width).toBeLessThanOrEqual(cardSize.width - 70)
      expect(box.y).toBeGreaterThanOrEqual(40)
      expect(box.y + box.height).toBeLessThanOrEqual(cardSize.height - 30)
    }
  })

  test('shows every digit of an amount that has room', () => {
    expect(cardSvg(paymentRecord({ amountDecimal: '1234.5678901' }))).toContain('1,234.5678901')
    expect(cardSvg(paymentRecord({ amountDecimal: '9'.repeat(39) }))).toContain('9.99 × 10³⁸')
  })

  test('shows what was allowed beside what was used of it', () => {
    expect(cardSvg(paymentRecord())).not.toContain('of at most')
    const upto = { scheme: 'upto', ceiling: '90000001', ceilingDecimal: '9.0000001' } as const
    expect(cardSvg(paymentRecord(upto))).toContain('of at most 9.0000001')
  })

  test('shows the contract of an asset that only has the code of a known one', () => {
    expect(cardSvg(paymentRecord())).not.toContain('CBIE')
    const assetContract = 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI74'
    expect(cardSvg(paymentRecord({ assetContract }))).toContain('CCW6…MI74')
  })

  test('leaves out a name that its font cannot draw', () => {
    expect(cardSvg(paymentRecord({ serviceName: 'Weather' }))).toContain('Weather')
    expect(cardSvg(paymentRecord({ serviceName: '漢字のサービス名' }))).not.toContain('漢字')
  })

  test('is drawn as a PNG of its size, once for all who ask', async () => {
    const drawer = new CardDrawer()
    const svg = cardSvg(paymentRecord())
    const [one, other] = await Promise.all([drawer.draw(svg), drawer.draw(svg)])
    expect(one).toBe(other)
    expect(one?.readUInt32BE(16)).toBe(cardSize.width)
    expect(one?.readUInt32BE(20)).toBe(cardSize.height)
  })

  test('is refused while too many wait, and drawn again afterwards', async () => {
    const drawer = new CardDrawer()
    const tiny = (id: number) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="${id + 1}" height="1"/>`
    const drawn = Array.from({ length: 30 }, (_, id) => drawer.draw(tiny(id)))
    expect(drawn.filter((each) => each === undefined).length).toBe(10)
    await Promise.all(drawn)
    expect((await drawer.draw(tiny(29)))?.readUInt32BE(16)).toBe(30)
  })

  test('that cannot be drawn is tried again', async () => {
    const drawer = new CardDrawer()
    await expect(drawer.draw('no svg')).rejects.toThrow()
    await expect(drawer.draw('no svg')).rejects.toThrow()
    const card = await drawer.draw(cardSvg(paymentRecord()))
    expect(card?.readUInt32BE(20)).toBe(cardSize.height)
  })
})

describe('encodePng', () => {
  test('writes each row of pixels behind its filter', async () => {
    const rgba = Uint8Array.from({ length: 2 * 3 * 4 }, (_, index) => index)
    const png = await encodePng({ width: 2, height: 3, rgba })
    const start = png.indexOf('IDAT') + 4
    const rows = inflateSync(png.subarray(start, start + png.readUInt32BE(start - 8)))
    expect([...rows]).toEqual([
      ...[0, 0, 1, 2, 3, 4, 5, 6, 7],
      ...[0, 8, 9, 10, 11, 12, 13, 14, 15],
      ...[0, 16, 17, 18, 19, 20, 21, 22, 23],
    ])
  })
})
