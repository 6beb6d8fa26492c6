/** The names of the schemes, and what every service knows of them. What a scheme does is in `payments/schemes/NAME`. */

interface SchemeFacts {
  /** Whether the buyer signs a ceiling, and the settlement takes what was used. Else the buyer signs the price. */
  readonly isMetered: boolean
  /** How people write its name. */
  readonly spellings: readonly [string, ...string[]]
  /** Whether its name, without the word scheme, means the scheme and nothing else. */
  readonly isOwnWord: boolean
  /** Members of `extra` in `/supported` in which facilitators name a settlement contract. */
  readonly contractMembers: readonly string[]
}

const schemes = {
  exact: { isMetered: false, spellings: ['exact'], isOwnWord: false, contractMembers: [] },
  upto: {
    isMetered: true,
    spellings: ['upto', 'up-to'],
    isOwnWord: true,
    contractMembers: ['uptoContract', 'settlementContract'],
  },
} as const satisfies Readonly<Record<string, SchemeFacts>>

export type SchemeName = keyof typeof schemes

export const schemeNames = Object.keys(schemes) as readonly SchemeName[]

export const isSchemeName = (name: unknown): name is SchemeName =>
  schemeNames.some((each) => each === name)

export const factsOfScheme = (name: SchemeName): SchemeFacts => schemes[name]

/** False for the name of no scheme. */
export const isMetered = (name: string): boolean => isSchemeName(name) && schemes[name].isMetered

/** A member for each scheme. */
export const ofEachScheme = <T>(read: (name: SchemeName) => T): Readonly<Record<SchemeName, T>> =>
  Object.fromEntries(schemeNames.map((name) => [name, read(name)])) as Record<SchemeName, T>
