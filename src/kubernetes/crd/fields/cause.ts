interface Told {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** In the order in which the operator gives a sentence to one of several that have it, with what each says that is bad. */
const keepers: readonly (readonly [type: string, isBad: (status: string) => boolean])[] = [
  ['Funded', (status) => status === 'False'],
  ['Ready', (status) => status !== 'True'],
  ['Degraded', (status) => status === 'True'],
]

/** The types of `keepers`. */
export const keeperTypes: readonly string[] = keepers.map(([type]) => type)

/** A condition says this instead of a sentence that another one has. */
export const referenceTo = (keeper: string, { what, which }: Reference): string =>
  `${what}: condition ${keeper} says ${which}.`

export interface Reference {
  readonly what: string
  readonly which: string
}

const isReference = ({ message }: Told): boolean =>
  keeperTypes.some((type) => message.includes(`: condition ${type} says `))

/**
 * The condition with the sentence about a reason that several have: each sentence stands in one condition of an object, and the others
 * name that one. Undefined where no condition has the reason.
 */
export function causeOf<T extends Told>(
  conditions: readonly T[] | undefined,
  reason: string,
): T | undefined {
  const about = conditions?.filter((each) => each.reason === reason) ?? []
  const own = about.filter((each) => !isReference(each))
  const bad = keepers.flatMap(([type, isBad]) =>
    own.filter((each) => each.type === type && isBad(each.status)),
  )
  return bad[0] ?? own[0] ?? about[0]
}
