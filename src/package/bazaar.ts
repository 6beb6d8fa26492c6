/** Resources of the catalog, for those who sell them and those who are about to pay: what one declares about itself, and whether it holds. */
export {
  type BazaarDeclaration,
  type DeclaredOutput,
  declareHttp,
  declareTool,
  type HttpResource,
  type JsonSchema,
  type ToolResource,
} from '../selling/bazaar/declare.ts'
export {
  type DeclarationCheck,
  type DeclaredListing,
  type ValidateOptions,
  validateDeclaration,
} from '../selling/bazaar/validate.ts'
