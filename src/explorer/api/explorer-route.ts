import type { NamedSchema } from '../../platform/http/refusals/refusal.ts'
import type { Parameters } from '../../platform/http/server/query.ts'
import type { Route } from '../../platform/http/server/route.ts'
import { recordParts } from '../records.ts'
import { explorerRefusal } from './refusal.ts'

/** A read of the analytics interface. */
export interface ExplorerRoute<
  Path extends Parameters = Parameters,
  Query extends Parameters = Parameters,
> extends Route {
  readonly pathParameters: Path
  readonly query: Query
}

interface Declaration<Path extends Parameters, Query extends Parameters>
  extends Pick<Route, 'id' | 'path' | 'summary' | 'faults'> {
  readonly pathParameters: Path
  readonly query: Query
  readonly answer: NamedSchema
  readonly describes: string
}

/** Adds the properties that all reads of the interface share. */
export const explorerRoute = <Path extends Parameters, Query extends Parameters>({
  answer,
  describes,
  faults = [],
  ...declared
}: Declaration<Path, Query>): ExplorerRoute<Path, Query> => ({
  ...declared,
  method: 'get',
  tag: 'Explorer',
  refusal: explorerRefusal,
  isPublicRead: true,
  faults: ['explorer_invalid_query', ...faults],
  answers: {
    200: { description: describes, body: { ...answer, parts: recordParts }, hasTag: true },
    304: { description: 'It is as `If-None-Match` says', body: 'none', hasTag: true },
  },
})
