import openapiTS from 'openapi-typescript';
import ts from 'typescript';
import { errorCodes, trimmedDocument } from './trimmed-document.js';

const { factory } = ts;
const EXPORTED = [factory.createModifier(ts.SyntaxKind.ExportKeyword)];
const PREAMBLE = `/* Generated from the API document of the service. */
export interface Data<T> { data: T }
export interface Page<T> { data: T[]; total: number; limit: number; offset: number }
type Body<T> = { content: { "application/json": T } };
type Answer<Status extends number, T> = { [S in Status]: { content: { "application/json": T } } };
`;

/**
 * The types of the client as the text of a declaration file: those of `openapi-typescript`, with each schema as a type of its own
 * name, operations in place, and without members that are always absent. Half of the package is this file, so it is kept small.
 */
export async function clientTypes(document) {
  const nodes = await openapiTS(trimmedDocument(document), { defaultNonNullable: false });
  const declared = (name) => nodes.find((node) => node.name?.text === name)?.members ?? [];
  const typeOf = (members, name) => members.find((member) => nameOf(member) === name)?.type;
  const section = (name) => typeOf(declared('components'), name)?.members ?? [];
  const [operations, parameters, schemas] = [declared('operations'), section('parameters'), section('schemas')];
  const generic = new Map(schemas.flatMap((schema) => genericOf(schema)));

  const rewritten = (node) => {
    const [first, second] = [indexed(node), ts.isIndexedAccessTypeNode(node) ? indexed(node.objectType) : null];
    if (first?.object === 'operations') return visited(typeOf(operations, first.member));
    if (second?.object === 'components' && second.member === 'parameters') {
      return visited(typeOf(parameters, indexOf(node)));
    }
    if (second?.object === 'components' && second.member === 'schemas') {
      const name = indexOf(node);
      return generic.get(name) ?? reference(name);
    }
    if (ts.isTypeLiteralNode(node)) return factory.createTypeLiteralNode(visitedMembers(node.members));
    return ts.visitEachChild(node, rewritten, undefined);
  };
  const visited = (node) => rewritten(node);
  const visitedMembers = (members) =>
    members.flatMap((member) => {
      if (!ts.isPropertySignature(member)) return [member];
      if (isNever(member.type)) return [];
      const type = bodyOf(member, answerOf(member, visited(member.type)));
      const isEmpty = ts.isTypeLiteralNode(type) && type.members.length === 0;
      if (isEmpty && ['parameters', 'header', 'query', 'path'].includes(nameOf(member))) return [];
      if (nameOf(member) === 'headers') return [];
      return [factory.createPropertySignature(member.modifiers, member.name, member.questionToken, type)];
    });

  const paths = factory.createInterfaceDeclaration(
    EXPORTED,
    'paths',
    undefined,
    undefined,
    visitedMembers(declared('paths')),
  );
  const types = schemas
    .filter((schema) => !generic.has(nameOf(schema)))
    .map((schema) => factory.createTypeAliasDeclaration(EXPORTED, nameOf(schema), undefined, visited(schema.type)));
  const codes = errorCodes(document).map((code) => JSON.stringify(code));
  return `${PREAMBLE}export type ErrorCode = ${codes.join('|')};\n${printed([paths, ...types])}`;
}

/** One statement is one text without indentation and comments. */
function printed(nodes) {
  const file = ts.createSourceFile('schema.d.ts', '', ts.ScriptTarget.Latest);
  const printer = ts.createPrinter({ removeComments: true });
  return nodes
    .map((node) => printer.printNode(ts.EmitHint.Unspecified, node, file))
    .map((text) => text.replace(/([{;])\n\s*/g, '$1').replace(/(?<=\w"?\??:) | (?=\|)|(?<=\|) /g, ''))
    .join('\n');
}

/** `{data: X}` and a page of X have generic types instead of names. */
function genericOf(schema) {
  const members = ts.isTypeLiteralNode(schema.type) ? schema.type.members : [];
  const names = members.map(nameOf).join();
  const type = members[0]?.type;
  if (names === 'data') {
    const inner = type && schemaNamed(type);
    return inner ? [[nameOf(schema), reference('Data', reference(inner))]] : [];
  }
  if (names === 'data,total,limit,offset' && ts.isArrayTypeNode(type)) {
    const inner = schemaNamed(type.elementType);
    return inner ? [[nameOf(schema), reference('Page', reference(inner))]] : [];
  }
  return [];
}

/** The responses of an operation that answers one status with JSON. */
function answerOf(member, type) {
  if (nameOf(member) !== 'responses' || !ts.isTypeLiteralNode(type) || type.members.length !== 1) return type;
  const [{ name, type: response }] = type.members;
  const content = ts.isTypeLiteralNode(response) ? response.members[0]?.type : undefined;
  const media = content && ts.isTypeLiteralNode(content) ? content.members.map(nameOf).join() : '';
  // A list is a table only with `format=csv`, which the client reads as text.
  if (!['application/json', 'application/json,text/csv'].includes(media)) return type;
  const status = factory.createLiteralTypeNode(factory.createNumericLiteral(name.text));
  return reference('Answer', status, content.members[0].type);
}

/** The body of an operation that takes JSON. */
function bodyOf(member, type) {
  if (nameOf(member) !== 'requestBody' || !ts.isTypeLiteralNode(type)) return type;
  const content = type.members[0]?.type;
  const isJson = content && ts.isTypeLiteralNode(content) && content.members.map(nameOf).join() === 'application/json';
  return isJson ? reference('Body', content.members[0].type) : type;
}

function schemaNamed(type) {
  const outer = ts.isIndexedAccessTypeNode(type) ? indexed(type.objectType) : null;
  return outer?.object === 'components' && outer.member === 'schemas' ? indexOf(type) : null;
}

/** The parts of `object["member"]`. */
function indexed(node) {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isTypeReferenceNode(node.objectType)) return null;
  return { object: node.objectType.typeName.text, member: indexOf(node) };
}

function indexOf({ indexType }) {
  return ts.isLiteralTypeNode(indexType) ? indexType.literal.text : undefined;
}

function reference(name, ...inner) {
  return factory.createTypeReferenceNode(name, inner.length === 0 ? undefined : inner);
}

function nameOf({ name }) {
  return name?.text;
}

function isNever(type) {
  return type.kind === ts.SyntaxKind.NeverKeyword;
}
