import { ApiTags } from '@nestjs/swagger';

/** A group of operations. */
export interface ApiTag {
  name: string;
  description: string;
}

interface Group extends ApiTag {
  position: number;
}

const groups = new Map<string, Group>();

/**
 * The group of a controller's operations in the API document (a tag). One of its controllers describes it, and says where it
 * stands: groups are sorted by position, first by surface, then as the trade works.
 */
export function ApiGroup(name: string, details?: { position: number; description: string }): ClassDecorator {
  if (details) {
    if (groups.has(name)) throw new Error(`Two controllers describe the group ${name}`);
    groups.set(name, { name, ...details });
  }
  return ApiTags(name);
}

/** The groups that the loaded controllers describe, in the order of the document. */
export function apiGroups(): ApiTag[] {
  return [...groups.values()]
    .sort((a, b) => a.position - b.position)
    .map(({ name, description }) => ({ name, description }));
}
