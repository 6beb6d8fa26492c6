/** Checks answers against the OpenAPI documents. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { openApiDocument } from '../../src/service/openapi/document.ts'
import { explorerDocument } from '../../src/service/openapi/explorer-document.ts'

export interface DescribedAnswer {
  readonly method: string
  /** With or without a query. */
  readonly path: string
  readonly status: number
  /** Parsed. */
  readonly body: unknown
}

interface PathItem {
  readonly [method: string]: { readonly responses: Readonly<Record<string, object>> }
}

interface Document {
  readonly paths: Readonly<Record<string, PathItem>>
}

/** Throws with every problem when the document of the public port does not allow the answer. */
export const expectDescribed = describedBy(openApiDocument('test') as Document, 'Error')

/** The same by the document of the explorer's port. */
export const expectExplorerDescribed = describedBy(
  explorerDocument('test') as Document,
  'ExplorerError',
)

/** @param error schema of errors on paths that the document does not have */
function describedBy(document: Document, error: string): (answer: DescribedAnswer) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajvFormats.default(ajv)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer)
    if (known) return known
    const made = ajv.compile({ $ref: `document#${pointer}` })
    compiled.set(pointer, made)
    return made
  }
  return (answer) => {
    const { method, path, status, body } = answer
    const what = `${method} ${path} answered ${status} ${JSON.stringify(body)?.slice(0, 2_000)}`
    const pointer = schemaFor(document, error, answer)
    if (pointer === undefined) throw new Error(`the document does not describe it: ${what}`)
    const validate = validatorOf(pointer)
    if (validate(body)) return
    throw new Error(`${ajv.errorsText(validate.errors, { separator: '\n' })}\nin ${what}`)
  }
}

/** Where the answer's schema is in the document; a path or method not in it is answered with an error. */
function schemaFor(
  document: Document,
  error: string,
  { method, path, status }: DescribedAnswer,
): string | undefined {
  const url = path.replace(/[?#].*$/s, '').replace(/\/{2,}/g, '/')
  const template = Object.keys(document.paths).find((each) => patternOf(each).test(url)) ?? url
  const item = document.paths[template]
  if (item === undefined) return status >= 400 ? `/components/schemas/${error}` : undefined
  const operation = item[method.toLowerCase()]
  if (operation === undefined) return status === 405 ? refusalOn(template, item) : undefined
  const hasIt = operation.responses[String(status)] !== undefined
  return hasIt ? pointerTo(template, method.toLowerCase(), status) : undefined
}

/** What `/items/{id}` matches. */
const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)

function refusalOn(url: string, item: PathItem): string {
  const [method = 'get'] = Object.keys(item)
  return pointerTo(url, method, 500)
}

const pointerTo = (url: string, method: string, status: number): string =>
  `/paths/${encodeURIComponent(url.replaceAll('/', '~1'))}/${method}/responses/${status}/content/application~1json/schema`
