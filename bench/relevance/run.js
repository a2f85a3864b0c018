#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collection, development, ndcg } from './data.js';
import { indexOf, search } from './engine.js';
import { typos } from './typos.js';

/*
 * npm run bench:relevance: what the search finds, held against judgements. The development set is read from beside the
 * repository (RELEVANCE_DATA); ours, of travellers' questions to the demo catalog, is here.
 */
const { fold } = await import('../../dist/src/modules/catalog/engine/analyzer.js');
const { drafts } = await import('../../dist/src/modules/catalog/demo/generator.js');
const { seeded } = await import('../../dist/src/modules/catalog/demo/pieces.js');

const MODES = ['keyword', 'semantic', 'hybrid'];
const print = (line) => process.stdout.write(`${line}\n`);
const progress = (total) => (done) => {
  if (process.stdout.isTTY && done % 50 === 0) process.stdout.write(`\r${done} of ${total} documents`);
};

async function judge(title, { documents, queries }) {
  const index = await indexOf(documents, { progress: progress(documents.length) });
  print(`\n${title}: ${documents.length} documents, ${queries.length} queries`);
  const scores = {};
  for (const mode of MODES) {
    const found = [];
    for (const { text, gains } of queries) found.push({ ...(await search(index, text, { mode })), gains });
    const mean =
      found.reduce(
        (sum, { hits, gains }) =>
          sum +
          ndcg(
            hits.map(({ id }) => id),
            gains,
          ),
        0,
      ) / found.length;
    const none = found.filter(({ total }) => total === 0).length / found.length;
    scores[mode] = mean;
    print(`  ${mode.padEnd(10)} NDCG@10 ${mean.toFixed(3)}   without a result ${(none * 100).toFixed(1)} %`);
  }
  const bar = Math.max(scores.keyword, scores.semantic) - 0.005;
  print(`  hybrid >= best of both - .005: ${scores.hybrid >= bar ? 'holds' : 'MISSED'}`);
}

async function judgeTypos(names) {
  const index = await indexOf(
    names.map((name, n) => ({ id: `c${n}`, fields: { name } })),
    { vectors: false },
  );
  const words = names.flatMap((name) => fold(name).split(/[^a-z]+/)).filter((word) => word.length >= 4);
  const tried = typos(words, 1_000, seeded(20_261_122));
  let [right, none] = [0, 0];
  for (const { word, wrong } of tried) {
    const { hits, total } = await search(index, wrong, { mode: 'keyword', limit: 1 });
    if (total === 0) none += 1;
    if (
      fold(hits[0]?.fields.name ?? '')
        .split(/[^a-z]+/)
        .includes(word)
    )
      right += 1;
  }
  print(
    `\ntyping errors in the names of ${names.length} cities: first result right ${(right / 10).toFixed(1)} %, no result ${(none / 10).toFixed(1)} %`,
  );
}

function ours() {
  const questions = JSON.parse(readFileSync(join(import.meta.dirname, 'questions.json'), 'utf8'));
  const documents = [...drafts(400, new Date('2026-11-22T00:00:00Z'))].filter(
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

await judge("travellers' questions to the demo catalog", ours());
const [set, cities] = [development('cranfield-dev.json'), development('world-cities-names.json')];
if (set) await judge('development set', collection(set));
else print('\nthe development set is not there; RELEVANCE_DATA names its folder');
if (cities) await judgeTypos(cities);
