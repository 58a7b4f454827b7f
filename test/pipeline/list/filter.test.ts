/**
 * filter: which tools of a server its user wants.
 */
import { expect, test } from 'vitest'
import type { Offering } from '../../../src/model/offering.ts'
import { applyFilters } from '../../../src/pipeline/list/filter.ts'

const offering: Offering = {
  hello: { era: 'legacy', version: '2025-11-25', capabilities: {} },
  tools: ['read_file', 'write_file', 'read_all', 'delete'].map((name) => ({ name, inputSchema: {} })),
  resources: [{ name: 'read_file' }],
  resourceTemplates: [],
  prompts: [{ name: 'delete' }],
  quarantined: [{ kind: 'tool', name: 'bad', reason: 'it has no `inputSchema`' }],
  problems: [],
}

test('without filters the offering is the same object', () => {
  expect(applyFilters(offering, {})).toBe(offering)
})

test.each([
  [{ includeTools: ['read_*'] }, ['read_file', 'read_all'], 2],
  [{ excludeTools: ['*_file'] }, ['read_all', 'delete'], 2],
  [{ includeTools: ['read_*', 'delete'], excludeTools: ['read_all'] }, ['read_file', 'delete'], 2],
  [{ includeTools: ['delete'], excludeTools: ['delete'] }, [], 4],
  [{ includeTools: [] }, [], 4],
  [{ excludeTools: [] }, ['read_file', 'write_file', 'read_all', 'delete'], 0],
  [{ includeTools: ['READ_FILE', 'write'] }, [], 4],
])('%j leaves %j and keeps back %i', (filters, names, filteredTools) => {
  const tools = offering.tools.filter(({ name }) => names.includes(name))
  expect(applyFilters(offering, filters)).toEqual({ ...offering, tools, filteredTools })
})
