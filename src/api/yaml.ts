type Plain = string | number | boolean | null
type Value = Plain | readonly Value[] | { readonly [member: string]: Value | undefined }

/** Text that every version of YAML reads as text without quotes. */
const SAFE_TEXT = /^(?!(?:y|n|yes|no|on|off|true|false|null|nan|inf)$)[A-Za-z][A-Za-z0-9_./()-]*$/i

/**
 * A document of JSON values as YAML, members in alphabetical order, so that equal documents are equal
 * texts. Text that YAML could read as another type is quoted as in JSON.
 */
export function toYaml(document: unknown): string {
  return block(asValue(document), '')
}

/** Drops undefined members. Throws a TypeError for a value that JSON cannot express. */
function asValue(document: unknown): Value {
  const text = JSON.stringify(document)
  if (text === undefined) throw new TypeError('a document is an object, a list, text or a number')
  return JSON.parse(text)
}

function block(value: Value, indent: string): string {
  if (Array.isArray(value)) return value.map((item: Value) => listItem(item, indent)).join('')
  if (!isObject(value)) return `${indent}${scalar(value)}\n`
  return members(value)
    .map(([name, member]) => `${indent}${scalar(name)}:${after(member, indent)}`)
    .join('')
}

function after(value: Value, indent: string): string {
  if (isEmpty(value) || typeof value !== 'object' || value === null) return ` ${scalar(value)}\n`
  return `\n${block(value, `${indent}  `)}`
}

function listItem(item: Value, indent: string): string {
  if (isEmpty(item) || typeof item !== 'object' || item === null) {
    return `${indent}- ${scalar(item)}\n`
  }
  return `${indent}- ${block(item, `${indent}  `).trimStart()}`
}

function scalar(value: Value): string {
  return typeof value === 'string' && SAFE_TEXT.test(value) ? value : JSON.stringify(value)
}

const members = (value: Readonly<Record<string, Value | undefined>>): [string, Value][] =>
  Object.entries(value)
    .flatMap(([name, member]): [string, Value][] => (member === undefined ? [] : [[name, member]]))
    .sort(([one], [other]) => (one < other ? -1 : 1))

const isObject = (value: Value): value is { readonly [member: string]: Value | undefined } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: Value): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
