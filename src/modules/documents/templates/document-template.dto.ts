import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Id, Ignored, ListOf, OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { FreeObjects, Instant } from '../../../platform/http/trade-fields.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage } from '../../organization/index.js';
import {
  DOCUMENT_KINDS,
  DOCUMENT_SUBJECT_TYPES,
  type DocumentKind,
  type DocumentSubjectType,
} from '../kinds/document-kinds.js';
import { type Examples, PLACEHOLDERS } from './document-placeholders.js';
import {
  type DocumentTemplate,
  DOCUMENT_TEMPLATE_STATUSES,
  type DocumentTemplateStatus,
} from './document-template.entity.js';

const MAX_NAME = 100;
/** Bounds the work before the blocks are read one by one. */
const BLOCKS = { min: 1, max: 60, maxBytes: 16_384, maxDepth: 7 };

class TemplateContents {
  /**
   * Name of the template for staff.
   * @example "Confirmation with our terms"
   */
  @Text({ max: MAX_NAME })
  name: string;

  /**
   * Parts of the document. `heading`, `text` and `code` (a QR code) have a `text`; `facts` has `facts` with `label` and `value`; `table`
   * has a `list` and `columns` with `heading`, `text`, `width` in characters and `align: right`; `image` shows the `logo`; `columns` has
   * `parts` with `blocks`; `spacer` and `pageBreak` have nothing. Texts contain the placeholders of the kind, such as
   * `{{booking.number}}`; lines and facts without a value are left out.
   * @example [{ "type": "heading", "text": "{{document.title}} {{booking.number}}" }]
   */
  @FreeObjects(BLOCKS)
  blocks: Record<string, unknown>[];
}

/** A new template: a draft. */
export class CreateDocumentTemplate extends TemplateContents {
  @Ignored()
  id?: undefined;

  /**
   * Kind of the documents, which determines the placeholders.
   * @example "confirmation"
   */
  @OneOf(DOCUMENT_KINDS)
  kind: DocumentKind;

  /**
   * Language of the documents.
   * @example "en"
   */
  @OneOf(DOCUMENT_LANGUAGES)
  language: DocumentLanguage;
}

/** Changes of a draft; fields that are not sent keep their value. */
export class UpdateDocumentTemplate extends patchOf(TemplateContents) {}

export class ListDocumentTemplates extends PageQuery {
  /** Only templates of these kinds. */
  @Optional()
  @AnyOf(DOCUMENT_KINDS)
  kind?: DocumentKind[];

  /** Only templates in these languages. */
  @Optional()
  @AnyOf(DOCUMENT_LANGUAGES)
  language?: DocumentLanguage[];

  /** Only templates in one of these statuses. */
  @Optional()
  @AnyOf(DOCUMENT_TEMPLATE_STATUSES)
  status?: DocumentTemplateStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt', 'name'])
  sort?: string;
}

/** The record with which a template is previewed. */
export class PreviewDocumentTemplate {
  /** Kind of the record; without a record, invented data is shown. */
  @Optional()
  @OneOf(DOCUMENT_SUBJECT_TYPES)
  subjectType?: DocumentSubjectType;

  /** Record whose data is shown; requires the scope to read it. */
  @Optional()
  @Text({ max: 128 })
  subjectId?: string;
}

/** A layout of one kind of documents in one language. */
export class DocumentTemplateResponse {
  @Id('dtpl')
  id: string;

  /** Kind of the documents. */
  @OneOf(DOCUMENT_KINDS)
  kind: DocumentKind;

  /** Language of the documents. */
  @OneOf(DOCUMENT_LANGUAGES)
  language: DocumentLanguage;

  /** Name of the template for staff. */
  @Text({ max: MAX_NAME })
  name: string;

  /** Parts of the document, as they were sent; `width` has a value. */
  @FreeObjects(BLOCKS)
  blocks: object[];

  /** `published`: in use for its kind and language; `retired`: replaced or ended. */
  @OneOf(DOCUMENT_TEMPLATE_STATUSES)
  status: DocumentTemplateStatus;

  /** When it was published; null if it never was. */
  @Instant()
  publishedAt: string | null;

  /** When it was retired; null if it was not. */
  @Instant()
  retiredAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A placeholder of a kind of documents. */
export class DocumentPlaceholderResponse {
  /** Name between double braces. */
  @Text({ max: 60 })
  name: string;

  /** Invented value, which a preview without a record shows. */
  @Text({ max: 200, multiline: true })
  example: string;
}

/** A list of a kind of documents, for tables. */
export class DocumentListResponse {
  /** Name of the list. */
  @Text({ max: 60 })
  name: string;

  /** Placeholders of each row. */
  @ListOf(() => DocumentPlaceholderResponse, { max: 50 })
  placeholders: DocumentPlaceholderResponse[];
}

/** What the templates of one kind can show. */
export class DocumentKindResponse {
  /** Kind of the documents. */
  @OneOf(DOCUMENT_KINDS)
  kind: DocumentKind;

  /** Placeholders of all texts outside of tables. */
  @ListOf(() => DocumentPlaceholderResponse, { max: 50 })
  placeholders: DocumentPlaceholderResponse[];

  /** Lists for tables. */
  @ListOf(() => DocumentListResponse, { max: 10 })
  lists: DocumentListResponse[];
}

/** What templates can show. */
export class DocumentPlaceholdersResponse {
  /** Placeholders and lists of each kind of documents that has templates. */
  @ListOf(() => DocumentKindResponse, { max: 20 })
  kinds: DocumentKindResponse[];
}

export function toDocumentTemplate(template: DocumentTemplate): DocumentTemplateResponse {
  return respond(DocumentTemplateResponse, template);
}

export function documentPlaceholders(): DocumentPlaceholdersResponse {
  const placeholdersOf = (examples: Examples) => Object.entries(examples).map(([name, example]) => ({ name, example }));
  return {
    kinds: DOCUMENT_KINDS.map((kind) => ({
      kind,
      placeholders: placeholdersOf(PLACEHOLDERS[kind].values),
      lists: Object.entries(PLACEHOLDERS[kind].lists).map(([name, row]) => ({
        name,
        placeholders: placeholdersOf(row),
      })),
    })),
  };
}

export class DocumentTemplateEnvelope extends dataOf(DocumentTemplateResponse) {}
export class DocumentTemplatePage extends pageOf(DocumentTemplateResponse) {}
export class DocumentPlaceholdersEnvelope extends dataOf(DocumentPlaceholdersResponse) {}
