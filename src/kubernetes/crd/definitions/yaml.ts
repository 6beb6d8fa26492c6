type Plain = string | number | boolean | null
type Value = Plain | readonly Value[] | { readonly [member: string]: Value | undefined }

/** Text that every version of YAML reads as text without quotes. */
const SAFE_TEXT = /^(?!(?:y|n|yes|no|on|off|true|false|null|nan|inf)$)[A-Za-z][A-Za-z0-9_./()-]*$/i

/**
 * A document of JSON values as YAML, members in alphabetical order, so that equal documents are equal
 * texts. Text that YAML could read as another type is quoted as in JSON.
 * @param flowColumns a list or object of plain values that fits on a line of this length is written on one, unless it is
 *   a member of the document itself: the chart adds to `metadata`. 0 gives each value a line
 */
export function toYaml(document: unknown, { flowColumns = 0 } = {}): string {
  return block(asValue(document), '', flowColumns)
}

/** Drops undefined members. Throws a TypeError for a value that JSON cannot express. */
function asValue(document: unknown): Value {
  const text = JSON.stringify(document)
  if (text === undefined) throw new TypeError('a document is an object, a list, text or a number')
  return JSON.parse(text)
}

function block(value: Value, indent: string, columns: number): string {
  if (Array.isArray(value)) {
    return value.map((item: Value) => listItem(item, indent, columns)).join('')
  }
  if (!isObject(value)) return `${indent}${scalar(value)}\n`
  return members(value)
    .map(([name, member]) => {
      const start = `${indent}${scalar(name)}:`
      const line = onOneLine(member, indent === '' ? 0 : columns - start.length - 1)
      return line === undefined
        ? `${start}\n${block(member, `${indent}  `, columns)}`
        : `${start} ${line}\n`
    })
    .join('')
}

function listItem(item: Value, indent: string, columns: number): string {
  const line = onOneLine(item, columns - indent.length - 2)
  return `${indent}- ${line === undefined ? block(item, `${indent}  `, columns).trimStart() : `${line}\n`}`
}

/** Undefined where the value needs lines of its own. */
function onOneLine(value: Value, columns: number): string | undefined {
  if (isPlain(value)) return scalar(value)
  const flow = flowOf(value)
  return flow !== undefined && flow.length <= columns ? flow : undefined
}

function flowOf(value: Value): string | undefined {
  if (Array.isArray(value)) {
    return value.every(isPlain) ? `[${value.map(scalar).join(', ')}]` : undefined
  }
  const all = isObject(value) ? members(value) : []
  return all.every(([, member]) => isPlain(member))
    ? `{ ${all.map(([name, member]) => `${scalar(name)}: ${scalar(member)}`).join(', ')} }`
    : undefined
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

/** Neither a list nor an object with anything in it. */
const isPlain = (value: Value): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).length === 0
