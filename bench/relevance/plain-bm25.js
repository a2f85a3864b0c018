import { stemmer } from '@orama/stemmers/english';
import { eng } from 'stopword';

/*
 * The reference: BM25 as in the textbook. All text of a document is one field, and any word of a query may match. Shares no code
 * with the search engine.
 */
const STOP_WORDS = new Set(eng);

/** Returns a function that returns the ids of the best ten documents for a query. */
export function plainBm25(documents, { k1 = 1.2, b = 0.75, stem = stemmer, stopWords = STOP_WORDS } = {}) {
  const termsOf = (text) => {
    const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    return words.filter((word) => !stopWords.has(word)).map(stem);
  };
  const postings = new Map();
  const lengths = documents.map(({ text }, document) => {
    const terms = termsOf(text);
    for (const [term, frequency] of countsOf(terms)) {
      if (!postings.has(term)) postings.set(term, []);
      postings.get(term).push({ document, frequency });
    }
    return terms.length;
  });
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return (query) => {
    const scores = new Map();
    for (const [term, occurrences] of countsOf(termsOf(query))) {
      const found = postings.get(term) ?? [];
      const idf = Math.log(1 + (documents.length - found.length + 0.5) / (found.length + 0.5));
      for (const { document, frequency } of found) {
        const normalization = k1 * (1 - b + (b * lengths[document]) / average);
        const score = (occurrences * idf * frequency * (k1 + 1)) / (frequency + normalization);
        scores.set(document, (scores.get(document) ?? 0) + score);
      }
    }
    const ranked = [...scores].sort(([a, one], [c, other]) => other - one || a - c);
    return ranked.slice(0, 10).map(([document]) => documents[document].id);
  };
}

function countsOf(terms) {
  const counts = new Map();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
