import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { assertScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { LOG } from '../../../platform/observability/log.js';
import {
  ActionLedger,
  assertUnchangedSince,
  byVersion,
  type RecordedAction,
  Reverses,
  type ReversalResult,
  Undoes,
  UndoesItself,
} from '../../action-ledger/index.js';
import { type DocumentLanguage, OrganizationService } from '../../organization/index.js';
import { AttachmentSubjects } from '../attachments/attachment-subjects.js';
import { BlockDocuments } from '../layout/block-documents.js';
import type { DocumentTexts } from '../layout/blocks.js';
import { companyCopyOf } from '../layout/company-values.js';
import {
  type DocumentKind,
  DocumentPrinter,
  furtherScopesOf,
  KIND_RULES,
  orientationOf,
} from '../kinds/document-kinds.js';
import { PLACEHOLDERS } from './document-placeholders.js';
import {
  type CreateDocumentTemplate,
  type ListDocumentTemplates,
  type PreviewDocumentTemplate,
  UpdateDocumentTemplate,
} from './document-template.dto.js';
import { DocumentTemplate } from './document-template.entity.js';
import { blocksOf } from './template-blocks.js';

mapConstraint('document_templates_published', () =>
  conflict('template_published', 'Another template of this kind is published in this language'),
);

/** Manages layouts of documents, with a version for each change after its publication. */
@Injectable()
export class DocumentTemplatesService {
  private readonly rows: Rows<DocumentTemplate>;

  constructor(
    private readonly database: Database,
    private readonly documents: BlockDocuments,
    private readonly organization: OrganizationService,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.rows = database.rows(DocumentTemplate);
  }

  async create({ blocks, ...input }: CreateDocumentTemplate, id = newId('dtpl')): Promise<DocumentTemplate> {
    const template = make(DocumentTemplate, {
      ...{ ...input, id, status: 'draft' },
      blocks: blocksOf(blocks, PLACEHOLDERS[input.kind]),
      createdAt: this.clock.now(),
    });
    return this.database.transaction(async () => {
      await this.rows.insert(template);
      this.record('create', template, null);
      return template;
    });
  }

  async list(query: ListDocumentTemplates): Promise<{ rows: DocumentTemplate[]; total: number }> {
    const found = this.rows.query('template');
    filterRows(found, 'template.kind', query.kind);
    filterRows(found, 'template.language', query.language);
    filterRows(found, 'template.status', query.status);
    sortRows(found, query.sort ?? '-createdAt');
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<DocumentTemplate> {
    return this.rows.get(id);
  }

  /** Returns the template that new documents of this kind and language have; null if they have the built-in layout. */
  async findPublished(kind: DocumentKind, language: DocumentLanguage): Promise<DocumentTemplate | null> {
    return this.rows.findBy({ kind, language, status: 'published' });
  }

  @UndoesItself('documents.template.update', UpdateDocumentTemplate)
  async update(
    id: string,
    { blocks, ...changes }: UpdateDocumentTemplate,
    expected: ExpectedVersions,
  ): Promise<DocumentTemplate> {
    return this.change(id, expected, 'update', (template) => {
      const read = blocks === undefined ? {} : { blocks: blocksOf(blocks, PLACEHOLDERS[template.kind]) };
      template.change({ ...changes, ...read }, this.clock.now());
    });
  }

  /** The template that was published for the kind and language until now is retired. */
  async publish(id: string, expected: ExpectedVersions): Promise<DocumentTemplate> {
    return this.database.transaction(async () => {
      const template = await this.rows.lock(id);
      assertVersion(expected, template);
      const before = template.auditImage();
      template.publish(this.clock.now());
      const { kind, language } = template;
      const replaced = await this.rows.findBy({ kind, language, status: 'published' });
      if (replaced) await this.retireReplaced(replaced.id);
      await this.rows.update(template);
      const after = { ...template.auditImage(), replacedId: replaced?.id ?? null };
      this.ledger.record('documents.template.publish', { ...subjectOf(template), before, after });
      return template;
    });
  }

  /** Also reverses the creation. Afterwards documents have the built-in layout. */
  @Undoes('documents.template.create', { effect: 'documents.template.retire', values: byVersion })
  async retire(id: string, expected: ExpectedVersions): Promise<DocumentTemplate> {
    return this.change(id, expected, 'retire', (template) => template.retire(this.clock.now()));
  }

  /** Retires the template, and publishes the one that it replaced again. */
  @Reverses('documents.template.publish', { effect: 'documents.template.retire' })
  async reversePublication(entry: RecordedAction): Promise<ReversalResult> {
    const template = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, template);
    const replacedId = entry.after?.['replacedId'];
    const replaced = typeof replacedId === 'string' ? await this.rows.lock(replacedId) : null;
    const before = template.auditImage();
    template.retire(this.clock.now());
    await this.rows.update(template);
    if (replaced) {
      const retired = replaced.auditImage();
      replaced.restore(this.clock.now());
      await this.rows.update(replaced);
      const after = replaced.auditImage();
      this.ledger.record('documents.template.publish', { ...subjectOf(replaced), before: retired, after });
    }
    return { before, after: template.auditImage() };
  }

  @Reverses('documents.template.retire', { effect: 'documents.template.publish' })
  async reverseRetirement(entry: RecordedAction): Promise<ReversalResult> {
    const template = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, template);
    const before = template.auditImage();
    template.restore(this.clock.now());
    await this.rows.update(template);
    return { before, after: template.auditImage() };
  }

  /** Prints the template, also a draft, with a record or with invented data. Changes nothing. */
  async preview(id: string, { subjectType, subjectId }: PreviewDocumentTemplate): Promise<Uint8Array> {
    const template = await this.rows.get(id);
    const { kind, language, name, blocks } = template;
    const company = companyCopyOf(await this.organization.getProfile());
    const terms = { company, language, day: this.clock.today() };
    if (subjectId === undefined && subjectType === undefined) {
      const sample = { title: name, orientation: orientationOf(kind), texts: samplesOf(kind) };
      return this.documents.print({ ...sample, blocks }, terms);
    }
    if (subjectType === undefined || subjectId === undefined) {
      const missing = subjectId === undefined ? 'subjectId' : 'subjectType';
      throw invalidField(missing, `${missing} is required together with the other member`, 'required');
    }
    if (!KIND_RULES[kind].subjectTypes.includes(subjectType)) {
      throw invalidField('subjectType', `A ${kind} does not print a ${subjectType}`, 'not_of_kind');
    }
    const { readScope } = this.listeners.one(AttachmentSubjects).subjectOf(subjectType);
    for (const scope of [readScope, ...furtherScopesOf(subjectType), ...KIND_RULES[kind].scopes]) assertScope(scope);
    const { title, texts } = await this.listeners.one(DocumentPrinter).read({ kind, subjectType, subjectId }, language);
    // The ledger does not contain reads; the log shows who read personal data.
    const preview = { templateId: id, kind, subjectId, actor: currentActor().id };
    this.log.info({ preview }, 'a template was previewed with a record');
    return this.documents.print({ title, orientation: orientationOf(kind), texts, blocks }, terms);
  }

  private async change(
    id: string,
    expected: ExpectedVersions,
    verb: 'update' | 'retire',
    change: (template: DocumentTemplate) => void,
  ): Promise<DocumentTemplate> {
    return this.database.transaction(async () => {
      const template = await this.rows.lock(id);
      assertVersion(expected, template);
      const before = template.auditImage();
      change(template);
      await this.rows.update(template);
      this.record(verb, template, before);
      return template;
    });
  }

  private async retireReplaced(id: string): Promise<void> {
    const replaced = await this.rows.lock(id);
    if (replaced.status !== 'published') return;
    const before = replaced.auditImage();
    replaced.retire(this.clock.now());
    await this.rows.update(replaced);
    this.record('retire', replaced, before);
  }

  private record(verb: 'create' | 'update' | 'retire', template: DocumentTemplate, before: object | null): void {
    const after = template.auditImage();
    this.ledger.record(`documents.template.${verb}`, { ...subjectOf(template), before, after });
  }
}

function samplesOf(kind: DocumentKind): DocumentTexts {
  const { values, lists } = PLACEHOLDERS[kind];
  return { values, lists: Object.fromEntries(Object.entries(lists).map(([name, row]) => [name, [row, row]])) };
}

function subjectOf({ id }: DocumentTemplate) {
  return { subjectType: 'document_template', subjectId: id };
}
