#!/usr/bin/env node
import { collections } from './collections.js';
import { development, ndcg } from './data.js';
import { indexOf, search } from './engine.js';
import { sweep } from './sweep.js';
import { typos } from './typos.js';

/*
 * npm run bench:relevance: evaluates search results against relevance judgements: questions about the demo catalog, and a
 * development set in RELEVANCE_DATA, which is not part of the repository. With `sweep`, evaluates other ranking parameters,
 * too.
 */
const { fold } = await import('../../dist/src/search-engine/index.js');
const { seeded } = await import('../../dist/src/modules/catalog/demo/demo-documents.js');

const MODES = ['keyword', 'semantic', 'hybrid'];
const TYPOS = 1_000;
const print = (line) => process.stdout.write(`${line}\n`);
const progress = (total) => (done) => {
  if (process.stdout.isTTY && done % 50 === 0) process.stdout.write(`\r${done} of ${total} documents`);
};

async function judge({ title, documents, queries }) {
  const index = await indexOf(documents, { progress: progress(documents.length) });
  print(`\n${title}: ${documents.length} documents, ${queries.length} queries`);
  const scores = {};
  for (const mode of MODES) {
    let [sum, none] = [0, 0];
    for (const { text, gains } of queries) {
      const { hits, total } = await search(index, text, { mode });
      const ids = hits.map(({ id }) => id);
      sum += ndcg(ids, gains);
      if (total === 0) none += 1;
    }
    scores[mode] = sum / queries.length;
    const share = ((none / queries.length) * 100).toFixed(1);
    print(`  ${mode.padEnd(10)} NDCG@10 ${scores[mode].toFixed(3)}   without a result ${share} %`);
  }
  const bar = Math.max(scores.keyword, scores.semantic) - 0.005;
  print(`  hybrid >= best of both - .005: ${scores.hybrid >= bar ? 'met' : 'NOT MET'}`);
}

async function judgeTypos(names) {
  const documents = names.map((name, n) => ({ id: `c${n}`, fields: { name } }));
  const index = await indexOf(documents, { progress: progress(names.length) });
  const wordsOf = (name) => fold(name).split(/[^a-z]+/);
  const tried = typos(
    names.flatMap(wordsOf).filter((word) => word.length >= 4),
    TYPOS,
    seeded(20_261_122),
  );
  print(`\none typing error in a word, names of ${names.length} cities (bar: 90 % right, less than 2 % nothing)`);
  for (const mode of ['keyword', 'hybrid']) {
    let [right, none] = [0, 0];
    for (const { word, wrong } of tried) {
      const { hits, total } = await search(index, wrong, { mode, limit: 1 });
      if (total === 0) none += 1;
      if (wordsOf(hits[0]?.fields.name ?? '').includes(word)) right += 1;
    }
    const share = (count) => ((count / TYPOS) * 100).toFixed(1);
    print(`  ${mode.padEnd(10)} first result right ${share(right)} %   no result ${share(none)} %`);
  }
}

if (process.argv[2] === 'sweep') {
  await sweep();
} else {
  for (const one of collections()) await judge(one);
  const cities = development('world-cities-names.json');
  if (cities) await judgeTypos(cities);
  else print('\nthe development data are not there; RELEVANCE_DATA names their folder');
}
