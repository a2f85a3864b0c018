import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { Database } from '../database/database.js';
import { asSystem } from '../context/request-context.js';
import { DecoratedMethods } from '../discovery/decorated-methods.js';
import { Listeners } from '../discovery/listeners.js';
import { keptAsData } from '../http/dto.js';
import { inspectText } from '../validation/json-text.js';
import { validateDto } from '../validation/validate-dto.js';
import { DemoDataLoader, type GeneratedSecret, Provisions, type RevealSecret } from './provisioning-decorators.js';

/** Steps that are done once per database (first start, demo data), by name. */
@Injectable()
export class Installation {
  constructor(private readonly database: Database) {}

  async isDone(step: string): Promise<boolean> {
    const rows = await this.database.query('select from installation_steps where step = $1', [step]);
    return rows.length > 0;
  }

  async markDone(step: string): Promise<void> {
    await this.database.query('insert into installation_steps (step) values ($1) on conflict do nothing', [step]);
  }
}

/** Called for each section of a provisioning document that was applied, in its transaction. */
export abstract class ProvisioningListener {
  abstract applied(section: string, rows: number): Promise<void>;
}

interface Section<Row extends object = object> {
  /** Sections are applied in this order, independent of their order in the document. */
  order: number;
  row: Type<Row>;
  apply: (rows: Row[], reveal: RevealSecret) => Promise<void>;
}

export interface AppliedSection {
  name: string;
  rows: number;
}

interface Demo {
  order: number;
  title: string;
  isSeason: boolean;
  load: () => Promise<void>;
}

/** Reports a step: its title and how long it took, in milliseconds. */
export type Progress = (title: string, milliseconds: number) => void;

/**
 * Creates rows that no endpoint creates, from a document with named sections, each of one module; safe to repeat. Demo data
 * is loaded once, by the modules, in the order of their numbers.
 */
@Injectable()
export class Provisioning implements OnModuleInit {
  private readonly sections = new Map<string, Section>();
  private readonly demos: Demo[] = [];

  constructor(
    private readonly database: Database,
    private readonly methods: DecoratedMethods,
    private readonly listeners: Listeners,
  ) {}

  onModuleInit(): void {
    for (const [name, { options, call }] of this.methods.findByName(Provisions, (section) => section.name)) {
      this.sections.set(name, { ...options, apply: (rows, reveal) => call(rows as never[], reveal) });
    }
    this.demos.push(...this.methods.find(DemoDataLoader).map(({ options, call }) => ({ ...options, load: call })));
  }

  /**
   * Applies a document, each section in a transaction. Everything is checked before anything is written; throws an Error that
   * lists all faults. `reveal` gets generated secrets as soon as they are valid.
   */
  async apply(document: unknown, reveal: RevealSecret = () => undefined): Promise<AppliedSection[]> {
    if (typeof document !== 'object' || document === null || Array.isArray(document)) {
      throw new Error('The document must be a JSON object');
    }
    const entries = Object.entries(document);
    const faults: string[] = [];
    const checked: { section: Section; rows: object[]; name: string }[] = [];
    for (const [name, rows] of entries) {
      const section = this.sections.get(name);
      if (!section) faults.push(`${name}: unknown; known sections are ${[...this.sections.keys()].sort().join(', ')}`);
      else if (!Array.isArray(rows)) faults.push(`${name}: must be an array`);
      else checked.push({ section, name, rows: await this.check(section, { name, rows, faults }) });
    }
    if (faults.length > 0) throw new Error(faults.join('\n'));

    checked.sort((a, b) => a.section.order - b.section.order);
    await asSystem(async () => {
      for (const { section, rows, name } of checked) {
        const secrets: GeneratedSecret[] = [];
        await this.database.transaction(async () => {
          await section.apply(rows, (secret) => secrets.push(secret));
          await this.listeners.call(ProvisioningListener, (listener) => listener.applied(name, rows.length));
        });
        secrets.forEach(reveal);
      }
    });
    return checked.map(({ name, rows }) => ({ name, rows: rows.length }));
  }

  /** Loads the records that the examples name, or the season. */
  async loadDemo(part: 'examples' | 'season', progress: Progress): Promise<void> {
    const demos = this.demos.filter(({ isSeason }) => isSeason === (part === 'season'));
    for (const { title, load } of demos.sort((a, b) => a.order - b.order)) {
      const started = performance.now();
      await asSystem(load);
      progress(title, performance.now() - started);
    }
  }

  private async check(
    section: Section,
    { name, rows, faults }: { name: string; rows: unknown[]; faults: string[] },
  ): Promise<object[]> {
    const instances: object[] = [];
    for (const [index, row] of rows.entries()) {
      const path = `${name}.${index}`;
      if (!isObject(row)) {
        faults.push(`${path}: must be an object`);
        continue;
      }
      const { structured, data } = apartFromData(section.row, row);
      const issues = inspectText(structured, path);
      faults.push(...issues.map((issue) => `${issue.path}: ${issue.message}`));
      if (issues.length > 0) continue;
      const { instance, issues: broken } = await validateDto(section.row, structured);
      faults.push(...broken.map((issue) => `${path}.${issue.path}: ${issue.message}`));
      instances.push(Object.assign(instance, data));
    }
    return instances;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Values that are validated, and values that are stored unchanged; the rules of the latter see an empty placeholder. */
function apartFromData(row: Type<object>, given: Record<string, unknown>) {
  const kept = keptAsData(row).map(({ name }) => name);
  const entries = Object.entries(given);
  const data = Object.fromEntries(entries.filter(([key]) => kept.includes(key)));
  const standIns = entries.map(([key, value]) => [key, kept.includes(key) && isObject(value) ? {} : value] as const);
  return { structured: Object.fromEntries(standIns), data };
}
