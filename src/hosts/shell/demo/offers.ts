/** offers: the tools, resources and prompts of the demo server, as protocol messages. */
import { TITLE_RULE } from './notes.ts'

const TITLE = { type: 'string', description: `The title of the note: ${TITLE_RULE}.` }

export const TOOLS = [
  {
    name: 'write_note',
    title: 'Write a note',
    description: 'Writes a note into the scratch folder of this demo. A note of the same title is replaced.',
    inputSchema: {
      type: 'object',
      properties: { title: TITLE, text: { type: 'string', description: 'What it says.' } },
      required: ['title', 'text'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'read_note',
    title: 'Read a note',
    description: 'Gives the text of a note.',
    inputSchema: {
      type: 'object',
      properties: { title: TITLE },
      required: ['title'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'list_notes',
    title: 'List the notes',
    description: 'Gives the titles of all notes.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'count_slowly',
    title: 'Count slowly',
    description:
      'Counts, a number a step, and tells how far it is: a task that takes its time and can be stopped.',
    inputSchema: {
      type: 'object',
      properties: {
        to: { type: 'integer', minimum: 1, maximum: 100, description: 'How far. Default: 10.' },
        stepMs: { type: 'integer', minimum: 0, maximum: 5000, description: 'Between two. Default: 500.' },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'interview',
    title: 'Ask the user',
    description: 'Asks the user a few things in a form, and writes what they say into the note `interview`.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  },
] as const

export const STYLES = ['one line', 'a list', 'a poem'] as const

export const PROMPTS = [
  {
    name: 'summarize',
    title: 'Summarize a note',
    description: 'Has a note summarized.',
    arguments: [
      { name: 'title', description: 'Which note.', required: true },
      { name: 'style', description: `How: ${STYLES.join(', ')}.`, required: false },
    ],
  },
] as const

export const TEMPLATE = {
  uriTemplate: 'note:///{title}',
  name: 'note',
  description: 'A note by its title.',
  mimeType: 'text/markdown',
} as const

export const INSTRUCTIONS =
  'A demo. Notes are kept in a scratch folder, and everything there may be changed without harm.'

export const INTERVIEW = {
  mode: 'form',
  message: 'The demo server would like to know a few things. It keeps them in a note.',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Your name', minLength: 1, maxLength: 60 },
      team: { type: 'integer', title: 'How many you are', minimum: 1, maximum: 1000, default: 1 },
      color: { type: 'string', title: 'A colour', enum: ['red', 'green', 'blue'], default: 'green' },
      again: { type: 'boolean', title: 'Ask again another time', default: false },
    },
    required: ['name'],
  },
} as const
