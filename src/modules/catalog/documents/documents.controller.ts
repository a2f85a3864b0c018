import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { type DocumentTarget, TargetDocument } from './document-path.js';
import { BatchEnvelope, DocumentEnvelope, DocumentPage, RemovedResponse, toDocument } from './document-response.dto.js';
import { ListDocuments, PutDocument, PutDocuments, Variant } from './document.dto.js';
import { Documents } from './documents.service.js';
import { NewDocuments } from './new-documents.service.js';
import type { StoredDocument } from './stored-document.js';

const PATH = '/v1/admin/catalog/documents';

@ApiTags('Catalog')
@Controller(PATH)
export class DocumentsController {
  constructor(
    private readonly documents: Documents,
    private readonly news: NewDocuments,
  ) {}

  /** Adds a document (201) or replaces all of its fields (200); it is found within two seconds */
  @Put(':vertical/:id')
  @RequireScope('catalog:write')
  @Mutates('catalog.document.put')
  @ApiResponse({ status: 200, type: DocumentEnvelope, description: 'Replaced' })
  @ApiResponse({ status: 201, type: DocumentEnvelope, description: 'Added' })
  async put(
    @TargetDocument({ makes: true, example: 'prod_0002' }) { vertical, id, expected }: DocumentTarget,
    @Body() body: PutDocument,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DocumentEnvelope> {
    const { document, isNew } = await this.documents.put(this.news.one({ ...body, vertical, id }), expected);
    response.status(isNew ? 201 : 200);
    return placed(document, isNew);
  }

  /** Adds or replaces up to 500 documents, all of them or none */
  @Post('batch')
  @HttpCode(200)
  @RequireScope('catalog:write')
  @Mutates('catalog.documents.put')
  async putAll(@Body() body: PutDocuments): Promise<BatchEnvelope> {
    return { data: await this.documents.putAll(this.news.many(body.documents)) };
  }

  /** Lists documents, drafts and archived ones too, by vertical and id */
  @Get()
  @RequireScope('catalog:read')
  async list(@Query() query: ListDocuments): Promise<DocumentPage> {
    const { documents, total } = await this.documents.list(query);
    return { data: documents.map(toDocument), total, ...pageBounds(query) };
  }

  /** Reads a document with all of its fields */
  @Get(':vertical/:id')
  @RequireScope('catalog:read')
  async get(
    @TargetDocument({ example: 'prod_0001' }) { vertical, id }: DocumentTarget,
    @Query() variant: Variant,
  ): Promise<DocumentEnvelope> {
    const document = await this.documents.get(vertical, id, variant);
    return tagged(document, { data: toDocument(document) });
  }

  /** Takes a document out of the catalog: the variant that is named, or every one of it */
  @Delete(':vertical/:id')
  @RequireScope('catalog:delete')
  @Mutates('catalog.document.delete')
  async remove(
    @TargetDocument({ changes: true, example: 'prod_0003' }) { vertical, id, expected }: DocumentTarget,
    @Query() variant: Variant,
    @NoBody() _body: null,
  ): Promise<RemovedResponse> {
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
