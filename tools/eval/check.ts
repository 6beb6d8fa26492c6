// Checks the evaluation set of the catalog's search: formats, counts, constraints and wording. Run: node tools/eval/check.ts
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Option {
  network: string
  scheme: string
  symbol: string
  decimals: number
  amount: string
}
interface Listing {
  id: string
  type: string
  name: string
  host: string
  path: string
  tags: string[]
  description: string
  schema: string
  options: Option[]
}
interface Exclusion {
  network?: string
  type?: string
  asset?: string
  scheme?: string
}
interface Where extends Exclusion {
  networks?: string[]
  maxPrice?: { value: number; unit: string }
  not?: Exclusion
}
interface Query {
  id: string
  class: string
  split: string
  query: string
  relevant: Record<string, number>
  where?: Where
  why?: string
}

const NETWORKS = ['stellar:testnet', 'stellar:pubnet']
const CLASS_MINIMUM: Record<string, number> = {
  keyword: 30,
  paraphrase: 30,
  typo: 30,
  constraint: 30,
  mcp: 30,
  unanswerable: 30,
}
const LISTING_KEYS = 'id type name host path tags description schema options'
const QUERY_KEYS = new Set(['id', 'class', 'split', 'query', 'relevant', 'where', 'why'])
const WHERE_KEYS = new Set(['network', 'networks', 'type', 'asset', 'scheme', 'maxPrice', 'not'])
const DOLLAR_SYMBOLS = new Set(['USDC', 'USDP'])
const WORDING_CLASSES = new Set(['paraphrase', 'mcp', 'constraint'])

// Function words of the languages used, and words that state a constraint or name the kind of thing wanted.
const STOP = new Set(
  `a about above after again all also am an and any anybody anyone anything are as at away be because been before being below between both but by
  can cannot could did do does doing don down during each either else even ever every few find for from further get give gives gone got had has have
  having he help her here him his how i if in into is it its itself just know less let lets like long made make makes many may me might more most much my
  myself need needs never no none nor not now of off on once one ones only or other our out over own per please put same she should show so some
  somebody someone something somewhere such take tell than that the their them then there these they this those through to too under until up us use
  used using very want wants was way we well were what when where whether which while who whom whose why will with within without would you your
  im ive id dont isnt whats thats hey hello thanks maybe really actually right kind sort thing things lot back still whole
  der die das ein eine einen einem einer und oder ich du er sie es wir ihr mir mich dir dich ist sind war bin hat habe haben wird werden kann kannst
  soll muss mein meine meinen meinem meiner dein nicht kein keine ob wie was wo wer wann warum welche welcher welches fur mit von zu zum zur im am an
  auf aus bei nach vor uber unter um den dem des als auch noch nur schon sehr mal bitte man jemand etwas wenn dass
  le la les un une des du de et ou je tu il elle nous vous ils est sont suis ai as a ont mon ma mes ton ta tes ce cette ces que qui quoi quel quelle
  comment pour dans sur avec sans par au aux ne pas plus moi veux peut faire
  el los las una unos unas y o yo mi mis tu su se es son soy ha he que quien cual como para en con sin por al del no mas quiero puedo puede
  mcp tool tools http api endpoint service testnet pubnet mainnet network networks stellar usdc eurc xlm lumens cent cents dollar dollars usd euro euros
  eur pay paid payable cost costs costing price priced cheap cheaper call request charge charges below max maximum most least base units exact upto
  test live accept accepts accepting agent agents outil outils herramienta werkzeug`
    .split(/\s+/)
    .filter(Boolean),
)
const SUFFIXES =
  'ations ation ingly ments ment ness ings ing edly ers ies ied ier est ion ions ed er es en ly s e y'.split(
    ' ',
  )

const problems: string[] = []
const complain = (where: string, what: string): void => void problems.push(`${where}: ${what}`)

const fold = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')

function stem(word: string): string {
  for (const suffix of SUFFIXES) {
    if (word.length - suffix.length >= 3 && word.endsWith(suffix)) {
      const root = word.slice(0, -suffix.length)
      return root.length > 3 && root.at(-1) === root.at(-2) ? root.slice(0, -1) : root
    }
  }
  return word
}

