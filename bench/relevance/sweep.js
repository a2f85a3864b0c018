import { seeded } from '../../dist/src/modules/catalog/demo/demo-documents.js';
import { DEFAULT_RANKING } from '../../dist/src/search-engine/index.js';
import { collections } from './collections.js';
import { ndcg } from './data.js';
import { indexOf, search } from './engine.js';

/*
 * npm run bench:relevance -- sweep: changes one ranking parameter at a time. Finally selects the best variant on one half of
 * the queries and evaluates it on the other half, many times: without a gain there, the differences are chance.
 */
const HALVES = 50;
const print = (line) => process.stdout.write(`${line}\n`);
const feedback = (change) => ({ ...DEFAULT_RANKING, feedback: { ...DEFAULT_RANKING.feedback, ...change } });

const CHOICES = {
  default: DEFAULT_RANKING,
  'k1 1.2': { ...DEFAULT_RANKING, k1: 1.2 },
  'k1 2': { ...DEFAULT_RANKING, k1: 2 },
  'b .6': { ...DEFAULT_RANKING, b: 0.6 },
  'b .75': { ...DEFAULT_RANKING, b: 0.75 },
  'no coordination': { ...DEFAULT_RANKING, coordination: 0 },
  'coordination of long queries too': { ...DEFAULT_RANKING, maxCoordinatedTerms: 64 },
  'no feedback': feedback({ minQueryTerms: 65 }),
  'feedback for short queries too': feedback({ minQueryTerms: 2 }),
  'feedback of 3 documents': feedback({ documents: 3 }),
  'feedback of 10 documents': feedback({ documents: 10 }),
  'feedback of 10 terms': feedback({ terms: 10 }),
  'feedback of 30 terms': feedback({ terms: 30 }),
  'feedback weight .2': feedback({ weight: 0.2 }),
  'feedback weight .4': feedback({ weight: 0.4 }),
  'vector weight .1': { ...DEFAULT_RANKING, vectorWeight: 0.1 },
  'vector weight .2': { ...DEFAULT_RANKING, vectorWeight: 0.2 },
  'vector weight .3': { ...DEFAULT_RANKING, vectorWeight: 0.3 },
  'vector weight .4': { ...DEFAULT_RANKING, vectorWeight: 0.4 },
};

export async function sweep() {
  for (const { title, documents, queries } of collections()) {
    print(`\n${title}: ${documents.length} documents, ${queries.length} queries`);
    const scores = {};
    for (const [name, parameters] of Object.entries(CHOICES)) {
      const index = await indexOf(documents, { parameters });
      const byWords = await gained(index, queries, 'keyword');
      scores[name] = await gained(index, queries, 'hybrid');
      print(`  ${name.padEnd(32)} keyword ${mean(byWords).toFixed(3)}   hybrid ${mean(scores[name]).toFixed(3)}`);
    }
    const { chosen, byDefault } = crossed(scores, queries.length);
    print(
      `  hybrid, best variant of one half on the other half: ${chosen.toFixed(3)}; default ${byDefault.toFixed(3)}`,
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
    return { chosen: on(best, other), byDefault: on('default', other) };
  });
  return { chosen: mean(judged.map(({ chosen }) => chosen)), byDefault: mean(judged.map((one) => one.byDefault)) };
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
