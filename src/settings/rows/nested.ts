/*
 * Objects from members whose names are paths with dots: `payers.pauseSeconds`.
 */

type HeadOf<Path> = Path extends `${infer Head}.${string}` ? Head : Path

/** The object that these members make. */
export type Nested<Flat> = {
  readonly [Head in HeadOf<keyof Flat> & string]: Head extends keyof Flat
    ? Flat[Head]
    : Nested<{
        readonly [Path in keyof Flat as Path extends `${Head}.${infer Rest}`
          ? Rest
          : never]: Flat[Path]
      }>
}

export type Leaf = readonly [path: string, value: unknown]

/** The object with these values at these paths. */
export function nested(leaves: readonly Leaf[]): Record<string, unknown> {
  const heads = new Set(leaves.map(([path]) => headOf(path)))
  return Object.fromEntries([...heads].map((head) => [head, valueAt(head, leaves)]))
}

function valueAt(head: string, leaves: readonly Leaf[]): unknown {
  const own = leaves.find(([path]) => path === head)
  if (own !== undefined) return own[1]
  return nested(
    leaves.flatMap(([path, value]): Leaf[] =>
      path.startsWith(`${head}.`) ? [[path.slice(head.length + 1), value]] : [],
    ),
  )
}

const headOf = (path: string): string => path.split('.', 1)[0] ?? path
