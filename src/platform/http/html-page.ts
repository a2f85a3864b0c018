import { randomBytes } from 'node:crypto';
import { applyDecorators, Header, type PipeTransform } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import type { Response } from 'express';
import { setResponseHeader } from './response-headers.js';
import { ErrorPages } from './route-errors.js';

/** A page behind a link. */
export interface HtmlPage {
  readonly status: number;
  readonly language: string;
  readonly title: string;
  /** HTML; the texts in it are escaped. */
  readonly content: string;
  /** The company, at the foot; empty lines are left out. */
  readonly lines: readonly string[];
  /** Additional rules of the style sheet. */
  readonly style?: string;
}

const SCHEMA = { type: 'string', description: 'A page that loads no other resource.' };

const STYLE = `
body { margin: 0; background: #f4f4f2; color: #1c1c1c; font: 1rem/1.6 system-ui, sans-serif; }
main { box-sizing: border-box; max-width: 48rem; margin: 0 auto; padding: 2rem; background: #fff; min-height: 100vh;
  overflow-wrap: anywhere; }
button, input { font: inherit; padding: .25rem .75rem; }
.notice { padding: .5rem 1rem; background: #fff3cd; }
footer { margin-top: 3rem; border-top: 1px solid #bbb; color: #555; font-size: .875rem; white-space: pre-line; }`;

/** A route that answers with pages, also for errors of these statuses. Nothing stores or indexes them, or names their address. */
export function AnswersPages(...statuses: number[]): MethodDecorator {
  return applyDecorators(
    ErrorPages(...statuses),
    Header('Cache-Control', 'no-store'),
    Header('Referrer-Policy', 'no-referrer'),
    Header('X-Robots-Tag', 'noindex'),
    ApiProduces('text/html'),
    ApiOkResponse({ description: 'The page', schema: SCHEMA }),
  );
}

/** A token of a link: a malformed one gets the same page as an unknown one. */
export class AnyToken implements PipeTransform<string, string> {
  transform(value: string): string {
    return value;
  }
}

/** Returns the page, with a policy that permits its style and its forms only. */
export function answerPage(response: Response, page: HtmlPage): string {
  const nonce = randomBytes(16).toString('base64url');
  response.status(page.status).type('html');
  setResponseHeader(
    'Content-Security-Policy',
    `default-src 'none';style-src 'nonce-${nonce}';base-uri 'none';form-action 'self';frame-ancestors 'none'`,
  );
  return render(page, nonce);
}

/** Returns the language that matches a language tag or its primary language (`de` for `de-AT`), otherwise the first one. */
export function languageAmong<Language extends string>(
  languages: readonly [Language, ...Language[]],
  tag: string,
): Language {
  const [primary] = tag.toLowerCase().split(/[-_]/);
  return languages.find((language) => language === primary) ?? languages[0];
}

export function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Returns how to read the text of a field of a form, URL-encoded or JSON; it is empty if the form lacks the field. */
export function formFields(body: unknown, type = ''): (name: string) => string {
  const text = Buffer.isBuffer(body) ? body.toString() : '';
  if (!type.toLowerCase().startsWith('application/json')) {
    const fields = new URLSearchParams(text);
    return (name) => fields.get(name) ?? '';
  }
  const parsed = parsedOr(null, text);
  return (name) => {
    const value: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : undefined;
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
  };
}

function parsedOr(otherwise: unknown, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return otherwise;
  }
}

function render({ language, title, content, lines, style = '' }: HtmlPage, nonce: string): string {
  const foot = lines.filter((line) => line !== '').map(escaped);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style nonce="${nonce}">${STYLE}${style}
</style>
</head>
<body>
<main>
${content}
<footer><p>${foot.join('\n')}</p></footer>
</main>
</body>
</html>
`;
}
