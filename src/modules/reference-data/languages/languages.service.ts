import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SigningKeys } from '../../../platform/keys/signing-keys.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { setResponseHeader } from '../../../platform/http/response-headers.js';
import { languageCatalog } from './language-catalog.js';
import type { FoundLanguage, LanguagePage, ListLanguages, NameLanguage } from './language.dto.js';

/** A list of languages: its path and the codes of the catalog that belong to it. */
export interface LanguageList {
  /** Identifies the list in cursors; a list can have several paths. */
  name: string;
  path: string;
  codes: readonly string[];
}

const CURSOR_PURPOSE = 'data-languages-cursor';
const DEFAULT_LIMIT = 500;
const DEFAULT_LANGUAGE = 'en';

@Injectable()
export class LanguagesService {
  constructor(private readonly signingKeys: SigningKeys) {}

  /** Returns a page and sets its cache headers. */
  async page(list: LanguageList, query: ListLanguages): Promise<LanguagePage> {
    const { limit = DEFAULT_LIMIT, lang = DEFAULT_LANGUAGE } = query;
    const cursorOf = `${list.name}/${lang.toLowerCase()}/`;
    const after = query.cursor === undefined ? '' : await this.readCursor(query.cursor, cursorOf);

    const listed = new Set(list.codes);
    const all = languageCatalog.namedIn(lang).filter(({ code }) => listed.has(code));
    const rest = all.filter(({ code }) => code > after);
    const data = rest.slice(0, limit);
    const last = data.at(-1);
    const hasMore = last !== undefined && data.length < rest.length;
    const page: LanguagePage = { data, totalCount: all.length };
    if (hasMore) page.nextCursor = await this.signingKeys.sign(CURSOR_PURPOSE, cursorOf + last.code);

    setResponseHeader(
      'ETag',
      entityTag([languageCatalog.version, cursorOf, list.codes, limit, after, page.nextCursor]),
    );
    setResponseHeader('Cache-Control', 'private, max-age=300');
    if (page.nextCursor) setResponseHeader('Link', nextLink(list.path, query, page.nextCursor));
    return page;
  }

  /** Returns a language by its code or by a deprecated tag, and sets the cache headers. */
  get(tag: string, { lang = DEFAULT_LANGUAGE }: NameLanguage): FoundLanguage {
    const code = languageCatalog.findCode(tag);
    const language = languageCatalog.namedIn(lang).find((one) => one.code === code);
    if (!language) throw notFound();
    const requested = tag.toLowerCase();
    setResponseHeader('ETag', entityTag([languageCatalog.version, lang.toLowerCase(), requested]));
    setResponseHeader('Cache-Control', 'private, max-age=300');
    return { ...language, deprecatedTag: requested === code ? null : requested };
  }

  /** Returns the code after which the page starts. A data update may have removed it from the list. */
  private async readCursor(cursor: string, cursorOf: string): Promise<string> {
    const opened = await this.signingKeys.verify(CURSOR_PURPOSE, cursor);
    if (typeof opened === 'string' && opened.startsWith(cursorOf)) return opened.slice(cursorOf.length);
    throw invalidField('cursor', 'is not a cursor of this list and language', 'wrong_cursor');
  }
}

/** The ETag is strong, because these values determine the complete response. */
function entityTag(values: unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(values)).digest('base64url');
  return `"${digest.slice(0, 22)}"`;
}

function nextLink(path: string, query: ListLanguages, nextCursor: string): string {
  const parameters = new URLSearchParams();
  if (query.limit !== undefined) parameters.set('limit', String(query.limit));
  if (query.lang !== undefined) parameters.set('lang', query.lang);
  parameters.set('cursor', nextCursor);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}
