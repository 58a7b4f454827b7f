/**
 * plugboard: the library in process (W4, W6), through `board.call` with everything it does for a call: the arguments are
 * checked, the verdict is asked for, the result is translated. Only the loop guard is off, since the harness repeats one
 * call, and the size limit, since it wants 8 MB back.
 */
const LIBRARY = `${process.env.PLUGBOARD_CHECKOUT}/dist/index.js`
const ANTHROPIC = `${process.env.PLUGBOARD_CHECKOUT}/dist/anthropic.js`

const definitionOf = ({ url, command, args, env }) =>
  url === undefined ? { command, args, ...(env === undefined ? {} : { env }) } : { type: 'http', url }

export default {
  id: 'plugboard',
  // What other agents of this machine's user have is not part of the race.
  env: { PLUGBOARD_KEYCHAIN: 'off' },
  modern: true,
  load: (imp) => imp(LIBRARY),
  async connect({ openPlugboard }, servers) {
    const board = await openPlugboard({
      servers: Object.fromEntries(servers.map((server) => [server.name, definitionOf(server)])),
      strict: true,
      wait: 'all',
      mode: 'bypass',
      loopLimit: 0,
      maxResultTokens: 0,
    })
    const names = new Map(board.tools().map(({ server, tool, name }) => [`${server} ${tool}`, name]))
    return {
      board,
      tools: names.size,
      call: (server, tool, args) => board.call(names.get(`${server} ${tool}`), args),
      text: ({ text }) => text,
      close: () => board.close(),
    }
  },
  definitionsNote: '`tools` of a request, by plugboard/anthropic',
  async definitions(_, { board }, imp) {
    const { toAnthropicTools } = await imp(ANTHROPIC)
    return toAnthropicTools(board)
  },
}
