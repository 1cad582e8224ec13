// A condition in SQL that is always true, and by which PostgreSQL estimates how many rows a parameter has.

/**
 * True for every row with this count. The planner does not know how many rows a parameter has: it assumes 100, and would
 * read the whole of a table that was small when it made the plan, for as long as it keeps that plan. With a condition of
 * this form it assumes one row, and so looks each row up in the index.
 */
export const anyCount = (column: string) => `${column} between 0 and 9223372036854775807`;
