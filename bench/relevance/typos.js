/** One edit of a word, determined by the seed: a letter inserted, deleted, replaced, or two letters transposed. */
export function typos(words, count, random) {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return Array.from({ length: count }, () => {
    const word = words[random(words.length)];
    for (;;) {
      const wrong = edited(word, random(4), { random, letter: letters[random(26)] });
      if (wrong !== word) return { word, wrong };
    }
  });
}

function edited(word, kind, { random, letter }) {
  const at = random(word.length);
  if (kind === 0) return word.slice(0, at) + letter + word.slice(at);
  if (kind === 1) return word.slice(0, at) + word.slice(at + 1);
  if (kind === 2) return word.slice(0, at) + letter + word.slice(at + 1);
  const first = Math.min(at, word.length - 2);
  return word.slice(0, first) + word[first + 1] + word[first] + word.slice(first + 2);
}
