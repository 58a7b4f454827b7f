/**
 * plugboard: `plugboard run` as an agent (W7, W8), with the harness's model on loopback.
 */
import { mcpServers } from '../../lib/cli.mjs'

const BIN = `${process.env.PLUGBOARD_CHECKOUT}/dist/bin.js`

/** Below 8 kB the harness takes a request for one that is not about the prompt; without servers, ours is a tenth of that. */
const PROMPT = `say ok${' '.repeat(8000)}`

export default {
  id: 'plugboard run',
  setup(c, servers, llm) {
    const config = `${c.home}/.config/plugboard`
    c.write(`${config}/mcp.json`, mcpServers(servers))
    c.write(`${config}/settings.json`, {
      model: { provider: 'openai', id: 'fake', baseUrl: `${llm.url}/v1`, apiKey: 'dummy' },
    })
  },
  run: (c) => ({ argv: [c.node, BIN, 'run', PROMPT] }),
}
