/** Values of a contract's types, as the ledger has them. */
import { xdr } from '@stellar/stellar-sdk'

/** A structure: a map from the names of its members, in their order. */
export const structValue = (members: Readonly<Record<string, xdr.ScVal>>): xdr.ScVal =>
  xdr.ScVal.scvMap(
    Object.keys(members)
      .sort()
      .flatMap((name) => {
        const val = members[name]
        return val ? [new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val })] : []
      }),
  )

/** A variant of a union: its name, and what it holds. */
export const variantValue = (name: string, ...held: xdr.ScVal[]): xdr.ScVal =>
  xdr.ScVal.scvVec([xdr.ScVal.scvSymbol(name), ...held])

/** A member of a structure; undefined without one of the name. */
export function memberOf(struct: xdr.ScVal, name: string): xdr.ScVal | undefined {
  if (struct.type !== 'scvMap') return undefined
  const entry = struct.map?.find(
    ({ key }) => key.type === 'scvSymbol' && key.sym.toString() === name,
  )
  return entry?.val
}

/** The items of a list; none for anything else. */
export const itemsOf = (list: xdr.ScVal | undefined): readonly xdr.ScVal[] =>
  list?.type === 'scvVec' ? (list.vec ?? []) : []

/** Whether two values are the same, byte for byte. */
export const isSame = (one: xdr.ScVal, other: xdr.ScVal): boolean =>
  one.toXdr('base64') === other.toXdr('base64')
