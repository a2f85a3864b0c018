import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collection, development } from './data.js';

const { demoDocuments } = await import('../../dist/src/modules/catalog/demo/demo-documents.js');

/** Collections that are not part of the repository. */
const DEVELOPMENT = { Cranfield: 'cranfield-dev.json', CISI: 'cisi.json' };

/** Collections of documents, queries and judgements, without missing ones. */
export function collections() {
  const sets = Object.entries(DEVELOPMENT).map(([title, file]) => ({ title, set: development(file) }));
  return [
    ...sets.filter(({ set }) => set !== null).map(({ title, set }) => ({ title, ...collection(set) })),
    { title: 'demo catalog', isOurs: true, ...demoQuestions() },
  ];
}

/** Questions of travellers about the demo catalog. A document is relevant if it contains certain words. */
function demoQuestions() {
  const questions = JSON.parse(readFileSync(join(import.meta.dirname, 'questions.json'), 'utf8'));
  const documents = [...demoDocuments(400, new Date('2026-11-22T00:00:00Z'))].filter(
    ({ vertical }) => vertical === 'products',
  );
  const fits = ({ fields }, wanted) => wanted.every((word) => JSON.stringify(fields).toLowerCase().includes(word));
  const queries = questions.map(({ q, best, good }) => {
    const gains = new Map();
    for (const document of documents) {
      if (good && fits(document, good)) gains.set(document.id, 1);
      if (fits(document, best)) gains.set(document.id, 3);
    }
    return { text: q, gains };
  });
  return { documents, queries: queries.filter(({ gains }) => gains.size > 0) };
}
