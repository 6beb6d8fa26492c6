import fc from 'fast-check'

/* Bodies that begin as a good payment and end as something else. */

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Values that parsers, databases and signatures have stumbled over. */
const awkward: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(
  null,
  true,
  -1,
  0.1,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  '',
  '\0',
  '\ud800',
  '\u202e',
  '-1',
  '0x10',
  '9'.repeat(60),
  'x'.repeat(70_000),
  'G'.repeat(56),
  'stellar:pubnet',
  'https://127.0.0.1/\0',
  [],
  {},
  ['toString'],
  { constructor: { prototype: null } },
  { length: -1 },
  nested(200),
)

function nested(depth: number): Json {
  let value: Json = 1
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}

const anyJson = fc.oneof(awkward, fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>)

/** One change somewhere in the tree: another value, one member less, or one more. */
const change = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'remove', 'add'),
  name: fc.string({ maxLength: 12 }),
  value: anyJson,
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** The good body with one to three members changed. */
export const changedMembers = (good: object): fc.Arbitrary<string> =>
  fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => JSON.stringify(changes.reduce(changed, JSON.parse(JSON.stringify(good)))))

function changed(body: Json, { at, how, name, value }: Change): Json {
  const places = placesIn(body)
  const place = places[at % Math.max(1, places.length)]
  if (!place) return value
  if (how === 'replace') place.owner[place.name] = value
  else if (how === 'remove') delete place.owner[place.name]
  else place.owner[name] = value
  return body
}

interface Place {
  readonly owner: { [name: string]: Json }
  readonly name: string
}

function placesIn(value: Json): Place[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, member]) => [
    { owner: value, name },
    ...placesIn(member),
  ])
}

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  how: fc.constantFrom('flip', 'cut', 'insert', 'truncate'),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
})

/** Bytes with one to four edits. */
export const editedBytes = (good: Buffer): fc.Arbitrary<Buffer> =>
  fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) =>
    edits.reduce((bytes, { at, how, bytes: extra }) => {
      const place = Math.floor(at * bytes.length)
      const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place)]
      if (how === 'truncate') return head
      if (how === 'cut') return Buffer.concat([head, tail.subarray(extra.length)])
      if (how === 'insert') return Buffer.concat([head, extra, tail])
      return Buffer.concat([head, extra, tail.subarray(extra.length)])
    }, good),
  )

/** The good body's own text with bytes changed: mostly no JSON any more, and often no UTF-8. */
export const editedText = (good: object): fc.Arbitrary<Buffer> =>
  editedBytes(Buffer.from(JSON.stringify(good)))

/** The good body with bytes of its transaction's XDR changed. */
export const editedTransaction = (good: object, transaction: string): fc.Arbitrary<string> =>
  editedBytes(Buffer.from(transaction, 'base64')).map((bytes) =>
    JSON.stringify(good).replace(transaction, bytes.toString('base64')),
  )
