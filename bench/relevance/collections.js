import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collection, development } from './data.js';

const { demoDocuments } = await import('../../dist/src/modules/catalog/demo/demo-documents.js');

/**
 * Collections of documents, queries and judgements. The development set is optional, as it is not part of the repository.
 */
export function collections() {
  const set = development('cranfield-dev.json');
  return [
    { title: "travellers' questions to the demo catalog", ...demoQuestions() },
    ...(set ? [{ title: 'development set', ...collection(set) }] : []),
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
