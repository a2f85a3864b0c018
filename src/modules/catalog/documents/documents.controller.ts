import { Deleted } from '../../../platform/http/deleted.dto.js';
import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { demoId } from '../../../platform/ids/id.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { type DocumentTarget, TargetDocument } from './document-path.js';
import {
  BatchEnvelope,
  DocumentEnvelope,
  DocumentPage,
  ListDocuments,
  PutDocument,
  PutDocuments,
  toDocument,
  Variant,
} from './document.dto.js';
import type { StoredDocument } from './documents.repository.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { DocumentsService } from './documents.service.js';

const PATH = '/v1/admin/catalog/documents';

@ApiGroup('Catalog')
@Controller(PATH)
export class DocumentsController {
  constructor(private readonly documents: DocumentsService) {}

  /**
   * Create or replace a catalog document
   *
   * @remarks Stores the full content of a document for one language and market: 201 if it is new, 200 if it replaces one. The
   * public search finds it within about two seconds, semantic search once its vector is computed. Invalid fields, an unknown
   * vertical and a market that is not configured are rejected. The product of the same ID owns the fields that
   * `productFields` names: they stay if they are omitted, and cannot be changed.
   */
  @ApiOperation({ operationId: 'catalogDocuments_put' })
  @Put(':vertical/:id')
  @RequireScope('catalog:write')
  @Mutates('catalog.document.put')
  @Refuses({ 409: ['document_managed'] })
  @ApiResponse({ status: 200, type: DocumentEnvelope, description: 'The document was replaced' })
  @ApiResponse({ status: 201, type: DocumentEnvelope, description: 'The document was created' })
  async put(
    @TargetDocument({ creates: true, example: demoId('prod', 8) }) { vertical, id, expected }: DocumentTarget,
    @Body() body: PutDocument,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DocumentEnvelope> {
    const { document, isNew } = await this.documents.put({ vertical, id }, body, expected);
    response.status(isNew ? 201 : 200);
    return placed(document, isNew);
  }

  /**
   * Create or replace catalog documents in a batch
   *
   * @remarks Stores up to 500 documents in one transaction. All documents are validated first, and a single invalid
   * field or duplicate document rejects the whole batch with 400; the response lists each problem. Fields
   * that a product owns cannot be changed.
   */
  @ApiOperation({ operationId: 'catalogDocuments_putAll' })
  @Post('batch')
  @HttpCode(200)
  @RequireScope('catalog:write')
  @Mutates('catalog.documents.put', {
    irreversible: 'The ledger keeps the names of a batch, not its documents: put the documents again',
  })
  @Refuses({ 409: ['document_managed'] })
  async putAll(@Body() body: PutDocuments): Promise<BatchEnvelope> {
    return { data: await this.documents.putAll(body.documents) };
  }

  /**
   * List catalog documents
   *
   * @remarks Returns a page of documents ordered by vertical and ID, including drafts and archived documents, which the
   * public search does not return.
   */
  @ApiOperation({ operationId: 'catalogDocuments_list' })
  @Get()
  @RequireScope('catalog:read')
  async list(@Query() query: ListDocuments): Promise<DocumentPage> {
    const { documents, total } = await this.documents.list(query);
    return { data: documents.map(toDocument), total, ...pageBounds(query) };
  }

  /**
   * Get a catalog document
   *
   * @remarks Returns one variant with all its fields. Without `locale` and `market` it is the variant of the default
   * market in its language.
   */
  @ApiOperation({ operationId: 'catalogDocuments_get' })
  @Get(':vertical/:id')
  @RequireScope('catalog:read')
  async get(
    @TargetDocument({ example: demoId('prod', 1) }) { vertical, id }: DocumentTarget,
    @Query() variant: Variant,
  ): Promise<DocumentEnvelope> {
    const document = await this.documents.get(vertical, id, variant);
    return tagged(document, { data: toDocument(document) });
  }

  /**
   * Delete a catalog document
   *
   * @remarks Deletes the variant named by `locale` and `market`, or all variants if neither is sent. The public search
   * stops returning it within about two seconds. With If-Match, the version of every deleted variant must match.
   * A copy of an active product cannot be deleted. Returns only `success`.
   */
  @ApiOperation({ operationId: 'catalogDocuments_delete' })
  @Delete(':vertical/:id')
  @RequireScope('catalog:delete')
  @Mutates('catalog.document.delete')
  @Refuses({ 409: ['document_managed'] })
  async remove(
    @TargetDocument({ changes: true, example: demoId('prod', 9) }) { vertical, id, expected }: DocumentTarget,
    @Query() variant: Variant,
    @NoBody() _body: null,
  ): Promise<Deleted> {
    await this.documents.remove({ vertical, id, variant }, expected);
    return { success: true };
  }
}

function placed(document: StoredDocument, isNew: boolean): DocumentEnvelope {
  const { vertical, id, locale, market } = document;
  const body = { data: toDocument(document) };
  const query = new URLSearchParams({ locale, market });
  return isNew ? created(`${PATH}/${vertical}/${id}?${query.toString()}`, document, body) : tagged(document, body);
}
