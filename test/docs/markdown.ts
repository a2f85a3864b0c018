import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { PROJECT } from '../launcher/folders.js';

/** The files of a folder of the repository, by their paths. */
export function filesIn(folder: string): string[] {
  const found = readdirSync(join(PROJECT, folder), { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map(({ parentPath, name }) => relative(PROJECT, join(parentPath, name)));
}

/** The pages of the repository, by their paths. */
export function pages(): string[] {
  const ofRoot = readdirSync(PROJECT).filter((name) => name.endsWith('.md'));
  return [...ofRoot, ...filesIn('docs').filter((file) => file.endsWith('.md'))];
}

export function readPage(page: string): string {
  return readFileSync(join(PROJECT, page), 'utf8');
}

/** The anchor that Markdown renderers give to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

export function anchorsIn(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
}

/** The links of a page to files of the repository; code has none. `file` is relative to the repository. */
export function linksOf(page: string): { link: string; file: string; anchor: string | null }[] {
  const prose = readPage(page)
    .replace(/^( *)```.*?^\1```$/gms, '')
    .replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = null] = target.split('#', 2);
      return { link: `${page}: ${target}`, file: path === '' ? page : normalize(join(dirname(page), path)), anchor };
    });
}

/** The blocks of code of a section, as logical lines: joined where a line continues, without comments. */
export function commandsIn(section: string): string[] {
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}
