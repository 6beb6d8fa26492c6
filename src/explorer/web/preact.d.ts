/**
 * The part of preact that pages use. `tsconfig.json` puts it in the place of preact's own types, which would declare the
 * globals of browsers in all of this project, and which allow HTML that is not escaped (`dangerouslySetInnerHTML`).
 */
export interface VNode<_Properties = unknown> {
  readonly type: unknown
  readonly props: unknown
}

export type ComponentChildren =
  | VNode
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly ComponentChildren[]

/** Every value is escaped; one that is undefined or false leaves the attribute out. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export const Fragment: unique symbol

export function h(
  tag: string | typeof Fragment,
  attributes: Attributes | null,
  ...children: ComponentChildren[]
): VNode
