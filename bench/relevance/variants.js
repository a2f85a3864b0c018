import { judge, judgePlain } from './judgement.js';

const { DEFAULT_RANKING } = await import('../../dist/src/search-engine/index.js');

const MODES = ['keyword', 'hybrid'];
const print = (line) => process.stdout.write(`${line}\n`);
const show = (number) => number.toFixed(3);
const ranking = (change) => ({ parameters: { ...DEFAULT_RANKING, ...change } });
const feedback = (change) => ranking({ feedback: { ...DEFAULT_RANKING.feedback, ...change } });
const alternatives = (change) => ranking({ alternatives: { ...DEFAULT_RANKING.alternatives, ...change } });
const withoutRepetition = (query) => [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))].join(' ');

/** Each part of the ranking removed or changed, one at a time. */
const ABLATIONS = {
  'all parts': {},
  'repeated words count once': { rewrite: withoutRepetition },
  'no coordination': ranking({ coordination: 0 }),
  'no feedback': feedback({ weight: 0 }),
  'feedback for keywords, too': { parameters: { ...DEFAULT_RANKING, maxKeywords: 1, coordination: 0 } },
  'feedback of 3 documents': feedback({ documents: 3 }),
  'feedback of 10 documents': feedback({ documents: 10 }),
  'feedback of 32 terms': feedback({ terms: 32 }),
  'feedback weight .3': feedback({ weight: 0.3 }),
  'no completions': alternatives({ completion: 0, completionOfUnknown: 0 }),
  'no corrections': alternatives({ correction: 0 }),
  'name x1': { nameWeight: 1 },
  'name x2': { nameWeight: 2 },
  'k1 1.2': ranking({ k1: 1.2 }),
  'k1 2': ranking({ k1: 2 }),
  'b .6': ranking({ b: 0.6 }),
  'b .9': ranking({ b: 0.9 }),
  'vector weight .2': ranking({ vectorWeight: 0.2 }),
  'vector weight .4': ranking({ vectorWeight: 0.4 }),
};
const PLAIN = {
  'plain BM25': {},
  'plain BM25, k1 1.6': { k1: 1.6 },
  'plain BM25 without a stemmer': { stem: (word) => word },
  'plain BM25 without stop words': { stopWords: new Set() },
};

/** `npm run bench:relevance -- ablation`: which parts of the ranking help on which collections. */
export async function ablation(sets) {
  print(`\nNDCG@10, keyword / hybrid: ${sets.map(({ title }) => title).join(', ')}`);
  for (const [name, options] of Object.entries(PLAIN)) {
    print(`  ${name.padEnd(32)} ${sets.map((set) => show(judgePlain(set, options)).padEnd(14)).join('')}`);
  }
  for (const [name, options] of Object.entries(ABLATIONS)) {
    const cells = [];
    for (const set of sets) {
      const { keyword, hybrid } = await judge(set, { modes: MODES, ...options });
      cells.push(`${show(keyword.ndcg)} / ${show(hybrid.ndcg)}`.padEnd(14));
    }
    print(`  ${name.padEnd(32)} ${cells.join('')}`);
  }
}

/**
 * Chooses the constants on one collection and judges them on another one, which shows the expected result for a collection that
 * was not used for tuning. The sets exclude the demo catalog, because we wrote its questions.
 */
export async function leaveOneOut(sets) {
  const candidates = [1.2, 1.6, 2].flatMap((k1) =>
    [0, 0.2, 0.4].flatMap((weight) =>
      [0.2, 0.3, 0.4].map((vectorWeight) => ({
        name: `k1 ${k1}, feedback ${weight}, vectors ${vectorWeight}`,
        parameters: { ...DEFAULT_RANKING, k1, vectorWeight, feedback: { ...DEFAULT_RANKING.feedback, weight } },
      })),
    ),
  );
  const judged = [];
  for (const set of sets) {
    const scores = [];
    for (const { parameters } of candidates) scores.push(await judge(set, { modes: MODES, parameters }));
    judged.push(scores);
  }
  print('\nleave one out, NDCG@10:');
  for (const [chosenOn, { title: tuned }] of sets.entries()) {
    for (const [judgedOn, set] of sets.entries()) {
      if (chosenOn === judgedOn) continue;
      const plain = Math.max(judgePlain(set, { k1: 1.2 }), judgePlain(set, { k1: 1.6 }));
      const byMode = MODES.map((mode) => {
        const scores = judged[chosenOn].map((score) => score[mode].ndcg);
        const best = scores.indexOf(Math.max(...scores));
        const found = judged[judgedOn][best][mode].ndcg;
        return `${mode} ${show(found)} (${difference(found, plain)}; ${candidates[best].name})`;
      });
      print(`  chosen on ${tuned}, judged on ${set.title}: plain BM25 ${show(plain)}, ${byMode.join(', ')}`);
    }
  }
}

export function difference(score, plain) {
  return `${score < plain ? '' : '+'}${(score - plain).toFixed(3)}`;
}
