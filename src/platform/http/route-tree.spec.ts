import { describe, expect, it } from '@jest/globals';
import { RouteTree } from './service-adapter.js';

function treeOf(...paths: string[]): RouteTree<string> {
  const tree = new RouteTree<string>();
  for (const path of paths) tree.add('GET', path, path);
  return tree;
}

describe('the tree of routes', () => {
  it('a path of several routes finds the one with a literal in the first segment that differs', () => {
    const tree = treeOf('/rooms/list', '/rooms/:id', '/rooms/new/:step', '/rooms/:id/beds');
    expect(tree.find('GET', '/rooms/LIST/')?.target).toBe('/rooms/list');
    expect(tree.find('GET', '/rooms/new/beds')?.target).toBe('/rooms/new/:step');
    expect(tree.find('GET', '/rooms/7/beds')).toEqual({ target: '/rooms/:id/beds', params: { id: '7' } });
  });

  it.each([
    ['/rooms/:id', '/rooms/list'],
    ['/rooms/:id/:part', '/rooms/:room/beds'],
    ['/rooms/:id/beds', '/rooms/new/:step'],
  ])('the start fails if Express would use %s for a path of the later route %s', (earlier, later) => {
    expect(() => treeOf(earlier, later)).toThrow(`GET ${earlier} hides GET ${later}: declare it later`);
    expect(() => treeOf(later, earlier)).not.toThrow();
    const tree = treeOf(earlier);
    expect(() => tree.add('POST', later, later)).not.toThrow();
  });

  it('a route with a wildcard is rejected with its path', () => {
    expect(() => treeOf('/files/*path')).toThrow('/files/*path');
  });
});
