import type { OpenAPIObject } from '@nestjs/swagger';
import type { OperationObject, ReferenceObject, ResponseObject, SchemaObject, Schemas } from './types.js';

const PARTS: Record<string, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  422: 'Unprocessable',
};

/**
 * Names the lists of values that no decorator names: the values of one member, the sort fields of an operation and its error
 * codes. Generated clients would otherwise invent names. Lists with equal values share the name of the first one.
 */
export function nameOwnEnums(document: OpenAPIObject, schemas: Schemas): void {
  const known = new Map<string, string>();
  const reference = (values: unknown[], name: string) => {
    const key = JSON.stringify(values);
    const found = known.get(key) ?? freeName(name, schemas);
    known.set(key, found);
    schemas[found] ??= { type: 'string', enum: values as string[] };
    return { $ref: `#/components/schemas/${found}` };
  };
  const nameMembers = (owner: string, schema: SchemaObject | ReferenceObject) => {
    const members = '$ref' in schema ? {} : (schema.properties ?? {});
    for (const [name, member] of Object.entries(members)) {
      if ('$ref' in member) continue;
      const own = `${owner}${pascal(name)}`;
      nameMembers(own, member);
      if (!member.enum || member.enum.length < 2) continue;
      const { enum: values, type: _, ...rest } = member;
      members[name] = { ...rest, allOf: [reference(values as unknown[], own)] };
    }
  };
  for (const [owner, schema] of Object.entries(schemas)) nameMembers(owner, schema);
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item as Record<string, OperationObject>)) {
      const own = pascal(operation.operationId ?? '');
      for (const parameter of operation.parameters ?? []) {
        if (!('name' in parameter) || !parameter.schema || '$ref' in parameter.schema) continue;
        const { enum: values, type: _, ...rest } = parameter.schema;
        if (!values) continue;
        const named = reference(values as unknown[], `${pascal(resourceOf(operation))}${pascal(parameter.name)}`);
        parameter.schema = Object.keys(rest).length === 0 ? named : { ...rest, allOf: [named] };
      }
      for (const [status, response] of Object.entries(operation.responses as Record<string, ResponseObject>)) {
        for (const { schema } of Object.values(response.content ?? {})) {
          const codes = schema && 'allOf' in schema ? schema.allOf?.[1] : undefined;
          const properties = codes && 'properties' in codes ? codes.properties : undefined;
          const code = properties?.['code'];
          if (!properties || !code || '$ref' in code || !code.enum) continue;
          const values = code.enum as unknown[];
          const name =
            values.length === 1 ? pascal(String(values[0]).toLowerCase()) : `${own}${PARTS[status] ?? status}`;
          properties['code'] = reference(values, `${name}Code`);
        }
      }
    }
  }
}

function resourceOf({ operationId = '' }: OperationObject): string {
  return operationId.split('_', 1)[0] ?? '';
}

function freeName(name: string, schemas: Schemas): string {
  let free = name;
  for (let number = 2; free in schemas; number += 1) free = `${name}${number}`;
  return free;
}

function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/);
  return words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join('');
}
