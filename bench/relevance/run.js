#!/usr/bin/env node
import { collections } from './collections.js';
import { development } from './data.js';
import { indexOf, search } from './engine.js';
import { judge, judgePlain } from './judgement.js';
import { typos } from './typos.js';
import { ablation, difference, leaveOneOut } from './variants.js';

/*
 * npm run bench:relevance: evaluates search results against relevance judgements, beside plain BM25: questions about the demo
 * catalog, and two collections in RELEVANCE_DATA, which are not part of the repository. Then chooses the constants on one of
 * these and judges them on the other. With `ablation`, removes one part of the ranking at a time instead.
 */
const { fold } = await import('../../dist/src/search-engine/index.js');
const { seeded } = await import('../../dist/src/modules/catalog/demo/demo-documents.js');

const MODES = ['keyword', 'semantic', 'hybrid'];
const TYPOS = 1_000;
const print = (line) => process.stdout.write(`${line}\n`);
const progress = (total) => (done) => {
  if (process.stdout.isTTY && done % 50 === 0) process.stdout.write(`\r${done} of ${total} documents`);
};

async function judgeModes(set) {
  const { documents, queries, title } = set;
  print(`\n${title}: ${documents.length} documents, ${queries.length} queries`);
  const [plain, other] = [judgePlain(set, { k1: 1.2 }), judgePlain(set, { k1: 1.6 })];
  print(`  plain BM25 NDCG@10 ${plain.toFixed(3)} (k1 1.2), ${other.toFixed(3)} (k1 1.6)`);
  const judged = await judge(set, { modes: MODES, progress: progress(documents.length) });
  for (const [mode, { ndcg, none }] of Object.entries(judged)) {
    const toPlain = difference(ndcg, Math.max(plain, other));
    print(
      `  ${mode.padEnd(10)} NDCG@10 ${ndcg.toFixed(3)} (${toPlain})   without a result ${(none * 100).toFixed(1)} %`,
    );
  }
  const { keyword, semantic, hybrid } = judged;
  const bar = Math.max(keyword.ndcg, semantic.ndcg) - 0.005;
  print(`  hybrid >= best of both - .005: ${hybrid.ndcg >= bar ? 'met' : 'NOT MET'}`);
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

const sets = collections();
if (process.argv[2] === 'ablation') {
  await ablation(sets);
} else {
  for (const set of sets) await judgeModes(set);
  const cities = development('world-cities-names.json');
  if (cities) await judgeTypos(cities);
  else print('\nthe development data are not there; RELEVANCE_DATA names their folder');
  await leaveOneOut(sets.filter(({ isOurs }) => !isOurs));
}
