/**
 * plugboard: `plugboard run` as an agent (W7, W8), with the harness's model on loopback.
 */
import { mcpServers } from '../../lib/cli.mjs'

const BIN = `${process.env.PLUGBOARD_CHECKOUT}/dist/bin.cjs`

export default {
  id: 'plugboard run',
  setup(c, servers, llm) {
    const config = `${c.home}/.config/plugboard`
    c.write(`${config}/mcp.json`, mcpServers(servers))
    c.write(`${config}/settings.json`, {
      model: { provider: 'openai', id: 'fake', baseUrl: `${llm.url}/v1`, apiKey: 'dummy' },
    })
  },
  run: (c) => ({ argv: [c.node, BIN, 'run', 'say ok'] }),
}
