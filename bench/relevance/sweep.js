import { seeded } from '../../dist/src/modules/catalog/demo/pieces.js';
import { TUNING } from '../../dist/src/modules/catalog/engine/tuning.js';
import { collections } from './collections.js';
import { ndcg } from './data.js';
import { indexOf, search } from './engine.js';

/*
 * npm run bench:relevance -- sweep: one choice at a time, beside what is chosen. Last, how much would be gained by taking
 * the best of all of them: chosen on one half of the queries, judged on the other, for many halves. A gain that is not
 * there is chance.
 */
const HALVES = 50;
const print = (line) => process.stdout.write(`${line}\n`);
const feedback = (change) => ({ ...TUNING, feedback: { ...TUNING.feedback, ...change } });

const CHOICES = {
  'as it is': TUNING,
  'saturation 1.2': { ...TUNING, saturation: 1.2 },
  'saturation 2': { ...TUNING, saturation: 2 },
  'lengths .6': { ...TUNING, lengths: 0.6 },
  'lengths .75': { ...TUNING, lengths: 0.75 },
  'no coordination': { ...TUNING, coordination: 0 },
  'coordination for sentences too': { ...TUNING, fewWords: 64 },
  'no feedback': feedback({ fromWords: 65 }),
  'feedback for short queries too': feedback({ fromWords: 2 }),
  'feedback of 3 documents': feedback({ documents: 3 }),
  'feedback of 10 documents': feedback({ documents: 10 }),
  'feedback of 10 words': feedback({ words: 10 }),
  'feedback of 30 words': feedback({ words: 30 }),
  'feedback counts .2': feedback({ share: 0.2 }),
  'feedback counts .4': feedback({ share: 0.4 }),
  'meaning .1': { ...TUNING, meaning: 0.1 },
  'meaning .2': { ...TUNING, meaning: 0.2 },
  'meaning .3': { ...TUNING, meaning: 0.3 },
  'meaning .4': { ...TUNING, meaning: 0.4 },
};

export async function sweep() {
  for (const { title, documents, queries } of collections()) {
    print(`\n${title}: ${documents.length} documents, ${queries.length} queries`);
    const scores = {};
    for (const [name, tuning] of Object.entries(CHOICES)) {
      const index = await indexOf(documents, { tuning });
      const byWords = await gained(index, queries, 'keyword');
      scores[name] = await gained(index, queries, 'hybrid');
      print(`  ${name.padEnd(32)} keyword ${mean(byWords).toFixed(3)}   hybrid ${mean(scores[name]).toFixed(3)}`);
    }
    const { chosen, asItIs } = crossed(scores, queries.length);
    print(
      `  hybrid, the best choice on one half, judged on the other: ${chosen.toFixed(3)}; as it is ${asItIs.toFixed(3)}`,
    );
  }
}

async function gained(index, queries, mode) {
  const scores = [];
  for (const { text, gains } of queries) {
    const { hits } = await search(index, text, { mode });
    const ids = hits.map(({ id }) => id);
    scores.push(ndcg(ids, gains));
  }
  return scores;
}

function crossed(scores, count) {
  const random = seeded(7);
  const judged = Array.from({ length: HALVES }, () => {
    const order = Array.from({ length: count }, (_, n) => ({ n, at: random(1e6) })).toSorted((a, b) => a.at - b.at);
    const half = order.slice(0, count >> 1).map(({ n }) => n);
    const other = order.slice(count >> 1).map(({ n }) => n);
    const on = (name, queries) => mean(queries.map((n) => scores[name][n]));
    const best = Object.keys(scores).reduce((a, b) => (on(b, half) > on(a, half) ? b : a));
    return { chosen: on(best, other), asItIs: on('as it is', other) };
  });
  return { chosen: mean(judged.map(({ chosen }) => chosen)), asItIs: mean(judged.map(({ asItIs }) => asItIs)) };
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
