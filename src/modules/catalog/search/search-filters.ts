import { cutPath, invalidRequest, type Issue } from '../../../platform/errors/app-error.js';
import type { IssueCode } from '../../../platform/errors/issue-codes.js';
import { inspectText } from '../../../platform/validation/json-text.js';
import { isCalendarDay, isInstant } from '../../../platform/time/calendar.js';
import type { Field, Filter, Scalar } from '../../../search-engine/index.js';
import { fieldName, SCHEMAS, type Vertical } from '../slices/verticals.js';

const MAX_NODES = 100;
/** Ranges and areas: they are compared for each document, while values are found in an index. */
const MAX_COMPARED = 20;
const MAX_DEPTH = 5;
const MAX_VALUES = 250;
const BOUNDS = ['gte', 'gt', 'lte', 'lt'] as const;
const ID: Field = { type: 'text', weight: 0, filterable: true, facetable: false, visible: true };

type Members = ReadonlyMap<string, unknown>;

/** A filter that matches no document, because customers cannot filter by its field. */
interface FilterWarning {
  readonly path: string;
  readonly code: 'unknown_filter';
}

/**
 * It matches no document, even next to other conditions. In a `not` it matches every document, like a filter on a field without
 * a value.
 */
const NO_DOCUMENT: Filter = { kind: 'or', clauses: [] };

/** Validates and parses the filters of a request. The error of invalid filters contains the path of each issue. */
export function parseFilters(
  vertical: Vertical,
  given: readonly unknown[],
): { filters: Filter[]; warnings: FilterWarning[] } {
  return new FilterParser(vertical).parse(given);
}

class FilterParser {
  private readonly issues: Issue[] = [];
  private readonly warnings: FilterWarning[] = [];
  private nodes = 0;
  private compared = 0;

  constructor(private readonly vertical: Vertical) {}

  parse(given: readonly unknown[]): { filters: Filter[]; warnings: FilterWarning[] } {
    const filters = given.flatMap((filter, index) => this.filter(filter, `filters.${index}`, 1));
    if (this.nodes > MAX_NODES)
      this.fault('filters', `filters must contain at most ${MAX_NODES} conditions`, 'too_many_conditions');
    if (this.compared > MAX_COMPARED)
      this.fault('filters', `filters must contain at most ${MAX_COMPARED} ranges and areas`, 'too_many_conditions');
    if (this.issues.length > 0) throw invalidRequest(this.issues);
    // A shorthand with several fields becomes several filters: a facet ignores those on its own field.
    return { filters, warnings: this.warnings };
  }

