import { readFileSync } from 'node:fs';
import { apiIntroduction } from './api-introduction.js';
import { apiGroups } from '../platform/http/api-group.js';
import type { DocumentContent } from '../platform/openapi/document.js';
import type { ResponseExamples } from '../platform/openapi/examples.js';

/** Content of the API document beyond the routes. `npm run examples` records the responses for the demo data. */
export function apiDocumentContent(): DocumentContent {
  const recorded = readFileSync(new URL('./api-examples.json', import.meta.url), 'utf8');
  return { introduction: apiIntroduction, tags: apiGroups(), examples: JSON.parse(recorded) as ResponseExamples };
}
