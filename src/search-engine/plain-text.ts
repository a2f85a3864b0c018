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
const MARKUP = /[<&]/;

/** Returns the text without HTML: turns tags into white space, removes scripts, styles and comments, and decodes entities. */
export function plainText(text: string): string {
  if (!MARKUP.test(text)) return text.trim();
  // Tags are removed again after decoding, because `&lt;b&gt;` decodes to a tag.
  const bare = withoutTags(withEntities(withoutTags(text)));
  return bare
    .replace(/[^\S\n]+/gu, ' ')
    .replace(/ ?\n ?/gu, '\n')
    .trim();
}

function withoutTags(text: string): string {
  const visible = text
    .split(/<(?=script\b|style\b|!--)/iu)
    .map((part, index) => (index === 0 ? part : afterEndTag(part)));
  return visible.join('').replace(/<\/?[a-z!][^<>]*>/giu, ' ');
}

/** Returns the rest of a part that starts inside a script, a style or a comment. */
function afterEndTag(part: string): string {
  const end = part.startsWith('!--') ? /-->/u : /<\/(?:script|style)\s*>/iu;
  const found = end.exec(part);
  return found ? part.slice(found.index + found[0].length) : '';
}

function withEntities(text: string): string {
  return text.replace(/&#?[a-z0-9]{2,8};/giu, (entity) => {
    const name = entity.slice(1, -1).toLowerCase();
    if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
    const code = name.startsWith('#x') ? parseInt(name.slice(2), 16) : Number(name.slice(1));
    return isPrintable(code) ? String.fromCodePoint(code) : ' ';
  });
}

function isPrintable(code: number): boolean {
  return code >= 32 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}
