import { Deleted } from '../../../platform/http/deleted.dto.js';
import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample } from '../../../platform/http/route-errors.js';
import { CreateSynonym, ListSynonyms, SynonymEnvelope, SynonymPage, toSynonym, UpdateSynonym } from './synonym.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { SynonymsService } from './synonyms.service.js';

const PATH = '/v1/admin/catalog/synonyms';

@ApiGroup('Catalog')
@Controller(PATH)
export class SynonymsController {
  constructor(private readonly synonyms: SynonymsService) {}

  /**
   * Create a search synonym
   *
   * @remarks Adds words that the keyword search of a language treats as synonyms. It takes effect within about two seconds.
   * Terms without a letter or digit, and a set with fewer than two different words including `input`, are rejected.
   */
  @Post()
  @RequireScope('catalog:write')
  @Mutates('catalog.synonym.create')
  async create(@Body() body: CreateSynonym): Promise<SynonymEnvelope> {
    const synonym = await this.synonyms.create(body);
    return created(`${PATH}/${synonym.id}`, synonym, { data: toSynonym(synonym) });
  }

  /**
   * List search synonyms
   *
   * @remarks Returns a page of synonyms ordered by language.
   */
  @Get()
  @RequireScope('catalog:read')
  async list(@Query() query: ListSynonyms): Promise<SynonymPage> {
    const { rows, total } = await this.synonyms.list(query);
    return { data: rows.map(toSynonym), total, ...pageBounds(query) };
  }

  /**
   * Get a search synonym
   *
   * @remarks Returns one set of synonyms with its version.
   */
  @Get(':id')
  @RequireScope('catalog:read')
  async get(@PathId('csyn') id: string): Promise<SynonymEnvelope> {
    const synonym = await this.synonyms.get(id);
    return tagged(synonym, { data: toSynonym(synonym) });
  }

  /**
   * Update a search synonym
   *
   * @remarks Changes only the fields that are sent; `terms` replaces all terms. It takes effect within about two
   * seconds. The same rules apply as for a new synonym.
   */
  @Patch(':id')
  @RequireScope('catalog:write')
  @Mutates('catalog.synonym.update')
  @BodyExample({ terms: ['seaside', 'coast', 'shore'] })
  async update(
    @PathId('csyn', 'id', 2) id: string,
    @Body() body: UpdateSynonym,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<SynonymEnvelope> {
    const synonym = await this.synonyms.update(id, body, expected);
    return tagged(synonym, { data: toSynonym(synonym) });
  }

  /**
   * Delete a search synonym
   *
   * @remarks Deletes the set of synonyms. Searches stop using it within about two seconds. Returns only `success`.
   */
  @ApiOperation({ operationId: 'synonyms_delete' })
  @Delete(':id')
  @RequireScope('catalog:delete')
  @Mutates('catalog.synonym.delete')
  async remove(
    @PathId('csyn', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<Deleted> {
    await this.synonyms.remove(id, expected);
    return { success: true };
  }
}
