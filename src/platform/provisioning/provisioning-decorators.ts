import type { Type } from '@nestjs/common';
import { methodDecorator } from '../discovery/decorated-methods.js';

export interface SectionOptions {
  name: string;
  /** Sections are applied in this order, independent of their order in the document. */
  order: number;
  /** The class that each row is validated against. */
  row: Type<object>;
}

/** A secret that was generated for a provisioned resource. It is stored only as a hash, so it is shown once. */
export interface GeneratedSecret {
  kind: 'password' | 'platform key';
  owner: string;
  secret: string;
}

export type RevealSecret = (secret: GeneratedSecret) => void;

/**
 * Applies a section of the provisioning document: an array of rows of one class, in one transaction, creating or updating
 * by natural key.
 */
export const Provisions = methodDecorator<SectionOptions, (rows: never[], reveal: RevealSecret) => Promise<void>>();

interface DemoDataOptions {
  order: number;
  title: string;
  /** A part of the season, which is loaded after the records of the examples; no example and no test depends on it. */
  isSeason: boolean;
}

export const DemoDataLoader = methodDecorator<DemoDataOptions, () => Promise<void>>();

/** Loads demo data once, at the first start. Ids come from `demoId`, so that the examples of the API document exist. */
export function DemoData(order: number, title: string) {
  return DemoDataLoader({ order, title, isSeason: false });
}

/** Loads a part of the demo season, which shows an operator at work. Its rows may depend on the day of the first start. */
export function DemoSeason(order: number, title: string) {
  return DemoDataLoader({ order, title, isSeason: true });
}