  private filter(given: unknown, path: string, depth: number): Filter[] {
    this.nodes += 1;
    if (this.nodes > MAX_NODES) return [];
    if (depth > MAX_DEPTH) return this.fault(path, `filters must not be deeper than ${MAX_DEPTH}`, 'too_deep');
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return this.fault(path, `${path} must be an object`, 'wrong_type');
    }
    const members = new Map<string, unknown>(Object.entries(given));
    return members.has('kind') ? this.longForm(members, path, depth) : this.shorthand(members, path);
  }

  private longForm(members: Members, path: string, depth: number): Filter[] {
    const kind = members.get('kind');
    const known = (...names: string[]) => this.unknownMembers(members, names, path);
    switch (kind) {
      case 'eq':
        known('field', 'value');
        return this.values(this.fieldAt(members, path), [[members.get('value'), `${path}.value`]]);
      case 'in':
        known('field', 'values');
        return this.list(this.fieldAt(members, path), members.get('values'), `${path}.values`);
      case 'range':
        known('field', ...BOUNDS);
        return this.range(this.fieldAt(members, path), members, path);
      case 'and':
      case 'or': {
        known('clauses');
        const clauses = members.get('clauses');
        if (!Array.isArray(clauses))
          return this.fault(`${path}.clauses`, `${path}.clauses must be a list`, 'wrong_type');
        const parsed = clauses.map((clause, index) =>
          joined(this.filter(clause, `${path}.clauses.${index}`, depth + 1)),
        );
        return [{ kind, clauses: parsed }];
      }
      case 'not':
        known('clause');
        return [{ kind, clause: joined(this.filter(members.get('clause'), `${path}.clause`, depth + 1)) }];
      case 'exists': {
        known('field');
        const found = this.fieldAt(members, path);
        return [found ? { kind, field: found.name } : NO_DOCUMENT];
      }
      case 'geo':
        known('lat', 'lng', 'radiusKm', 'box');
        return this.geo(members, path);
      default:
        return this.fault(
          `${path}.kind`,
          'kind must be one of eq, in, range, and, or, not, exists, geo',
          'unknown_value',
        );
    }
  }

  private shorthand(members: Members, path: string): Filter[] {
    if (members.size === 0) return this.fault(path, `${path} must name a field`, 'empty');
    this.nodes += members.size - 1;
    return [...members].flatMap(([name, value]) => {
      const at = `${path}.${name}`;
      const found = this.field(name, at);
      if (Array.isArray(value)) return this.list(found, value, at);
      if (!found) return [NO_DOCUMENT];
      if (typeof value !== 'object' || value === null) return this.values(found, [[value, at]]);
      const bounds = new Map<string, unknown>(Object.entries(value));
      return this.unknownMembers(bounds, BOUNDS, at) ? [] : this.range(found, bounds, at);
    });
  }

  private fieldAt(members: Members, path: string) {
    return this.field(members.get('field'), `${path}.field`);
  }

  /**
   * Returns null for an unknown field, with a warning. Invisible fields are like unknown ones, so that their existence is not
   * revealed.
   */
  private field(requested: unknown, path: string): { name: string; field: Field } | null {
    if (typeof requested !== 'string') {
      this.fault(path, `${path} must be the name of a field`, 'wrong_type');
      return null;
    }
    const name = fieldName(requested);
    const field = name === 'id' ? ID : SCHEMAS[this.vertical].get(name);
    if (field?.filterable && field.visible) return { name, field };
    this.warnings.push({ path: cutPath(path), code: 'unknown_filter' });
    return null;
  }

  private list(found: { name: string; field: Field } | null, values: unknown, path: string): Filter[] {
    if (!Array.isArray(values)) return this.fault(path, `${path} must be a list`, 'wrong_type');
    if (values.length > MAX_VALUES)
      return this.fault(path, `${path} must contain at most ${MAX_VALUES} values`, 'too_many');
    if (!found) return [NO_DOCUMENT];
    return this.values(
      found,
      values.map((value: unknown, index) => [value, `${path}.${index}`] as const),
    );
  }

  private values(
    found: { name: string; field: Field } | null,
    values: readonly (readonly [value: unknown, path: string])[],
  ): Filter[] {
    if (!found) return [NO_DOCUMENT];
    const scalars = values.flatMap(([value, path]): Scalar[] => {
      const type = scalarType(found.field);
      const unfit = inspectText(value, path);
      this.issues.push(...unfit);
      if (unfit.length > 0) return [];
      if (isScalar(value) && typeof value === type) return [value];
      this.fault(path, `${path} must be a ${type}, as ${found.name} is`, 'wrong_type');
      return [];
    });
    return [{ kind: 'values', field: found.name, values: scalars }];
  }

  private range(found: { name: string; field: Field } | null, members: Members, path: string): Filter[] {
    this.compared += 1;
    if (!found) return [NO_DOCUMENT];
    const { type } = found.field;
    const dates = type === 'day' || type === 'days' || type === 'instant' || type === 'moment';
    if (!dates && type !== 'integer' && type !== 'number') {
      return this.fault(path, `${path}: ${found.name} does not support ranges`, 'no_ranges');
    }
    const given = BOUNDS.filter((bound) => members.has(bound));
    if (given.length === 0) return this.fault(path, `${path} needs at least one of ${BOUNDS.join(', ')}`, 'empty');
    const bounds = given.map((bound) => [bound, this.bound(members.get(bound), `${path}.${bound}`, dates)] as const);
    return [{ kind: 'range', field: found.name, dates, ...Object.fromEntries(bounds) }];
  }

  private bound(value: unknown, path: string, dates: boolean): number {
    if (dates && (isCalendarDay(value) || isInstant(value))) return Date.parse(value);
    if (!dates && typeof value === 'number' && Number.isFinite(value)) return value;
    this.fault(path, `${path} must be ${dates ? 'a day or an instant of ISO 8601' : 'a number'}`, 'wrong_type');
    return NaN;
  }

  private geo(members: Members, path: string): Filter[] {
    this.compared += 1;
    const number = (value: unknown, at: string, [least, most]: readonly [number, number]) => {
      if (typeof value === 'number' && value >= least && value <= most) return value;
      this.fault(`${path}.${at}`, `${path}.${at} must be a number from ${least} to ${most}`, 'wrong_type');
      return NaN;
    };
    if (!members.has('box')) {
      const [lat, lng] = [number(members.get('lat'), 'lat', [-90, 90]), number(members.get('lng'), 'lng', [-180, 180])];
      return [{ kind: 'radius', lat, lng, radiusKm: number(members.get('radiusKm'), 'radiusKm', [0, 20_100]) }];
    }
    const box = members.get('box');
    if (members.size > 2 || !Array.isArray(box) || box.length !== 4) {
      return this.fault(
        `${path}.box`,
        `${path}.box must be [west, south, east, north], without other members`,
        'wrong_format',
      );
    }
    const [west = 0, south = 0, east = 0, north = 0] = box.map((value, index) =>
      number(value, `box.${index}`, index % 2 === 0 ? [-180, 180] : [-90, 90]),
    );
    return [{ kind: 'box', west, south, east, north }];
  }

  /** Returns whether any exist. */
  private unknownMembers(members: Members, names: readonly string[], path: string): boolean {
    const unknown = [...members.keys()].filter((name) => name !== 'kind' && !names.includes(name));
    for (const name of unknown) this.fault(`${path}.${name}`, `${name} is not recognized`, 'unknown_member');
    return unknown.length > 0;
  }

  private fault(path: string, message: string, code: IssueCode): [] {
    this.issues.push({ path, message, code });
    return [];
  }
}

function joined(filters: readonly Filter[]): Filter {
  const [first] = filters;
  return filters.length === 1 && first ? first : { kind: 'and', clauses: filters };
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function scalarType({ type }: Field): 'string' | 'number' | 'boolean' {
  if (type === 'boolean') return 'boolean';
  return type === 'integer' || type === 'number' ? 'number' : 'string';
}
