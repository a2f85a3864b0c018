import type { OpenAPIObject } from '@nestjs/swagger';

/* Names for the parts of the document; @nestjs/swagger exports only the whole. */
export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type ResponsesObject = OperationObject['responses'];
export type ResponseObject = Exclude<NonNullable<ResponsesObject[string]>, { $ref: string }>;
export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type ReferenceObject = Extract<Schemas[string], { $ref: string }>;
export type SchemaObject = Exclude<Schemas[string], { $ref: string }>;
