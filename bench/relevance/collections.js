import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collection, development } from './data.js';

const { demoDocuments } = await import('../../dist/src/modules/catalog/demo/demo-documents.js');

/** Documents, and queries with what answers them. The development set is there only where its folder is. */
export function collections() {
  const set = development('cranfield-dev.json');
  return [
    { title: "travellers' questions to the demo catalog", ...questions() },
    ...(set ? [{ title: 'development set', ...collection(set) }] : []),
  ];
}

/** Ours: what answers a question is told by the words that a document must have. */
function questions() {
  const asked = JSON.parse(readFileSync(join(import.meta.dirname, 'questions.json'), 'utf8'));
  const documents = [...demoDocuments(400, new Date('2026-11-22T00:00:00Z'))].filter(
    ({ vertical }) => vertical === 'products',
  );
  const fits = ({ fields }, wanted) => wanted.every((word) => JSON.stringify(fields).toLowerCase().includes(word));
  const queries = asked.map(({ q, best, good }) => {
    const gains = new Map();
    for (const document of documents) {
      if (good && fits(document, good)) gains.set(document.id, 1);
      if (fits(document, best)) gains.set(document.id, 3);
    }
    return { text: q, gains };
  });
  return { documents, queries: queries.filter(({ gains }) => gains.size > 0) };
}
