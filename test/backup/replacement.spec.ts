import { expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeReplacement, replaceCluster } from '../../scripts/embedded-postgres/replacement.js';
import { newFolder } from '../launcher/folders.js';

/** Makes a cluster and a restored draft, each with a file that contains its name. */
function clusters() {
  const area = newFolder();
  const [cluster, draft, setAside] = [join(area, '18'), join(area, '18.draft-1-a'), join(area, '18.replaced-x')];
  for (const folder of [cluster, draft]) mkdirSync(folder);
  writeFileSync(join(cluster, 'present'), '');
  writeFileSync(join(draft, 'restored'), '');
  const intent = () => writeFileSync(`${cluster}.replacement.json`, JSON.stringify({ draft, setAside }));
  return { area, cluster, draft, setAside, intent };
}

it('a restored cluster gets the name of the present one, which is renamed', () => {
  const { area, cluster, draft } = clusters();
  const setAside = replaceCluster(draft, cluster) ?? '';
  expect([readdirSync(cluster), readdirSync(setAside)]).toEqual([['restored'], ['present']]);
  expect(readdirSync(area)).toHaveLength(2);
});

it('a replacement that was killed between its renames is completed', () => {
  const { area, cluster, setAside, intent } = clusters();
  intent();
  renameSync(cluster, setAside);
  completeReplacement(cluster);
  expect([readdirSync(cluster), readdirSync(setAside)]).toEqual([['restored'], ['present']]);
  expect(readdirSync(area)).toHaveLength(2);
});

it('a replacement that was killed before its first rename, or while its intent was written, changes nothing', () => {
  for (const text of [null, '{"dra']) {
    const { cluster, draft, intent } = clusters();
    intent();
    if (text !== null) writeFileSync(`${cluster}.replacement.json`, text);
    completeReplacement(cluster);
    expect([readdirSync(cluster), existsSync(draft)]).toEqual([['present'], true]);
    expect(existsSync(`${cluster}.replacement.json`)).toBe(false);
  }
});