function stems(text: string): Set<string> {
  const split = fold(text)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .replace(/['’]/g, '')
  const words = split.match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(
    words.filter((word) => word.length > 1 && !/^\d+$/.test(word) && !STOP.has(word)).map(stem),
  )
}

function readLines<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line) as T]
    } catch {
      complain(file, `line ${index + 1} is not JSON`)
      return []
    }
  })
}

function checkListing(listing: Listing): void {
  const where = `listing ${listing.id}`
  if (Object.keys(listing).join(' ') !== LISTING_KEYS) complain(where, 'wrong members')
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(listing.id)) complain(where, 'id is not a slug')
  if (!/^[\x20-\x7e]{1,32}$/.test(listing.name))
    complain(where, `name "${listing.name}" is not 1 to 32 ASCII characters`)
  if (listing.type !== 'http' && listing.type !== 'mcp') complain(where, 'unknown type')
  if (listing.type === 'mcp' && !/^[a-z0-9_]+$/.test(listing.name))
    complain(where, 'tool name is not in snake case')
  if (!/^[a-z0-9.-]+\.[a-z]+$/.test(listing.host) || !listing.path.startsWith('/'))
    complain(where, 'wrong host or path')
  if (listing.tags.length > 5) complain(where, 'more than 5 tags')
  if (listing.description.length > 300) complain(where, 'description longer than 300 characters')
  if (typeof listing.schema !== 'string') complain(where, 'schema is not a text')
  if (listing.options.length < 1 || listing.options.length > 4)
    complain(where, 'not 1 to 4 options')
  for (const option of listing.options) {
    if (!NETWORKS.includes(option.network)) complain(where, 'unknown network')
    if (option.scheme !== 'exact' && option.scheme !== 'upto') complain(where, 'unknown scheme')
    if (!/^[A-Z]{1,12}$/.test(option.symbol) || !Number.isInteger(option.decimals))
      complain(where, 'wrong asset')
    const price = Number(option.amount) / 10 ** option.decimals
    if (!/^[1-9]\d*$/.test(option.amount) || price < 0.0001 || price > 5)
      complain(where, `amount ${option.amount} out of range`)
  }
}

function withinPrice(option: Option, max: { value: number; unit: string }): boolean {
  const price = Number(option.amount) / 10 ** option.decimals
  switch (max.unit) {
    case 'usd':
      return DOLLAR_SYMBOLS.has(option.symbol) && price <= max.value
    case 'cents':
      return (
        DOLLAR_SYMBOLS.has(option.symbol) && Math.round(price * 1e6) <= Math.round(max.value * 1e4)
      )
    case 'eur':
      return option.symbol === 'EURC' && price <= max.value
    case 'xlm':
      return option.symbol === 'XLM' && price <= max.value
    case 'base':
      return BigInt(option.amount) <= BigInt(max.value)
    default:
      throw new Error(`unknown unit ${max.unit}`)
  }
}

// All conditions on an option must hold for one and the same option; a listing on both networks still has an option that is "not on testnet".
function satisfies(listing: Listing, where: Where): boolean {
  const not = where.not ?? {}
  if (where.type && listing.type !== where.type) return false
  if (not.type && listing.type === not.type) return false
  const matching = listing.options.filter(
    (option) =>
      (!where.network || option.network === where.network) &&
      (!where.asset || option.symbol === where.asset) &&
      (!where.scheme || option.scheme === where.scheme) &&
      (!where.maxPrice || withinPrice(option, where.maxPrice)) &&
      (!not.network || option.network !== not.network) &&
      (!not.asset || option.symbol !== not.asset) &&
      (!not.scheme || option.scheme !== not.scheme),
  )
  return (
    matching.length > 0 &&
    (where.networks ?? []).every((network) => matching.some((option) => option.network === network))
  )
}

