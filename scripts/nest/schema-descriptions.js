import ts from 'typescript';

/*
 * A plugin of `nest build`: the comment above a class in a `*.dto.ts` file becomes the description of its schema in the API
 * document. @nestjs/swagger's own plugin reads the comments of properties only. It writes the metadata that `@ApiSchema`
 * writes, without an import.
 */
const METADATA = 'swagger/apiSchema';

/** nest-cli expects this signature of a plugin. */
export const before = () => (context) => (file) => {
  if (!file.fileName.endsWith('.dto.ts')) return file;
  return ts.visitEachChild(
    file,
    (node) => (ts.isClassDeclaration(node) ? described(node, context.factory) : node),
    context,
  );
};

function described(node, factory) {
  const description = descriptionOf(ts.getOriginalNode(node));
  if (!description) return node;
  const properties = [factory.createPropertyAssignment('description', factory.createStringLiteral(description))];
  const options = factory.createArrayLiteralExpression([factory.createObjectLiteralExpression(properties)]);
  const metadata = factory.createPropertyAccessExpression(factory.createIdentifier('Reflect'), 'metadata');
  const call = factory.createCallExpression(metadata, undefined, [factory.createStringLiteral(METADATA), options]);
  return factory.updateClassDeclaration(
    node,
    [factory.createDecorator(call), ...(node.modifiers ?? [])],
    node.name,
    node.typeParameters,
    node.heritageClauses,
    node.members,
  );
}

/** Returns the comment without line breaks; blank lines separate paragraphs. */
function descriptionOf(node) {
  const comment = node.jsDoc?.at(-1)?.comment;
  const text = ts.getTextOfJSDocComment(comment) ?? '';
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.replace(/\s+/g, ' ').trim());
  return paragraphs.filter(Boolean).join('\n\n');
}
