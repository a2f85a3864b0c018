const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  szlig: 'ß',
};
const MARKED_UP = /[<&]/;

/** The text without HTML: tags are white space, scripts and styles are nothing, entities are what they stand for. */
export function plainText(text: string): string {
  if (!MARKED_UP.test(text)) return text.trim();
  // Once more after the entities: `&lt;b&gt;` would otherwise leave as a tag.
  const bare = withoutTags(withEntities(withoutTags(text)));
  return bare
    .replace(/[^\S\n]+/gu, ' ')
    .replace(/ ?\n ?/gu, '\n')
    .trim();
}

function withoutTags(text: string): string {
  const shown = text
    .split(/<(?=script\b|style\b|!--)/iu)
    .map((part, index) => (index === 0 ? part : afterHidden(part)));
  return shown.join('').replace(/<\/?[a-z!][^<>]*>/giu, ' ');
}

/** What follows the end of a script, a style or a comment whose beginning was cut off before. */
function afterHidden(part: string): string {
  const end = part.startsWith('!--') ? /-->/u : /<\/(?:script|style)\s*>/iu;
  const found = end.exec(part);
  return found ? part.slice(found.index + found[0].length) : '';
}

function withEntities(text: string): string {
  return text.replace(/&#?[a-z0-9]{2,8};/giu, (entity) => {
    const name = entity.slice(1, -1).toLowerCase();
    if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
    const code = name.startsWith('#x') ? parseInt(name.slice(2), 16) : Number(name.slice(1));
    return isScalar(code) ? String.fromCodePoint(code) : ' ';
  });
}

function isScalar(code: number): boolean {
  return code >= 32 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}
