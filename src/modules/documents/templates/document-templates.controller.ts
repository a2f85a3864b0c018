import { Body, Controller, Get, HttpCode, Patch, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, created, setResponseHeader, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateDocumentTemplate,
  documentPlaceholders,
  DocumentPlaceholdersEnvelope,
  DocumentTemplateEnvelope,
  DocumentTemplatePage,
  ListDocumentTemplates,
  PreviewDocumentTemplate,
  toDocumentTemplate,
  UpdateDocumentTemplate,
} from './document-template.dto.js';
import { DocumentTemplatesService } from './document-templates.service.js';

const PATH = '/v1/admin/document-templates';
const PDF = {
  description: 'The document as a PDF',
  content: { 'application/pdf': { schema: { type: 'string', format: 'binary', description: 'A PDF on A4 pages.' } } },
} as const;

@ApiGroup('Documents')
@Controller()
export class DocumentTemplatesController {
  constructor(private readonly templates: DocumentTemplatesService) {}

  /**
   * List the placeholders of documents
   *
   * @remarks Returns the placeholders and lists of each kind, with the examples that previews show.
   */
  @ApiOperation({ operationId: 'documentTemplates_listPlaceholders' })
  @Get('/v1/admin/document-placeholders')
  @RequireScope('documents:read')
  getPlaceholders(): DocumentPlaceholdersEnvelope {
    return { data: documentPlaceholders() };
  }

  /**
   * Create a document template
   *
   * @remarks Creates a draft of the layout of one kind of documents in one language. Documents that are requested after its publication
   * have this layout instead of the built-in one. It consists of blocks of a closed set, whose texts contain placeholders; there are no
   * expressions and no HTML. A placeholder or list that the kind does not have is rejected, with the member in `path`.
   */
  @Post(PATH)
  @RequireScope('documents:write')
  @Mutates('documents.template.create')
  @Refuses({ 422: ['placeholder_unknown'] })
  async create(@Body() body: CreateDocumentTemplate): Promise<DocumentTemplateEnvelope> {
    const template = await this.templates.create(body);
    return created(`${PATH}/${template.id}`, template, { data: toDocumentTemplate(template) });
  }

  /**
   * List document templates
   *
   * @remarks Returns a page of templates in all states and languages, newest first unless `sort` is given.
   */
  @Get(PATH)
  @RequireScope('documents:read')
  async list(@Query() query: ListDocumentTemplates): Promise<DocumentTemplatePage> {
    const { rows, total } = await this.templates.list(query);
    return { data: rows.map(toDocumentTemplate), total, ...pageBounds(query) };
  }

  /**
   * Get a document template
   *
   * @remarks Returns the template in any state.
   */
  @Get(`${PATH}/:id`)
  @RequireScope('documents:read')
  async get(@PathId('dtpl') id: string): Promise<DocumentTemplateEnvelope> {
    const template = await this.templates.get(id);
    return tagged(template, { data: toDocumentTemplate(template) });
  }

  /**
   * Update a document template
   *
   * @remarks Changes name or blocks of a draft. To change a published template, create another draft of its kind and language.
   */
  @Patch(`${PATH}/:id`)
  @RequireScope('documents:write')
  @Mutates('documents.template.update')
  @BodyExample({ name: 'Confirmation with our terms' })
  @Refuses({ 409: ['template_immutable'], 422: ['placeholder_unknown'] })
  async update(
    @PathId('dtpl', 'id', 2) id: string,
    @Body() body: UpdateDocumentTemplate,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<DocumentTemplateEnvelope> {
    const template = await this.templates.update(id, body, expected);
    return tagged(template, { data: toDocumentTemplate(template) });
  }

  /**
   * Publish a document template
   *
   * @remarks From now on, new documents of the kind and language have this layout. The template that was published until now is retired.
   */
  @Post(`${PATH}/:id/publication`)
  @HttpCode(200)
  @RequireScope('documents:write')
  @Mutates('documents.template.publish')
  @Refuses({ 409: ['invalid_transition', 'template_published'] })
  async publish(
    @PathId('dtpl', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<DocumentTemplateEnvelope> {
    const template = await this.templates.publish(id, expected);
    return tagged(template, { data: toDocumentTemplate(template) });
  }

  /**
   * Retire a document template
   *
   * @remarks Ends a draft or a published template. New documents of its kind and language then have the built-in layout.
   */
  @Post(`${PATH}/:id/retirement`)
  @HttpCode(200)
  @RequireScope('documents:write')
  @Mutates('documents.template.retire')
  @Refuses({ 409: ['invalid_transition'] })
  async retire(
    @PathId('dtpl', 'id', 4) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<DocumentTemplateEnvelope> {
    const template = await this.templates.retire(id, expected);
    return tagged(template, { data: toDocumentTemplate(template) });
  }

  /**
   * Preview a document template
   *
   * @remarks Returns the PDF that the template, also a draft, prints for a record, or with invented data without one. Nothing is stored. A
   * record requires the scope to read it.
   */
  @Get(`${PATH}/:id/preview`)
  @ExpensiveRead()
  @ComputedNow()
  @RequireScope('documents:read')
  @ApiOkResponse(PDF)
  @Refuses({ 404: ['not_found'], 409: ['booking_cancelled', 'trip_cancelled'], 422: ['manifest_too_large'] })
  async preview(@PathId('dtpl') id: string, @Query() query: PreviewDocumentTemplate): Promise<StreamableFile> {
    const bytes = await this.templates.preview(id, query);
    setResponseHeader('Cache-Control', 'no-store');
    return new StreamableFile(bytes, {
      type: 'application/pdf',
      disposition: 'attachment; filename="preview.pdf"',
    });
  }
}
