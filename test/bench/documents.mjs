// The documents and the schema that are measured with.

export const SCHEMA = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
    counter: { type: 'integer', minimum: 0 },
    tasks: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          status: { type: 'string', enum: ['pending', 'running', 'done'] },
          result: { type: 'string' },
        },
        required: ['name', 'status'],
      },
    },
  },
  required: ['status', 'tasks'],
};

/** A document of about so many bytes of JSON text. */
export function documentOf(bytes) {
  const document = { status: 'pending', counter: 0, tasks: [] };
  const task = (i) => ({
    name: `task-${String(i).padStart(6, '0')}`,
    status: 'running',
    result: 'x'.repeat(60),
  });
  const each = JSON.stringify(task(0)).length + 1;
  for (let i = 0; i < Math.max(1, Math.floor((bytes - 60) / each)); i += 1) document.tasks.push(task(i));
  return document;
}

/** A patch of two operations that changes the document, whatever it holds. */
export function twoOperations(n) {
  return [
    { op: 'replace', path: '/counter', value: n },
    { op: 'replace', path: '/tasks/0/result', value: `result ${String(n)}` },
  ];
}