function checkQuery(query: Query, listings: Map<string, Listing>): void {
  const where = `query ${query.id}`
  for (const key of Object.keys(query))
    if (!QUERY_KEYS.has(key)) complain(where, `unknown member ${key}`)
  if (!/^[a-z]+-\d{2,3}$/.test(query.id)) complain(where, 'wrong id')
  if (!(query.class in CLASS_MINIMUM)) complain(where, 'unknown class')
  if (query.split !== 'tune' && query.split !== 'held') complain(where, 'unknown split')
  if (query.query.trim() === '') complain(where, 'empty query')
  for (const key of Object.keys(query.where ?? {}))
    if (!WHERE_KEYS.has(key)) complain(where, `unknown condition ${key}`)
  const judged = Object.entries(query.relevant)
  if (query.class === 'unanswerable') {
    if (judged.length > 0) complain(where, 'unanswerable, but has judged listings')
    if ((query.why === 'constraint') !== (query.where !== undefined))
      complain(where, 'a constraint gap needs both "why" and "where"')
  } else if (!judged.some(([, grade]) => grade >= 2)) complain(where, 'no listing of grade 2 or 3')
  if (query.class === 'constraint' && !query.where) complain(where, 'constraint without "where"')
  const wanted = stems(query.query)
  for (const [id, grade] of judged) {
    const listing = listings.get(id)
    if (!listing) {
      complain(where, `unknown listing ${id}`)
      continue
    }
    if (![1, 2, 3].includes(grade)) complain(where, `grade ${grade} of ${id}`)
    if (query.where && !satisfies(listing, query.where))
      complain(where, `${id} does not satisfy the constraint`)
    if (grade === 3 && WORDING_CLASSES.has(query.class)) {
      const held = stems(
        [listing.name, listing.tags.join(' '), listing.description, listing.path].join(' '),
      )
      const shared = [...wanted].filter((word) => held.has(word))
      if (shared.length > 1) complain(where, `shares ${shared.join(', ')} with ${id}`)
    }
  }
}

function checkUnique(kind: string, ids: string[]): void {
  const seen = new Set<string>()
  for (const id of ids) {
    if (seen.has(id)) complain(`${kind} ${id}`, 'twice')
    seen.add(id)
  }
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const share = (part: number, all: number): string => `${((100 * part) / all).toFixed(1)} %`

function run(): void {
  const folder = join(import.meta.dirname, 'listings')
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'))
  const listings: Listing[] = []
  for (const file of files) {
    const lines = readLines<Listing>(join(folder, file))
    if (lines.length > 400) complain(file, 'more than 400 lines')
    listings.push(...lines)
  }
  for (const listing of listings) checkListing(listing)
  checkUnique(
    'listing',
    listings.map((listing) => listing.id),
  )
  if (files.length < 60) complain('listings', 'fewer than 60 subject areas')
  if (listings.length < 1000) complain('listings', 'fewer than 1000')
  const onBoth = listings.filter(
    (listing) => new Set(listing.options.map((option) => option.network)).size === 2,
  ).length
  const onPubnet = listings.filter((listing) =>
    listing.options.every((option) => option.network === 'stellar:pubnet'),
  ).length
  const tools = listings.filter((listing) => listing.type === 'mcp').length
  say(
    `${listings.length} listings in ${files.length} subject areas; MCP ${share(tools, listings.length)}`,
  )
  say(
    `pubnet only ${share(onPubnet, listings.length)}; both networks ${share(onBoth, listings.length)}`,
  )

  const queries = readLines<Query>(join(import.meta.dirname, 'queries.jsonl'))
  const byId = new Map(listings.map((listing) => [listing.id, listing]))
  for (const query of queries) checkQuery(query, byId)
  checkUnique(
    'query',
    queries.map((query) => query.id),
  )
  checkUnique(
    'query text',
    queries.map((query) => query.query.toLowerCase()),
  )
  if (queries.length < 240) complain('queries', 'fewer than 240')
  for (const [name, minimum] of Object.entries(CLASS_MINIMUM)) {
    const members = queries.filter((query) => query.class === name)
    const held = members.filter((query) => query.split === 'held').length
    const grades = members.flatMap((query) => Object.values(query.relevant))
    const perQuery = (grades.length / Math.max(1, members.length)).toFixed(1)
    say(
      `${name}: ${members.length} queries, ${members.length - held} tune, ${held} held; ${perQuery} judged listings a query`,
    )
    if (members.length < minimum) complain(name, `fewer than ${minimum} queries`)
    if (Math.abs(members.length - 2 * held) > 1) complain(name, 'not half of the queries held')
  }
  const gaps = queries.filter((query) => query.why === 'constraint').length
  say(`${queries.length} queries, ${gaps} of them unanswerable by constraint`)
  for (const problem of problems) say(problem)
  say(`${problems.length} violations`)
  process.exitCode = problems.length > 0 ? 1 : 0
}

run()
