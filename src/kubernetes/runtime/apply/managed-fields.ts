import { firstMatch } from '../../../platform/core/language/first-match.ts'
import type { KubeObject, ManagedFieldsEntry } from '../objects/resource.ts'
import { findDrift } from './drift.ts'
import { isEmpty, isMembers, isSameElement, type Members } from './merge-keys.ts'

/** A part of an object in which no other manager may add anything. */
export interface OwnedPart {
  /** Such as `['spec', 'template']`. */
  readonly path: readonly string[]
  /** Fields in it that others may add, by their paths from the root of the object. */
  readonly except?: readonly (readonly string[])[]
}

/** The parts of an object that one manager owns alone. */
export interface Ownership {
  readonly manager: string
  readonly parts: readonly OwnedPart[]
}

const MEMBER = 'f:'
const ELEMENT = 'k:'
const VALUE = 'v:'

/** The fields of all managers except what `manager` applied. Its updates count as those of others. */
const othersFields = (
  entries: readonly ManagedFieldsEntry[],
  manager: string,
): readonly ManagedFieldsEntry[] =>
  entries.filter((entry) => entry.manager !== manager || entry.operation !== 'Apply')

const below = (fields: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (node, name) => (isMembers(node) ? node[`${MEMBER}${name}`] : undefined),
    fields,
  )

/**
 * Selects the entries of `metadata.managedFields` that a cache must keep: fields of other managers inside the owned parts.
 * Usually there are none, which saves a third of the memory of an object.
 */
export const fieldsOfOthers =
  (manager: string, parts: readonly OwnedPart[]) =>
  (entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] =>
    othersFields(entries, manager).filter(({ fieldsV1 }) =>
      parts.some(({ path }) => below(fieldsV1, path) !== undefined),
    )

interface Comparison {
  readonly desired: unknown
  readonly live: KubeObject
  readonly manager: string
  readonly part: OwnedPart
}

/**
 * The path of the first field inside an owned part that another manager has added and `desired` does not have.
 * Defaults of the API server and changes by admission webhooks have no manager, so they do not count.
 */
export function findAddition({ desired, live, manager, part }: Comparison): string | undefined {
  const { path, except = [] } = part
  const entries = live.metadata.managedFields ?? []
  const exceptions = new Set(except.map((each) => each.join('\n')))
  const isException = (at: readonly string[]) => exceptions.has(at.join('\n'))
  return firstMatch(othersFields(entries, manager), ({ fieldsV1 }) =>
    added(below(fieldsV1, path), valueAt(desired, path), valueAt(live, path), path, isException),
  )?.join('.')
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((each, name) => (isMembers(each) ? each[name] : undefined), value)

function added(
  fields: unknown,
  desired: unknown,
  live: unknown,
  path: readonly string[],
  isException: (path: readonly string[]) => boolean,
): readonly string[] | undefined {
  if (!isMembers(fields) || isEmpty(live)) return undefined
  if (isException(path)) return undefined
  // Owned as a whole: the value may have more members than the desired one.
  if (Object.keys(fields).length === 0 && !isEmpty(desired)) {
    return findDrift(live, desired, path)?.split('.')
  }
  if (isEmpty(desired)) {
    // A map that others created for an excepted field is no addition, but its other members are.
    const members = Object.keys(fields).filter((name) => name.startsWith(MEMBER))
    if (members.length === 0 || !isMembers(live)) return path
  }
  return firstMatch(Object.entries(fields), ([name, inner]) => {
    const step = stepOf(name, desired, live)
    return step && added(inner, step.desired, step.live, [...path, step.name], isException)
  })
}

/** The member or element that a key of `fieldsV1` names; undefined for `.`, the map or list itself. */
function stepOf(name: string, desired: unknown, live: unknown) {
  if (name.startsWith(MEMBER)) {
    const member = name.slice(MEMBER.length)
    return { name: member, desired: valueAt(desired, [member]), live: valueAt(live, [member]) }
  }
  const isElement = name.startsWith(ELEMENT)
  if (!isElement && !name.startsWith(VALUE)) return undefined
  const key: unknown = JSON.parse(name.slice(ELEMENT.length))
  const keys = isMembers(key) ? Object.keys(key) : []
  const find = (list: unknown) =>
    Array.isArray(list) ? list.find((each) => isSameElement(each, key, keys)) : undefined
  return { name: '*', desired: find(desired), live: find(live) }
}

/** The desired value of an owned part, with the excepted fields as they are. */
export function valueToRestore(desired: unknown, live: unknown, part: OwnedPart): unknown {
  const kept = (part.except ?? []).flatMap((path) => {
    const value = valueAt(live, path)
    return value === undefined ? [] : [{ path: path.slice(part.path.length), value }]
  })
  return kept.reduce<unknown>(
    (value, field) => withValue(value, field.path, field.value),
    valueAt(desired, part.path),
  )
}

function withValue(target: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return target ?? value
  const members: Members = isMembers(target) ? target : {}
  return { ...members, [name]: withValue(members[name], rest, value) }
}
