import { describe, expect, test } from 'vitest'
import { choosePlace } from '../../../../../src/explorer/registry/announcement/choose-place.ts'
import type { TakenPlace } from '../../../../../src/explorer/store/registry/facilitators-add.ts'

const place = (id: string, changes: Partial<TakenPlace> = {}): TakenPlace => ({
  id,
  host: id,
  verified: true,
  isUnseen: false,
  ...changes,
})

/** Places of hosts, youngest first. */
const places = (count: number, hostOf: (number: number) => string): TakenPlace[] =>
  Array.from({ length: count }, (_, number) =>
    place(`${hostOf(number)}/${number}`, { host: hostOf(number) }),
  )

const others = (count: number) => places(count, (number) => `host${number}.com`)
const tunnels = (count: number) => places(count, (number) => `t${number}.trycloudflare.com`)

describe('while there are places', () => {
  test.each([
    { what: 'a host of a domain with four', taken: places(4, (n) => `h${n}.example.co.uk`) },
    { what: 'a customer of a provider with many', taken: places(900, (n) => `c${n}.github.io`) },
  ])('$what gets one', ({ taken }) => {
    const host = taken[0]?.host.endsWith('github.io') ? 'new.github.io' : 'new.example.co.uk'
    expect(choosePlace(taken, host)).toBe('free')
  })

  test.each([
    ['hosts of one domain', 'new.example.co.uk', places(5, (n) => `h${n}.example.co.uk`)],
    ['pages of one customer', 'a.github.io', places(5, () => 'a.github.io')],
    ['hosts of one customer', 'new.me.workers.dev', places(5, (n) => `w${n}.me.workers.dev`)],
    ['one address', '203.0.113.7', places(5, () => '203.0.113.7')],
    ['addresses of one network', '2001:db8:1:2::9', places(5, (n) => `2001:db8:1:2::${n}`)],
  ])('five %s are as many as may be', (_, host, taken) => {
    expect(choosePlace(taken, host)).toBe('full')
  })

  test('one of five that was not seen for a day gives its place up', () => {
    const hosts = [...'abcd'].map((name) => place(`${name}.pays.com`))
    const dead = place('dead.pays.com', { isUnseen: true })
    expect(choosePlace([dead, ...hosts], 'new.pays.com')).toEqual({ replaces: dead.id })
    expect(
      choosePlace([place('other.com', { isUnseen: true }), dead, ...hosts], 'new.pays.com'),
    ).toEqual({ replaces: dead.id })
  })
})

describe('when all places are taken', () => {
  test('the one longest unseen goes first, whosever it is', () => {
    const unseen = [place('b.com', { isUnseen: true }), place('a.com', { isUnseen: true })]
    expect(choosePlace([...unseen, ...tunnels(998)], 'new.com')).toEqual({ replaces: 'b.com' })
  })

  test('nobody who is the only one of a domain loses its place', () => {
    expect(choosePlace(others(1_000), 'new.com')).toBe('full')
  })

  test('subdomains that cost nothing keep nobody with a domain out, though each is an owner of its own', () => {
    const taken = [...others(10), ...tunnels(990)]
    expect(choosePlace(taken, 'new.com')).toEqual({ replaces: 't0.trycloudflare.com/0' })
  })

  test('nor do many addresses of many networks', () => {
    const taken = [...others(10), ...places(990, (n) => `2001:db8:${n.toString(16)}::1`)]
    expect(choosePlace(taken, 'new.com')).toEqual({ replaces: '2001:db8:0::1/0' })
  })

  test('they win no place from another domain, and none from each other', () => {
    const taken = [...others(10), ...tunnels(990)]
    expect(choosePlace(taken, 'new.trycloudflare.com')).toBe('full')
  })

  test('a customer of a provider gets the place of one who has several there', () => {
    const several = places(5, () => 'greedy.github.io')
    const taken = [...places(495, (n) => `c${n}.github.io`), ...several, ...others(500)]
    expect(choosePlace(taken, 'new.github.io')).toEqual({ replaces: several[0]?.id })
    expect(choosePlace(taken, 'new.com')).toEqual({ replaces: several[0]?.id })
  })

  test('of equal ones those lose first that prove nothing, then the younger', () => {
    const unproven = place('old.trycloudflare.com', { verified: false })
    const taken = [...tunnels(998), unproven, place('a.com')]
    expect(choosePlace(taken, 'new.com')).toEqual({ replaces: unproven.id })
  })

  test('two do not take a place from each other in turn', () => {
    const taken = [place('a.one.com'), ...places(999, (n) => `host${n}.com`)]
    expect(choosePlace([place('b.one.com'), ...taken.slice(0, 999)], 'new.com')).toEqual({
      replaces: 'b.one.com',
    })
    expect(choosePlace([place('new.com'), ...taken.slice(0, 999)], 'b.one.com')).toBe('full')
  })
})
