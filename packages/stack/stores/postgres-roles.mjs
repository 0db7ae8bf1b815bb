import { readFileSync } from 'node:fs';
import { Failure } from '../processes/failure.mjs';

/**
 * Creates the roles of the shop's database and grants each its rights. Idempotent.
 * @param {string} superuserUrl
 * @param {string} file a psql script, which compose runs too
 * @param {Record<string, string>} variables of that script: the passwords
 * @throws {Failure}
 */
export async function grantRoles(superuserUrl, file, variables) {
  // Imported lazily, because the launcher starts before anything is installed.
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: superuserUrl,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    for (const { statement, executesRows } of statementsOf(readFileSync(file, 'utf8'), variables, pg.escapeLiteral)) {
      const { rows } = await client.query({ text: statement, rowMode: 'array' });
      if (executesRows) for (const [made] of rows) await client.query(made);
    }
  } catch (error) {
    throw new Failure(`PostgreSQL's roles could not be set: ${error instanceof Error ? error.message : error}.`, {
      step: 'postgres',
      fix: 'npm start -- --fresh begins with empty stores.',
    });
  } finally {
    await client.end();
  }
}

/**
 * Parses a psql script into statements. Of psql's own syntax it supports `:'name'` and, at the end of a line, `\gexec`; a statement
 * ends with a `;` at the end of a line.
 * @param {string} script
 * @param {Record<string, string>} variables
 * @param {(text: string) => string} quote
 */
function statementsOf(script, variables, quote) {
  const text = script
    .replace(/^\s*--.*$/gm, '')
    .replace(/:'(\w+)'/g, (_, name) => quote(variables[name] ?? missing(name)));
  return [...text.matchAll(/([\s\S]*?)(;|\\gexec)[ \t]*$/gm)].map(([, statement = '', end]) => ({
    statement,
    executesRows: end === '\\gexec',
  }));
}

/** @param {string} name @returns {never} */
function missing(name) {
  throw new Error(`there is no value for ${name}`);
}
